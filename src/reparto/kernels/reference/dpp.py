"""Greedy MAP of a determinantal point process, said plainly.

L. Chen, G. Zhang and H. Zhou, "Fast greedy MAP inference for determinantal point process to improve
recommendation diversity", NeurIPS 2018, algorithm 1. With L = diag(q) S diag(q) the marginal gain of entry i
is q_i^2 times the residual of S at i, 1 less what the seated entries span of it; only S needs the Cholesky
rows.
"""

from __future__ import annotations

import numpy as np

from reparto.kernels.reference.greedy import Bools, Floats, Picks, Row, best

VANISHED = 2.0**-16
"""A residual below this is rounding noise of single-precision vectors: the seated entries span it."""

LANES = 8
"""Products of Cholesky rows are summed in lanes, t mod 8, then folded in halves: always one order."""


class Residual:
    """Residuals of S and the Cholesky rows behind them, an entry seated at a time."""

    def __init__(self, row: Row, n: int) -> None:
        self._row = row
        self._factors: list[Floats] = []
        self.left: Floats = np.ones(n)

    def take(self, i: int) -> None:
        """Seat entry i. O(n (d + seats))."""
        pivot = self.left[i]
        if pivot < VANISHED:  # spanned already: seating it takes nothing from the others
            return
        lanes = np.zeros((LANES, len(self.left)))
        for t, earlier in enumerate(self._factors):
            lanes[t % LANES] += earlier * earlier[i]
        for half in (4, 2, 1):
            lanes = lanes[:half] + lanes[half : 2 * half]
        factor: Floats = (self._row(i) - lanes[0]) / np.sqrt(pivot)
        self._factors.append(factor)
        self.left = np.maximum(self.left - factor * factor, 0.0)


def dpp(row: Row, weight: Floats, relevance: Floats, k: int, eligible: Bools | None = None) -> Picks:
    """Up to k picks by weight * residual, weight = q^2 >= 0. O(k n (d + k)); memory O(k n).

    Ties, and every pick once the residuals have vanished, go by relevance, then lower index: rank order.
    `redundancies` are 1 - residual, what the seated entries already span.
    """
    n = len(relevance)
    free = np.ones(n, dtype=bool) if eligible is None else eligible.copy()
    k = max(0, min(k, int(free.sum())))
    residual = Residual(row, n)
    indices: list[int] = []
    values: list[float] = []
    spanned: list[float] = []
    for step in range(k):
        left = np.where(residual.left < VANISHED, 0.0, residual.left)
        value = weight * left
        i = best(value, relevance, free)
        indices.append(i)
        values.append(float(value[i]))
        spanned.append(float(1.0 - residual.left[i]))
        free[i] = False
        if step + 1 < k:
            residual.take(i)
    return Picks(np.array(indices, dtype=np.int64), np.array(values), np.array(spanned), max(0, k - 1) * n)
