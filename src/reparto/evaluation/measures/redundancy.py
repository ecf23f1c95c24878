"""Seats that teach nothing new, by the judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures.base import Measure


@dataclass(frozen=True)
class RedundantSeats(Measure):
    """Share of the delivered passages whose facts are not empty and all covered by earlier ones. Lower is
    better.

    A passage without a fact is not redundant but useless; it is not counted here. A repeated id is redundant.
    """

    rel: int = 1

    NAME: ClassVar[str] = "RedundantSeats"
    BETTER: ClassVar[str] = "lower"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1, 0 for an empty list; None for a query without a judged fact."""
        level = delivery.judgments.level(self.rel)
        if level.n == 0:
            return None
        covered: set[int] = set()
        redundant = 0
        passages = delivery.first(self.cutoff)
        for passage in passages:
            facts = set(level.facts_of(passage.carries))
            redundant += bool(facts) and facts <= covered
            covered |= facts
        return redundant / len(passages) if passages else 0.0
