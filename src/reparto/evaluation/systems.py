"""What is evaluated: a contract, a baseline, or a list that came with the bank; each turns a query into a
delivery.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from reparto.contract import Contract
from reparto.evaluation.bank import BankQuery
from reparto.evaluation.baselines import Baseline, delivered
from reparto.evaluation.delivery import Delivery, Passage
from reparto.model import EMPTY
from reparto.pipeline import route_safely, select
from reparto.routing import route
from reparto.selection import Seat


@dataclass(frozen=True, eq=False)
class Outcome:
    """One query served: what was delivered and, from a contract, the fate of every candidate by id."""

    delivery: Delivery
    decisions: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: EMPTY)


class System(Protocol):
    """Anything that serves a query of a bank."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    def serve(self, query: BankQuery) -> Outcome:
        """Serve one query."""
        ...


@dataclass(frozen=True, eq=False)
class Seats:
    """How many seats a query gets and under which class: the given ones, else the query's own, else
    the contract's.
    """

    contract: Contract
    query_class: str | None = None
    k: int | None = None

    def class_of(self, query: BankQuery) -> str:
        """The class a query is served under: the given one, its own, the router's answer, the contract's default."""
        named = self.query_class or query.query_class
        return named or route_safely(route, query.request.query, self.contract) or self.contract.default_class

    def of(self, query: BankQuery) -> int:
        """The number of seats."""
        if self.k is not None:
            return self.k
        if query.request.k is not None:
            return query.request.k
        return int(self.contract.resolve(self.class_of(query)).policy.k)


@dataclass(frozen=True, eq=False)
class ContractSystem:
    """Selection under a contract. `policy` overrides the class's, as a request's would."""

    name: str
    seats: Seats
    policy: Mapping[str, Any] = field(default_factory=lambda: EMPTY)

    def serve(self, query: BankQuery) -> Outcome:
        """Select, and read the seats back as passages: a merged span carries the facts of its members."""
        request = replace(
            query.request,
            query_class=self.seats.class_of(query),
            k=self.seats.of(query),
            policy={**query.request.policy, **self.policy},
        )
        chosen = select(request, contract=self.seats.contract)
        passages = tuple(passage_of_seat(seat, query) for seat in chosen.seats)
        decisions = {one.id: one.to_dict() for one in chosen.decisions}
        return Outcome(Delivery(passages, query.judgments, tuple(query.passages.values())), decisions)


@dataclass(frozen=True, eq=False)
class BaselineSystem:
    """A baseline with as many seats as the contract would give."""

    baseline: Baseline
    seats: Seats

    @property
    def name(self) -> str:
        """The baseline's name."""
        return self.baseline.NAME

    def serve(self, query: BankQuery) -> Outcome:
        """The baseline's list; the fate of the rest is not known."""
        return Outcome(delivered(self.baseline, query, self.seats.of(query)))


@dataclass(frozen=True, eq=False)
class GivenRanking:
    """The `ranking` of each line; a query without one is delivered in the order of its scores."""

    name: str = "as ranked"

    def serve(self, query: BankQuery) -> Outcome:
        """The whole given list: cutoffs are the measures'."""
        ids = query.ranking if query.ranking is not None else tuple(one.id for one in query.pool)
        return Outcome(query.deliver(ids))


def passage_of_seat(seat: Seat, query: BankQuery) -> Passage:
    """A seat as a measure sees it: a merged span carries the facts of its members."""
    own = query.passages.get(seat.id)
    return Passage(
        id=seat.id,
        carries=seat.span.members if seat.span else (seat.id,),
        text=seat.text or None,
        tokens=seat.tokens,
        document=seat.document,
        source=seat.source,
        vectors=own.vectors if own else EMPTY,
        score=seat.score,
    )
