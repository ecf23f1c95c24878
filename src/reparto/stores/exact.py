"""Exact nearest neighbours: one product with every vector, for stores that keep them in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reparto.errors import CorpusError, Problem
from reparto.stores.base import Matrix


class Vectors:
    """Unit rows with their numbers. Rows of length zero or with NaN stay zero: they are near to nothing.

    Cost of a search: n x d multiplications, whatever is allowed.
    """

    def __init__(self, numbers: NDArray[np.int64], rows: Matrix) -> None:
        self.numbers = numbers
        self.rows = unit(rows)

    def nearest(self, vector: Matrix, limit: int, allowed: NDArray[np.bool_] | None = None) -> list[tuple[int, float]]:
        """The `limit` allowed numbers of highest cosine, in -1..1, descending; ties by number. `allowed`: a mask."""
        if not len(self.numbers) or limit < 1:
            return []
        if vector.shape != (self.rows.shape[1],):
            message = f"a query vector of {vector.shape} numbers against stored ones of {self.rows.shape[1]}"
            raise CorpusError(Problem("vector_length", message, "use the embedder the store was made with"))
        cosines = self.rows @ unit(vector[None, :])[0]
        if allowed is not None:
            cosines = np.where(allowed, cosines, -np.inf)
        kept = min(limit, len(cosines))
        # The cut takes ties with it, so that the order of the rows cannot decide who is in.
        least = np.partition(cosines, len(cosines) - kept)[len(cosines) - kept]
        best = np.flatnonzero((cosines >= least) & np.isfinite(cosines))
        order = np.lexsort((self.numbers[best], -cosines[best]))
        chosen: Sequence[int] = best[order][: limit + len(order)].tolist()
        return [(int(self.numbers[i]), float(np.clip(cosines[i], -1, 1))) for i in chosen][:limit]


def unit(rows: Matrix) -> Matrix:
    """Rows scaled to length one; those that cannot be are zero."""
    clean = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0).astype(np.float32)
    length = np.linalg.norm(clean, axis=1, keepdims=True)
    scaled: Matrix = np.divide(clean, length, out=np.zeros_like(clean), where=length > 0)
    return scaled
