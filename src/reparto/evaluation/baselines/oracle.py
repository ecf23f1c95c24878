"""What a selector that knew the judgments would take: the ceiling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.bank import BankQuery


@dataclass(frozen=True)
class Oracle:
    """Greedy on the gain of alpha-nDCG over the pool; equal gains by rank."""

    alpha: float = 0.5

    NAME: ClassVar[str] = "oracle"

    def missing(self, query: BankQuery) -> str | None:
        """Needs judged facts."""
        return None if query.judgments.level().names else f"query {query.id!r} has no judged fact"

    def rank(self, query: BankQuery, k: int) -> list[str]:
        """Ids by gain. O(k * pool * facts)."""
        level = query.judgments.level()
        gain = [1.0] * len(level.names)
        left = [one.id for one in query.pool]
        taken: list[str] = []
        while left and len(taken) < k:
            best = max(range(len(left)), key=lambda i: (sum(gain[f] for f in level.facts_of((left[i],))), -i))
            taken.append(left.pop(best))
            for fact in level.facts_of((taken[-1],)):
                gain[fact] *= 1.0 - self.alpha
        return taken
