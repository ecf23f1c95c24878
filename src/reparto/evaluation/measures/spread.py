"""How many documents and sources a delivered set rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures.base import Measure


@dataclass(frozen=True)
class Documents(Measure):
    """Distinct parent documents among the delivered passages; one without a document is its own."""

    NAME: ClassVar[str] = "Documents"

    def value(self, delivery: Delivery) -> float | None:
        """From 0 to the number of passages."""
        passages = delivery.first(self.cutoff)
        return float(len({("document", one.document) if one.document else ("own", one.id) for one in passages}))


@dataclass(frozen=True)
class Sources(Measure):
    """Distinct sources (outlets, sites) among the delivered passages; one without a source is its own."""

    NAME: ClassVar[str] = "Sources"

    def value(self, delivery: Delivery) -> float | None:
        """From 0 to the number of passages."""
        passages = delivery.first(self.cutoff)
        return float(len({("source", one.source) if one.source else ("own", one.id) for one in passages}))
