"""Duplicates without judgments: passages whose texts resemble one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures.base import Measure, fraction
from reparto.resemblance import resemblance_matrix

LEAST = 0.02
ROUNDING = 1e-12


@dataclass(frozen=True)
class _Resembling(Measure):
    """Common part. `at` in 0..1 is the shingle Jaccard from which two texts resemble."""

    at: float = 0.6

    BETTER: ClassVar[str] = "lower"

    def check(self) -> str | None:
        """The threshold must lie in 0..1."""
        return fraction("at", self.at)

    def _alike(self, delivery: Delivery) -> NDArray[np.bool_] | None:
        """Which two passages resemble, (n, n), False on the diagonal; None where a text is unknown."""
        texts = [passage.text for passage in delivery.first(self.cutoff)]
        if any(text is None for text in texts):
            return None
        found = resemblance_matrix([text or "" for text in texts], least=min(self.at, LEAST))
        alike = (found >= self.at - ROUNDING) & (found > 0.0)
        np.fill_diagonal(alike, False)
        return alike


@dataclass(frozen=True)
class DuplicateRate(_Resembling):
    """Share of the delivered passages that resemble another delivered one.

    Shingles of 5 words of the comparison form (9 characters where the script has no spaces; a shorter text is
    one shingle); two texts resemble when their Jaccard is at least `at`. Broder 1997. O(k^2) set operations.
    """

    NAME: ClassVar[str] = "DuplicateRate"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1, 0 for an empty list; None where a text is unknown."""
        return _share(self._alike(delivery))


@dataclass(frozen=True)
class RedundantRate(_Resembling):
    """Share of the delivered passages that resemble an earlier delivered one; shingles as in
    `DuplicateRate`.
    """

    NAME: ClassVar[str] = "RedundantRate"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1, 0 for an empty list; None where a text is unknown."""
        alike = self._alike(delivery)
        return _share(None if alike is None else np.tril(alike))


def _share(alike: NDArray[np.bool_] | None) -> float | None:
    """Share of the rows that hold a True; 0 without rows."""
    if alike is None:
        return None
    return float(alike.any(axis=1).mean()) if len(alike) else 0.0
