"""The ranker's own first k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.bank import BankQuery


@dataclass(frozen=True)
class TopK:
    """Score descending, equal scores by id: what is delivered when nothing selects."""

    NAME: ClassVar[str] = "top-k"

    def missing(self, query: BankQuery) -> str | None:
        """Every query can be served."""
        return None

    def rank(self, query: BankQuery, k: int) -> list[str]:
        """The first k ids."""
        return [one.id for one in query.pool[:k]]
