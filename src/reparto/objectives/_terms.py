"""The terms of passages as columns, and sums over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reparto import kernels
from reparto.model import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Which distinct terms each of n passages holds.

    Those of passage i are `terms[offsets[i] : offsets[i + 1]]`, ascending; numbers run from 0 to `vocabulary` - 1.
    """

    terms: NDArray[np.int64]
    offsets: NDArray[np.int64]
    vocabulary: int

    def of(self, i: int) -> NDArray[np.int64]:
        """Give the term numbers of passage i."""
        return self.terms[self.offsets[i] : self.offsets[i + 1]]

    def counts(self) -> Floats:
        """Distinct terms of each passage, (n,)."""
        return np.diff(self.offsets).astype(np.float64)

    def sums(self, weights: Floats) -> Floats:
        """Sum over each passage's terms of `weights` (vocabulary,), (n,). O(m)."""
        return kernels.term_sums(self.terms, self.offsets, weights)

    def carried(self, weights: Floats) -> Floats:
        """Sum over the passages that hold each term of `weights` (n,), (vocabulary,). O(m)."""
        held = np.repeat(weights, np.diff(self.offsets))
        return np.bincount(self.terms, held, self.vocabulary).astype(np.float64)


def terms_of(texts: Sequence[str], query: str = "") -> Terms:
    """List the distinct terms of each text that the query does not hold. O(characters)."""
    return Terms(*kernels.terms(texts, query))
