"""Vector: near vectors propose, and shared text confirms. Cosine alone is no proof that two texts say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reparto.contract.policy import Collapse
from reparto.groupings import Compared, Link
from reparto.model import Relation, Vector
from reparto.similarity import unit_rows

SLACK = 1e-3  # float32 rows propose a little below the threshold; float64 decides
SNAP = 1e-9  # a cosine this close to 1 is 1: identical vectors pass a threshold of 1
BLOCK = 1024  # rows of the similarity matrix held at a time


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

    def links(self, compared: Compared) -> list[Link]:
        """Pairs whose vectors are near and whose texts confirm it."""
        best: dict[tuple[int, int], float] = {}
        for field in sorted({name for entry in compared.entries for name in entry.candidate.vectors}):
            vectors = [entry.candidate.vectors.get(field) for entry in compared.entries]
            for pair in _near(vectors, self.cosine - SLACK):
                best[pair] = max(best.get(pair, -1.0), _exact_cosine(vectors[pair[0]], vectors[pair[1]]))
        found: list[Link] = []
        for (i, j), cosine in best.items():
            if cosine < self.cosine:
                continue
            resemblance, containment = compared.share(i, j) if compared.entries[j].text else (0.0, 0.0)
            if self.confirm == 0 or max(resemblance, containment) >= self.confirm:
                found.append(Link(i, j, Relation.VECTOR, resemblance, containment, cosine))
        return found


def _near(vectors: Sequence[Vector | None], least: float) -> list[tuple[int, int]]:
    rows, present = unit_rows(vectors)
    at = np.flatnonzero(present)
    rows = rows[at]
    found: list[tuple[int, int]] = []
    for start in range(0, len(at), BLOCK):
        i, j = np.nonzero(rows[start : start + BLOCK] @ rows[start:].T >= least)
        keep = i < j
        found += zip(at[start + i[keep]].tolist(), at[start + j[keep]].tolist(), strict=True)
    return found


def _exact_cosine(a: Vector | None, b: Vector | None) -> float:
    """Cosine in float64, within [-1, 1]; scaled by the largest number, so that no vector over- or underflows."""
    if a is None or b is None:
        return -1.0
    x, y = (np.asarray(one, dtype=np.float64) for one in (a, b))
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    cosine = float(np.dot(x, y) / np.sqrt(np.dot(x, x) * np.dot(y, y)))
    return 1.0 if cosine > 1.0 - SNAP else max(cosine, -1.0)
