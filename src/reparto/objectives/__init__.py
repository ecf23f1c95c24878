"""Diversity objectives: what the greedy seating loop maximises. One a file, registered by entry point.

An objective is a frozen dataclass whose fields are its keys under `diversity` in the contract (with their
defaults). Each field's `metadata` declares the key as a contract spells it, its range and a line about it:
`field(default=0.7, metadata={"key": "lambda", "range": (0.0, 1.0), "doc": "..."})`. `start(ground)` opens a
run over one pool; the loop asks the run for `gains()`, picks the best entry that the constraints allow, and
tells the run with `take(i)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from reparto.model import Floats
from reparto.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class Aspect:
    """A sub-question of the query. `ratings` maps ids to 0..1; weights count relative to their sum."""

    id: str
    text: str
    weight: float
    ratings: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What an objective may look at: n entries in rank order.

    `relevance` is (n,) in 0..1, descending. `similarity` gives rows of pairwise similarity on demand. `texts`
    are the passages as delivered; `query` and `aspects` may be empty. `k` is the number of seats. `affordable`,
    0..1, is the share of the first k entries' length that the budget pays for: 1 where seats are scarcer than length.
    `carriers` is (n,), how many outlets or documents of the pool carry each entry; empty: one each.
    """

    ids: Sequence[str]
    texts: Sequence[str]
    relevance: Floats
    similarity: Similarity
    query: str = ""
    aspects: Sequence[Aspect] = ()
    k: int = 10
    affordable: float = 1.0
    carriers: Sequence[int] = ()


class Run(Protocol):
    """One pass over one ground. Not shared between threads."""

    def gains(self) -> Floats:
        """Value of seating each entry next, (n,); entries already taken may hold anything."""
        ...

    def redundancy(self) -> Floats:
        """Largest similarity of each entry to the seated ones, (n,); 0 before the first seat."""
        ...

    def take(self, i: int) -> None:
        """Seat entry i."""
        ...


class Objective(Protocol):
    """A frozen dataclass: its fields are its contract keys.

    A class attribute `falling = True` says that no entry's value rises from the first seat on (so that a value once
    computed bounds the later ones); the conformance suite then checks it.
    """

    name: ClassVar[str]

    def start(self, ground: Ground) -> Run:
        """Open a run. Objectives that lack something they need (aspects, say) raise `RequestError`."""
        ...


__all__ = ["Aspect", "Ground", "Objective", "Run"]
