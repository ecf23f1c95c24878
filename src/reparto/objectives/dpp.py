"""Determinantal point process: the set whose vectors, lengthened by relevance, span the largest volume.

L. Chen, G. Zhang and H. Zhou, "Fast greedy MAP inference for determinantal point process to improve
recommendation diversity", NeurIPS 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from reparto.kernels.reference.dpp import VANISHED, Residual
from reparto.model import Floats
from reparto.objectives import Ground
from reparto.objectives._seated import SeatedRun


@dataclass(frozen=True, slots=True)
class DPP:
    """Value = q^2 * residual: the factor by which an entry enlarges the determinant of diag(q) S diag(q).

    q = exp(lambda / (2 (1 - lambda)) * relevance), relative to the largest: the greedy step then maximises
    lambda * relevance + (1 - lambda) * log residual, section 4.2 of the paper. The residual is 1 less what
    the seated entries span of the passage. Where it has vanished, and at lambda = 1, seats go in rank order.
    """

    name: ClassVar[str] = "dpp"
    falling: ClassVar[bool] = True
    lam: float = field(
        default=0.5,
        metadata={"key": "lambda", "range": (0.0, 1.0), "doc": "1 is relevance only, 0 is volume only"},
    )

    def start(self, ground: Ground) -> DPPRun:
        """Open a run over a ground of n entries. O(n (d + seats)) a seat, O(k n) memory."""
        return DPPRun(ground, self.lam)


def weights(relevance: Floats, lam: float) -> Floats:
    """q^2 of each entry, (n,) in 0..1, the largest 1; underflow leaves rank order as the tie-break."""
    if lam >= 1.0 or not len(relevance):
        return np.zeros(len(relevance))
    scaled: Floats = np.exp(lam / (1.0 - lam) * (relevance - relevance.max()))
    return scaled


class DPPRun(SeatedRun):
    """A run of greedy MAP. An entry's value only falls."""

    def __init__(self, ground: Ground, lam: float) -> None:
        super().__init__(ground)
        self._ranked = lam >= 1.0
        self._weights = weights(ground.relevance, lam)
        self._residual = Residual(ground.similarity.row, len(ground.ids))

    def gains(self) -> Floats:
        """Value of each entry, (n,) in 0..1; 0 where the seated entries span it."""
        if self._ranked:
            return self._ground.relevance
        return self._weights * np.where(self._residual.left < VANISHED, 0.0, self._residual.left)

    def take(self, i: int) -> None:
        """Seat entry i."""
        super().take(i)
        if not self._ranked:
            self._residual.take(i)
