"""Vector: near vectors propose, and shared text confirms. Cosine alone is no proof that two texts say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reparto.contract.policy import Collapse
from reparto.groupings import Compared, Links
from reparto.groupings.links import Ints
from reparto.model import Floats, Relation, Vector
from reparto.similarity import unit_rows

SLACK = 1e-3  # float32 rows propose a little below the threshold; float64 decides
SNAP = 1e-9  # a cosine this close to 1 is 1: identical vectors pass a threshold of 1
BLOCK = 1024  # rows of the similarity matrix held at a time
CHUNK = 8192  # pairs whose float64 rows are held at a time


@dataclass(frozen=True, slots=True)
class VectorGrouping:
    """`cosine`: least cosine of like-named fields, the largest counts. `confirm`: least resemblance or containment.

    O(n^2 d) in blocks of rows, plus the confirmation of what was proposed.
    """

    name: ClassVar[str] = "vector"
    cosine: float
    confirm: float

    @classmethod
    def of(cls, policy: Collapse) -> VectorGrouping | None:
        """Off without a cosine threshold."""
        return None if policy.cosine is None else cls(policy.cosine, policy.confirm)

    def links(self, compared: Compared) -> Links:
        """Pairs whose vectors are near and whose texts confirm it."""
        n = len(compared)
        keys, cosines = np.zeros(0, dtype=np.int64), np.zeros(0)
        for field in sorted({name for entry in compared.entries for name in entry.candidate.vectors}):
            i, j, cosine = _near([entry.candidate.vectors.get(field) for entry in compared.entries], self.cosine)
            keys, cosines = np.concatenate([keys, i * n + j]), np.concatenate([cosines, cosine])
        order = np.lexsort((-cosines, keys))  # of several fields the largest cosine counts
        keys, cosines = keys[order], cosines[order]
        fresh = np.ones(len(keys), dtype=bool)
        fresh[1:] = keys[1:] != keys[:-1]
        high, low, cosines = keys[fresh] // max(n, 1), keys[fresh] % max(n, 1), cosines[fresh]
        if self.confirm == 0 or not len(high):
            return Links.columns(Relation.VECTOR, high, low, cosine=cosines)
        resemblance, containment = compared.shared(high, low, self.confirm)
        links = Links.columns(Relation.VECTOR, high, low, resemblance, containment, cosines)
        return links.keep(np.maximum(resemblance, containment) >= self.confirm)


def _near(vectors: Sequence[Vector | None], least: float) -> tuple[Ints, Ints, Floats]:
    """Pairs i < j of cosine at least `least`, and their cosine in float64."""
    rows, present = unit_rows(vectors)
    at = np.flatnonzero(present)
    rows = rows[at]
    found = [np.nonzero(rows[start : start + BLOCK] @ rows.T >= least - SLACK) for start in range(0, len(at), BLOCK)]
    i = np.concatenate([np.zeros(0, np.int64), *(a + BLOCK * block for block, (a, _) in enumerate(found))])
    j = np.concatenate([np.zeros(0, np.int64), *(b for _, b in found)])
    i, j = i[i < j], j[i < j]
    if not len(i):
        return i, j, np.zeros(0)
    wide = _unit_rows_wide([one for one in vectors if one is not None])
    cosine = np.concatenate(
        [np.einsum("ij,ij->i", wide[i[s : s + CHUNK]], wide[j[s : s + CHUNK]]) for s in range(0, len(i), CHUNK)]
    )
    cosine = np.where(cosine > 1.0 - SNAP, 1.0, np.maximum(cosine, -1.0))
    keep = cosine >= least
    return at[i[keep]], at[j[keep]], cosine[keep]


def _unit_rows_wide(vectors: Sequence[Vector | None]) -> Floats:
    """Unit rows in float64; scaled by the largest number first, so that none over- or underflows."""
    wide = np.array(vectors, dtype=np.float64)
    wide /= np.abs(wide).max(axis=1, keepdims=True)
    unit: Floats = wide / np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
    return unit
