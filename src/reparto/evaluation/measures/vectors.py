"""Duplicates and distance by vectors: a duplicate rate by cosine, and ILD."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.measures.base import Measure
from reparto.model import Floats
from reparto.similarity import unit_rows


@dataclass(frozen=True)
class VectorDuplicateRate(Measure):
    """Share of the delivered passages whose cosine to another delivered one is at least `at`, in -1..1."""

    at: float = 0.9

    NAME: ClassVar[str] = "VectorDuplicateRate"
    BETTER: ClassVar[str] = "lower"

    def check(self) -> str | None:
        """A cosine lies in -1..1."""
        return None if -1.0 <= self.at <= 1.0 else f"at = {self.at!r} is outside -1..1"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1, 0 for an empty list; None where passages share no vector field."""
        passages = delivery.first(self.cutoff)
        if not passages:
            return 0.0
        cosine = cosines(passages)
        if cosine is None:
            return None
        np.fill_diagonal(cosine, -np.inf)
        return float((cosine >= self.at - 1e-6).any(axis=1).mean())


@dataclass(frozen=True)
class ILD(Measure):
    """Intra-list distance: mean of 1 - cosine over the pairs of delivered passages (Ziegler et al., WWW
    2005).

    Reported, never tuned on: it rises with off-topic passages while the facts covered fall.
    """

    NAME: ClassVar[str] = "ILD"
    BETTER: ClassVar[str] = ""

    def value(self, delivery: Delivery) -> float | None:
        """In 0..2; None below two passages and where passages share no vector field."""
        passages = delivery.first(self.cutoff)
        cosine = cosines(passages) if len(passages) > 1 else None
        if cosine is None:
            return None
        above = np.triu_indices(len(passages), 1)
        return float(1.0 - cosine[above].mean())


def cosines(passages: Sequence[Passage]) -> Floats | None:
    """Cosine of each two passages, (n, n), the largest over like-named fields; None unless one field
    is everywhere.
    """
    names: set[str] = set.intersection(*(set(one.vectors) for one in passages)) if passages else set()
    best: Floats | None = None
    for name in sorted(names):
        rows, _ = unit_rows([one.vectors[name] for one in passages])
        found = np.clip(rows.astype(np.float64) @ rows.astype(np.float64).T, -1.0, 1.0)
        best = found if best is None else np.maximum(best, found)
    return best
