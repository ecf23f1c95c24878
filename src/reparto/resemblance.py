"""Resemblance for the report and the measures: word 5-shingles of the comparison form (9 characters where unspaced)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reparto.kernels import MEASURE, Sketches, Spec, Window, fingerprint, overlaps
from reparto.model import Floats

EXACT = 1 << 20  # far above any passage: sets are compared whole, not by a sample


def resemblance_matrix(texts: Sequence[str], least: float = 0.02, window: Window = MEASURE) -> Floats:
    """Jaccard of the shingle sets of every pair, (n, n) in 0..1; values below `least` are given as 0.

    1 on the diagonal, except that an empty text resembles nothing, itself included. Broder 1997. O(shared shingles).
    """
    return resemblance_of(fingerprint(texts, Spec(window=window, least=EXACT)), least)


def resemblance_of(sketches: Sketches, least: float) -> Floats:
    """As `resemblance_matrix`, from sketches that are there already. O(shared shingles)."""
    n = len(sketches)
    matrix = np.zeros((n, n))
    if n == 0:
        return matrix
    pairs = overlaps(sketches, least, None)
    leaders = sketches.leaders()
    matrix[pairs.i, pairs.j] = pairs.resemblance
    matrix[pairs.j, pairs.i] = pairs.resemblance
    leading = np.flatnonzero((leaders == np.arange(n)) & (sketches.characters > 0))
    matrix[leading, leading] = 1.0
    return matrix[np.ix_(leaders, leaders)]
