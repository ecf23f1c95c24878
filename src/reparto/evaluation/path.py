"""Lambda along the exact path: a measure as a step function of lambda, per query and for a whole bank.

Every MMR outcome of a pool is known with the lambdas at which it changes (`kernels.mmr_path`), so the mean of
a measure over queries is a step function whose largest step is *the* optimum; no grid can beat it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reparto.contract import Policy
from reparto.evaluation.bank import BankQuery
from reparto.evaluation.curve import Steps
from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.measures import Measure
from reparto.intake import Request
from reparto.kernels import mmr_path
from reparto.model import Candidate, Entry, Floats
from reparto.pipeline import run_stage, stages_of
from reparto.scores import scale_scores
from reparto.similarity import similarity_of
from reparto.stages import ranked
from reparto.tokens import length


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Every distinct MMR delivery of one query: `deliveries[i]` holds from `starts[i]`. Labels play no
    part in it.
    """

    starts: Floats
    picks: tuple[tuple[int, ...], ...]
    passages: tuple[Passage, ...]
    query: BankQuery

    def steps(self, measure: Measure, query: BankQuery | None = None) -> Steps | None:
        """The measure along lambda, under the judgments of `query` (default: its own); None where
        it is not defined.
        """
        judged = query or self.query
        pool = tuple(judged.passages.values())
        values = []
        for picks in self.picks:
            delivery = Delivery(tuple(self.passages[i] for i in picks), judged.judgments, pool)
            value = measure.value(delivery)
            if value is None:
                return None
            values.append(value)
        return Steps(self.starts, np.array(values)).simplified()


def outcomes(query: BankQuery, policy: Policy, k: int) -> Outcomes:
    """Every MMR delivery of k seats after the policy's scaling, merging and collapsing.

    Quotas, reserves and the budget are not part of the path: lambda is chosen without them.
    """
    entries = entries_before_seating(query.request, policy)
    passages = tuple(_passage(one) for one in entries)
    if not entries:
        return Outcomes(np.zeros(1), ((),), (), query)
    similarity = similarity_of(entries)
    relevance = np.array([one.relevance for one in entries])
    seats = min(k, len(entries))
    if similarity.rows is not None:
        path = mmr_path(relevance, seats, rows=similarity.rows)
    else:
        path = mmr_path(relevance, seats, similarity=similarity.matrix())
    return Outcomes(path.starts, tuple(tuple(row) for row in path.picks.tolist()), passages, query)


def entries_before_seating(request: Request, policy: Policy) -> tuple[Entry, ...]:
    """The entries that compete for seats: scores scaled, spans merged, copies collapsed; in rank order."""
    best: dict[str, Candidate] = {}
    sign = 1.0 if policy.scores.kind == "relevance" else -1.0
    for one in request.candidates:
        if one.valid and (one.id not in best or sign * one.score > sign * best[one.id].score):
            best[one.id] = one
    valid = list(best.values())
    relevance, _ = scale_scores(
        np.array([one.score for one in valid], dtype=np.float64),
        kind=policy.scores.kind,
        scale=policy.scores.scale,
        midpoint=policy.scores.midpoint,
        slope=policy.scores.slope,
    )
    counter = policy.budget.counter if policy.budget else "estimate"
    counted = [length(one, counter) for one in valid]
    pool = ranked(
        [Entry(one, rel, one.text, size) for one, rel, size in zip(valid, relevance.tolist(), counted, strict=True)],
        request.query,
    )
    for stage in stages_of(policy, request):
        pool = run_stage(stage, pool).pool
    return pool.entries


def _passage(entry: Entry) -> Passage:
    members = tuple(one.id for one in entry.absorbed) or (entry.id,)
    own = entry.candidate
    return Passage(
        entry.id, members, entry.text or None, entry.tokens, own.document, own.source, own.vectors, own.score
    )
