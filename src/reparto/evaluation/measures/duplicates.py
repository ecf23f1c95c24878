"""Duplicates without judgments: passages whose texts resemble one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures.base import Measure, fraction
from reparto.evaluation.resemblance import alike


@dataclass(frozen=True)
class _Resembling(Measure):
    """Common part. `at` in 0..1 is the shingle Jaccard from which two texts resemble."""

    at: float = 0.6

    BETTER: ClassVar[str] = "lower"

    def check(self) -> str | None:
        """The threshold must lie in 0..1."""
        return fraction("at", self.at)

    def _pairs(self, delivery: Delivery) -> tuple[int, list[tuple[int, int]]] | None:
        texts = [passage.text for passage in delivery.first(self.cutoff)]
        if any(text is None for text in texts):
            return None
        return len(texts), alike([text or "" for text in texts], self.at)


@dataclass(frozen=True)
class DuplicateRate(_Resembling):
    """Share of the delivered passages that resemble another delivered one.

    Shingles of 5 words of the comparison form (9 characters where the script has no spaces; a shorter text is
    one shingle); two texts resemble when their Jaccard is at least `at`. Broder 1997. O(k^2) set operations.
    """

    NAME: ClassVar[str] = "DuplicateRate"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1, 0 for an empty list; None where a text is unknown."""
        found = self._pairs(delivery)
        if found is None:
            return None
        n, pairs = found
        return len({i for pair in pairs for i in pair}) / n if n else 0.0


@dataclass(frozen=True)
class RedundantRate(_Resembling):
    """Share of the delivered passages that resemble an earlier delivered one; shingles as in
    `DuplicateRate`.
    """

    NAME: ClassVar[str] = "RedundantRate"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1, 0 for an empty list; None where a text is unknown."""
        found = self._pairs(delivery)
        if found is None:
            return None
        n, pairs = found
        return len({later for _, later in pairs}) / n if n else 0.0
