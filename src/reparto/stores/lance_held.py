"""The vectors of a LanceDB table in memory: the exact answer, sooner than a scan of the table gives it."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from reparto.stores.base import Hit, Matrix, ordered
from reparto.stores.exact import Vectors
from reparto.stores.lance_rows import matrix


class Held:
    """Ids, leaders and vectors of one version of the table, from an Arrow table with those columns."""

    def __init__(self, version: int, table: Any, dimension: int) -> None:
        self.version = version
        self.ids: list[str] = table.column("id").to_pylist()
        self.by: list[str] = table.column("by").to_pylist()
        self.shown = np.array(table.column("shown").to_pylist(), dtype=bool)
        self.vectors = Vectors(np.arange(len(self.ids)), matrix(table.column("vector"), dimension))

    def nearest(self, vector: Matrix, limit: int, allowed: Set[str] | None) -> list[Hit]:
        """The nearest of those `allowed` by id; of those shown without it."""
        mask = self.shown
        if allowed is not None:
            mask = np.fromiter((id in allowed for id in self.ids), dtype=bool, count=len(self.ids))
        best = self.vectors.nearest(vector, limit, mask)
        return ordered((Hit(self.ids[number], score, self.by[number]) for number, score in best), limit)
