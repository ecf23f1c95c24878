"""Maximal marginal relevance: relevant and unlike what is seated.

J. Carbonell and J. Goldstein, "The use of MMR, diversity-based reranking for reordering documents and
producing summaries", SIGIR 1998.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from reparto.model import Floats
from reparto.objectives import Ground
from reparto.objectives._seated import SeatedRun


@dataclass(frozen=True, slots=True)
class MMR:
    """Value = lambda * relevance - (1 - lambda) * largest similarity to the seated (cosine, unclipped).

    Before the first seat the redundancy is 0, so the first seat is the highest relevance whatever lambda.
    """

    name: ClassVar[str] = "mmr"
    falling: ClassVar[bool] = True
    lam: float = field(
        default=0.7,
        metadata={"key": "lambda", "range": (0.0, 1.0), "doc": "1 is relevance only, 0 is novelty only"},
    )

    def start(self, ground: Ground) -> MMRRun:
        """Open a run over a ground of n entries. O(n d) a seat."""
        return MMRRun(ground, self.lam)


class MMRRun(SeatedRun):
    """A run of MMR. An entry's value only falls from the first seat on."""

    def __init__(self, ground: Ground, lam: float) -> None:
        super().__init__(ground)
        self._lam = lam

    def gains(self) -> Floats:
        """Value of each entry, lambda * relevance - (1 - lambda) * redundancy, (n,) in -1..1."""
        return self._lam * self._ground.relevance - (1.0 - self._lam) * self._redundancy
