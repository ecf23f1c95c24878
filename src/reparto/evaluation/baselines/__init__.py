"""What a contract is held against: ways to take k of a pool, registered under `reparto.baselines`, one a
file.

A baseline is a frozen dataclass with a `NAME`, `missing(query)` that says why it cannot serve a query (None
when it can), and `rank(query, k)` that returns at most k ids.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from reparto import registry
from reparto.evaluation.bank import BankQuery
from reparto.evaluation.delivery import Delivery

ALWAYS = "top-k"
WHEN_INSTALLED = {"pyversity": "pyversity-mmr", "langchain_core": "langchain-mmr"}


class Baseline(Protocol):
    """A way to take k of a pool."""

    NAME: ClassVar[str]

    def missing(self, query: BankQuery) -> str | None:
        """Why this query cannot be served, or None."""
        ...

    def rank(self, query: BankQuery, k: int) -> list[str]:
        """Ids of at most k candidates, in order of delivery."""
        ...


def load(name: str) -> Baseline:
    """The baseline of that name; an unknown one raises `UnknownNameError`, a missing package
    `MissingExtraError`.
    """
    kind = registry.load("baselines", name, "baseline")
    made: Baseline = kind()
    return made


def delivered(baseline: Baseline, query: BankQuery, k: int) -> Delivery:
    """The baseline's list as a delivery."""
    return query.deliver(baseline.rank(query, k))


def without_vectors(query: BankQuery) -> str | None:
    """The complaint of a baseline that needs a vector of every candidate in one field."""
    names = {name for one in query.pool for name in one.vectors}
    if any(all(name in one.vectors for one in query.pool) for name in names):
        return None
    return f"query {query.id!r} has candidates without a vector" if query.pool else None


def common_field(query: BankQuery) -> str:
    """The first vector field, by name, that every candidate has."""
    names = sorted({name for one in query.pool for name in one.vectors})
    return next(name for name in names if all(name in one.vectors for one in query.pool))
