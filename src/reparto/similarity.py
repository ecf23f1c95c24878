"""Similarity of two entries: cosine where both have vectors of a like name, else shingle resemblance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reparto import kernels
from reparto.kernels import COLLAPSE, Spec
from reparto.model import Entry, Floats, Vector
from reparto.resemblance import EXACT, resemblance_of
from reparto.signatures import sketches_of


def unit_rows(vectors: Sequence[Vector | None]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Stack 1-d vectors into unit rows (n, d); a missing vector is a zero row and False in the mask (n,).

    Norms are taken in float64, so that tiny and huge vectors neither vanish nor overflow.
    """
    present = np.array([one is not None for one in vectors], dtype=bool)
    some = [one for one in vectors if one is not None]
    if not some:
        return np.zeros((len(vectors), 0), dtype=np.float32), present
    own = kernels.unit_rows(some)
    if len(some) == len(vectors):
        return own, present
    rows: NDArray[np.float32] = np.zeros((len(vectors), own.shape[1]), dtype=np.float32)
    rows[present] = own
    return rows, present


class Similarity:
    """Pairwise similarity over n entries, a row at a time, (n,) float64 within [-1, 1].

    `fields` maps a vector field to unit rows (n, d) and a presence mask (n,). Of several like-named fields
    the largest cosine counts. Pairs without a common field take `lexical(i)`, a row of shingle resemblances
    (n,) in 0..1, which is only computed when some pair needs it. Cosines are multiples of 2**-20, summed in
    one order (`kernels.cosines`), so they depend on nothing but the two vectors. A row costs O(n d).
    """

    def __init__(
        self,
        n: int,
        fields: Mapping[str, tuple[NDArray[np.float32], NDArray[np.bool_]]],
        lexical: Callable[[int], Floats] | None = None,
    ) -> None:
        self.n, self.fields, self._lexical = n, fields, lexical
        everywhere = [rows for rows, present in fields.values() if present.all()]
        # The common case, one field that everyone has: objectives and kernels may use the rows themselves.
        self.rows: NDArray[np.float32] | None = everywhere[0] if len(fields) == 1 and everywhere else None
        self._cache: dict[int, Floats] = {}
        self._full: Floats | None = None

    def row(self, i: int) -> Floats:
        """Similarity of entry i to every entry; 1 at i itself."""
        if self._full is not None:
            own: Floats = self._full[i]
            return own
        if i not in self._cache:
            self._cache[i] = self._compute(i)
        return self._cache[i]

    def _compute(self, i: int) -> Floats:
        best = np.full(self.n, -np.inf)
        for rows, present in self.fields.values():
            if present[i]:
                cosine = kernels.cosines(rows, rows[i])
                best = np.where(present, np.maximum(best, cosine), best)
        missing = np.isneginf(best)
        if missing.any():
            best[missing] = self._lexical(i)[missing] if self._lexical is not None else 0.0
        best[i] = 1.0
        clipped: Floats = np.clip(best, -1.0, 1.0)
        return clipped

    def matrix(self) -> Floats:
        """All rows, (n, n), symmetric, computed once. O(n^2 d)."""
        if self._full is None:
            self._full = self._compute_all()
        return self._full

    def _compute_all(self) -> Floats:
        if self.rows is not None:
            cosines = kernels.cosine_matrix(self.rows)
            np.fill_diagonal(cosines, 1.0)
            return cosines
        best = np.full((self.n, self.n), -np.inf)
        for rows, present in self.fields.values():
            both = present[:, None] & present
            best = np.where(both, np.maximum(best, kernels.cosine_matrix(rows)), best)
        for i in np.flatnonzero(np.isneginf(best).any(axis=1)):
            missing = np.isneginf(best[i])
            best[i, missing] = self._lexical(int(i))[missing] if self._lexical is not None else 0.0
        np.fill_diagonal(best, 1.0)
        clipped: Floats = np.clip(best, -1.0, 1.0)
        return clipped


def similarity_of(entries: Sequence[Entry]) -> Similarity:
    """Similarity over entries: the vectors of their representatives, and texts where a pair has none in common."""
    names = sorted({name for entry in entries for name in entry.candidate.vectors})
    fields = {name: unit_rows([entry.candidate.vectors.get(name) for entry in entries]) for name in names}
    return Similarity(len(entries), fields, _Lexical(entries).row)


class _Lexical:
    """Rows of shingle resemblance, made when the first one is asked for."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._matrix: Floats | None = None

    def row(self, i: int) -> Floats:
        """Resemblance of entry i to every entry, (n,) in 0..1."""
        if self._matrix is None:
            self._matrix = resemblance_of(sketches_of(self._entries, Spec(COLLAPSE, least=EXACT)), least=1e-9)
        row: Floats = self._matrix[i]
        return row
