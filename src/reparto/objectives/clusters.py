"""One seat a cluster, clusters by their best member, then round again: breadth before depth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reparto.model import Floats
from reparto.objectives import Ground
from reparto.objectives._seated import SeatedRun
from reparto.similarity import Similarity


@dataclass(frozen=True, slots=True)
class Clusters:
    """Value = relevance of the best of the entry's cluster, less 2 for every seat the cluster has.

    Clusters are stars in rank order: the best entry that is in none opens one and takes every free entry at
    least `threshold` similar to it. Equal values go to the more relevant entry, so a cluster sends its best
    first and, when seats outnumber clusters, its second best in the next round.
    """

    name: ClassVar[str] = "clusters"
    falling: ClassVar[bool] = True
    threshold: float = field(
        default=0.6,
        metadata={"key": "threshold", "range": (-1.0, 1.0), "doc": "least similarity to a cluster's centre"},
    )

    def start(self, ground: Ground) -> ClustersRun:
        """Open a run over a ground of n entries. O(n d) a cluster."""
        return ClustersRun(ground, stars(ground.similarity, self.threshold))


def stars(similarity: Similarity, threshold: float) -> NDArray[np.int64]:
    """Star clusters over entries in rank order, (n,): the index of each entry's centre. O(n d) a centre."""
    centre = np.full(similarity.n, -1, dtype=np.int64)
    for i in range(similarity.n):
        if centre[i] < 0:
            centre[(centre < 0) & (similarity.row(i) >= threshold)] = i
            centre[i] = i
    return centre


class ClustersRun(SeatedRun):
    """A run of clusters. An entry's value only falls."""

    def __init__(self, ground: Ground, centre: NDArray[np.int64]) -> None:
        super().__init__(ground)
        self._centre = centre
        self._gains: Floats = ground.relevance[centre].astype(np.float64)

    def gains(self) -> Floats:
        """Relevance of the cluster's best less 2 a seat it has, (n,); at most 1."""
        return self._gains

    def take(self, i: int) -> None:
        """Seat entry i; its cluster waits for the next round."""
        super().take(i)
        # 2 a round, not 1: relevance spans 0..1, and round two must stay below all of round one.
        self._gains = np.where(self._centre == self._centre[i], self._gains - 2.0, self._gains)
