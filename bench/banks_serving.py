"""Serving the banks: pools in memory, with junk or without, under the shipped contract or a peer.

A row of the tables is a number per query; everything here returns those, by bank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import reparto
from bench.showing import BANKS, need
from reparto.contract import Contract
from reparto.evaluation import baselines
from reparto.evaluation.bank import Bank, BankQuery, read_bank
from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures import parse
from reparto.evaluation.systems import passage_of_seat
from reparto.intake import Request
from reparto.model import Candidate
from reparto.selection import Selection

SURVEY = ("trec_ts", "ambient", "argkp", "perspectrum", "realsumm", "ecbplus")
FACTUAL = ("xquad_en_es", "wikiqa_test")
RECALL, GAIN = "StRecall(listed=True)@10", "alpha_nDCG@10"
JUNK = 20
CONTRACT = Contract()

Rank = Callable[[BankQuery, int], Delivery]


@cache
def bank_of(name: str) -> Bank:
    """The bank with the queries that have a fact in the pool."""
    bank = read_bank(need(BANKS / f"{name}.jsonl"))
    return replace(bank, queries=tuple(one for one in bank if _answerable(one)))


def _answerable(query: BankQuery) -> bool:
    return parse(RECALL).value(query.deliver([one.id for one in query.pool])) is not None


def select(query: BankQuery, k: int, query_class: str = "survey", **policy: Any) -> Selection:
    """The shipped contract on one query."""
    request = replace(query.request, query_class=query_class, k=k, policy={**query.request.policy, **policy})
    return reparto.select(request, contract=CONTRACT)


def shipped(query_class: str = "survey", **policy: Any) -> Rank:
    """The shipped contract, the class's policy overridden by `policy`."""

    def rank(query: BankQuery, k: int) -> Delivery:
        return delivery_of(select(query, k, query_class, **policy), query)

    return rank


def delivery_of(selection: Selection, query: BankQuery) -> Delivery:
    """The seats as measures see them; a merged span carries the facts of its members."""
    seats = tuple(passage_of_seat(seat, query) for seat in selection.seats)
    return Delivery(seats, query.judgments, tuple(query.passages.values()))


def peer(name: str) -> Rank:
    """A baseline by its name."""
    baseline = baselines.load(name)
    return lambda query, k: baselines.delivered(baseline, query, k)


def objective(name: str) -> Rank:
    """Another objective with its own defaults, everything else as shipped."""
    return shipped(diversity={"objective": name})


MOST = 40
_SERVED: dict[tuple[str, str], list[Delivery]] = {}


def served(system: str, rank: Rank, bank: str, k: int = 10) -> list[Delivery]:
    """The first k of what a system delivers on each query of a bank.

    Served once a run with 40 seats, however many tables ask: all of these selectors are greedy, and fewer seats are
    the first of more.
    """
    key = (system, bank)
    if key not in _SERVED:
        _SERVED[key] = [rank(query, MOST) for query in bank_of(bank)]
    return [Delivery(one.passages[:k], one.judgments, one.pool) for one in _SERVED[key]]


def values(deliveries: Iterable[Delivery], measure: str) -> np.ndarray:
    """The measure of each delivery, (queries,)."""
    chosen = parse(measure)
    return np.array([chosen.value(one) or 0.0 for one in deliveries])


Count = Callable[[str | None], int]


def words(text: str | None) -> int:
    """Words as a budget counts them."""
    return len((text or "").split())


def runs(text: str | None) -> int:
    """Words as runs of letters and digits."""
    return len(re.findall(r"\w+", text or ""))


def budgets_of(bank: Iterable[BankQuery], count: Count = words, k: int = 10) -> list[int]:
    """What top-k takes of each query, in words."""
    return [sum(count(one.text) for one in query.pool[:k]) for query in bank]


def budget_of(bank: Iterable[BankQuery], count: Count = words, k: int = 10) -> float:
    """What top-k takes on average over the bank's queries, in words."""
    return float(np.mean(budgets_of(bank, count, k)))


def own_only(delivery: Delivery) -> Delivery:
    """The same seats, each with the facts of its own id alone: a merged span without those of its other members."""
    alone = tuple(replace(one, carries=(one.id,)) for one in delivery.passages)
    return Delivery(alone, delivery.judgments, delivery.pool)


def fitted(delivery: Delivery, budget: float, count: Count = words) -> Delivery:
    """Seats in order until the words are spent; what does not fit is skipped."""
    left, taken = budget, []
    for passage in delivery.passages:
        if count(passage.text) <= left:
            taken.append(passage)
            left -= count(passage.text)
    return Delivery(tuple(taken), delivery.judgments, delivery.pool)


@dataclass(frozen=True)
class Junk:
    """How far below the pool's lowest score the added passages lie, in spreads of the pool: drawn from low..high."""

    name: str
    low: float
    high: float


JUNKS = (Junk("just below", 0.0, 0.02), Junk("below", 0.0, 0.5), Junk("far below", 0.5, 1.5))


def with_junk(bank: Sequence[BankQuery], junk: Junk, seed: int = 0) -> list[BankQuery]:
    """Each query with 20 passages of other queries, scored below its own."""
    generator = np.random.default_rng(seed)
    everything: Mapping[str, Candidate] = {one.id: one for query in bank for one in query.pool}
    ids = sorted(everything)
    found = []
    for query in bank:
        own = {one.id for one in query.pool}
        scores = [one.score for one in query.pool]
        spread = max(max(scores) - min(scores), 1e-9)
        added: list[Candidate] = []
        while len(added) < JUNK:
            id = ids[int(generator.integers(len(ids)))]
            if id not in own:
                own.add(id)
                lower = generator.uniform(junk.low, junk.high)
                added.append(replace(everything[id], score=min(scores) - 1e-9 - lower * spread))
        request: Request = replace(query.request, candidates=(*query.request.candidates, *added))
        found.append(replace(query, request=request))
    return found
