"""Lambda along the exact path: a measure as a step function of lambda, per query and for a whole bank.

Every MMR outcome of a pool is known with the lambdas at which it changes (`kernels.mmr_path`), so the mean of
a measure over queries is a step function whose largest step is *the* optimum; no grid can beat it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reparto.contract import Policy
from reparto.evaluation.bank import BankQuery
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
class Steps:
    """A step function on [0, 1]: `values[i]` holds from `starts[i]` up to the next start; `starts[0]`
    is 0.
    """

    starts: Floats
    values: Floats

    def at(self, lam: float | Floats) -> Floats:
        """The value at one lambda or several."""
        return self.values[np.searchsorted(self.starts, lam, side="right") - 1]

    def simplified(self) -> Steps:
        """The same function without steps of no height."""
        keep = np.concatenate([[True], self.values[1:] != self.values[:-1]])
        return Steps(self.starts[keep], self.values[keep])


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
        [
            Entry(one, rel, one.text, size)
            for one, rel, size in zip(valid, relevance.tolist(), counted, strict=True)
        ],
        request.query,
    )
    for stage in stages_of(policy, request):
        pool = run_stage(stage, pool).pool
    return pool.entries


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean of step functions over queries, exactly: `means[i]` holds from `starts[i]` up to the
    next start.
    """

    functions: tuple[Steps, ...]

    @cached_property
    def _events(self) -> tuple[Floats, np.ndarray, Floats, Floats]:
        """All changes in order of lambda: where, whose, the value before and after."""
        where = np.concatenate([one.starts[1:] for one in self.functions] or [np.zeros(0)])
        whose = np.concatenate(
            [np.full(len(one.starts) - 1, i) for i, one in enumerate(self.functions)]
            or [np.zeros(0, dtype=int)]
        )
        before = np.concatenate([one.values[:-1] for one in self.functions] or [np.zeros(0)])
        after = np.concatenate([one.values[1:] for one in self.functions] or [np.zeros(0)])
        order = np.argsort(where, kind="stable")
        return where[order], whose[order], before[order], after[order]

    def _running(self, of: Callable[[Floats, np.ndarray], Floats]) -> Floats:
        """Sum over queries of a function of (value, query), after each distinct start."""
        _, whose, before, after = self._events
        first = np.array([one.values[0] for one in self.functions])
        begin = float(of(first, np.arange(len(first))).sum())
        sums = begin + np.concatenate([[0.0], np.cumsum(of(after, whose) - of(before, whose))])
        running: Floats = sums[self._last]
        return running

    @cached_property
    def _last(self) -> np.ndarray:
        """Index, among the running sums, of the last event of each distinct start."""
        where = self._events[0]
        ends = np.concatenate([where[1:] != where[:-1], [True]]) if len(where) else np.zeros(0, dtype=bool)
        return np.concatenate([[0], np.flatnonzero(ends) + 1])

    @cached_property
    def starts(self) -> Floats:
        """Distinct starts of the mean's steps, 0 first."""
        where = self._events[0]
        return np.concatenate([[0.0], where[self._last[1:] - 1]])

    @cached_property
    def means(self) -> Floats:
        """Mean over queries on each step."""
        return self._running(lambda value, _: value) / len(self.functions)

    def at(self, lam: float) -> float:
        """Mean at one lambda, summed afresh."""
        return float(np.mean([one.at(lam) for one in self.functions]))

    def per_query(self, lam: float) -> Floats:
        """Value of each query at one lambda, (n,)."""
        return np.array([float(one.at(lam)) for one in self.functions])


@dataclass(frozen=True, slots=True)
class LambdaChoice:
    """`best` is the optimum and `low..high` the step that holds it; `lam` is the choice after the
    paired rule.
    """

    lam: float
    mean: float
    best: float
    best_mean: float
    low: float
    high: float


def choose_lambda(functions: Sequence[Steps], errors: float = 1.0) -> LambdaChoice:
    """The optimum over the path, and the lambda nearest 1 ("off") that is within `errors` paired standard
    errors of it.

    Of equal steps the one nearest 1 is the optimum. Within a step the number with the fewest decimals is
    taken. O(changes log changes).
    """
    curve = Curve(tuple(functions))
    starts, means = curve.starts, curve.means
    ends = np.concatenate([starts[1:], [1.0]])
    top = int(np.flatnonzero(means >= means.max() - 1e-12)[-1])
    best = roundest(float(starts[top]), float(ends[top]), top == len(starts) - 1)
    reference = curve.per_query(best)
    n = len(curve.functions)
    total = curve._running(lambda value, whose: value - reference[whose])
    squares = curve._running(lambda value, whose: (value - reference[whose]) ** 2)
    mean = total / n
    variance = np.maximum(squares / n - mean**2, 0.0) * (n / max(n - 1, 1))
    within = np.flatnonzero(-mean <= errors * np.sqrt(variance / n) + 1e-12)
    chosen = int(within[-1])
    lam = roundest(float(starts[chosen]), float(ends[chosen]), chosen == len(starts) - 1)
    return LambdaChoice(lam, curve.at(lam), best, curve.at(best), float(starts[top]), float(ends[top]))


def roundest(low: float, high: float, last: bool = False) -> float:
    """The number with the fewest decimals in [low, high), the largest of them; 1 for the last step,
    which holds 1.
    """
    if last:
        return 1.0
    for decimals in range(1, 17):
        scale = 10.0**decimals
        number = (math.ceil(high * scale) - 1) / scale
        if low <= number < high:
            return number
    return low


def _passage(entry: Entry) -> Passage:
    members = tuple(one.id for one in entry.absorbed) or (entry.id,)
    own = entry.candidate
    return Passage(
        entry.id, members, entry.text or None, entry.tokens, own.document, own.source, own.vectors, own.score
    )
