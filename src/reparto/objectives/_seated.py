"""What most objectives keep while they run: the largest similarity of each entry to the seated ones."""

from __future__ import annotations

import numpy as np

from reparto.model import Floats
from reparto.objectives import Ground


class SeatedRun:
    """A run that tracks redundancy; objectives add their `gains`. O(n d) a seat."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._redundancy: Floats = np.zeros(len(ground.ids))
        self._seats = 0

    def redundancy(self) -> Floats:
        """Largest similarity of each entry to the seated ones, (n,) in [-1, 1]; 0 before the first seat."""
        return self._redundancy

    def take(self, i: int) -> None:
        """Seat entry i."""
        row = self._ground.similarity.row(i)
        # Unclipped: after the first seat a redundancy may be below the 0 that stood before it.
        self._redundancy = np.maximum(self._redundancy, row) if self._seats else row.copy()
        self._seats += 1
