"""Vectors as Python gives them: lists of boxed numbers, arrays of several kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reparto.kernels.reference.cosine import summed


def floats(value: list[object]) -> NDArray[np.float64] | None:
    """A list of plain floats as an array, (n,); None where it holds anything else (an integer, a boolean)."""
    return np.array(value, dtype=np.float64) if set(map(type, value)) <= {float} else None


def unit_rows(vectors: Sequence[NDArray[np.floating]]) -> NDArray[np.float32]:
    """Vectors of one length (d,) divided by their lengths, (n, d); a zero vector stays. n at least 1. O(n d).

    Lengths are taken in float64, so that tiny and huge vectors neither vanish nor overflow, and summed in one order.
    """
    own = np.concatenate(vectors).reshape(len(vectors), -1).astype(np.float64)
    lengths = _lengths(own)
    extreme = ~((lengths > 1e-100) & (lengths < 1e100))
    if extreme.any():
        largest = np.abs(own[extreme]).max(axis=1, initial=0.0)
        own[extreme] /= np.where(largest > 0, largest, 1.0)[:, None]
        lengths[extreme] = _lengths(own[extreme])
    own /= np.where(lengths > 0, lengths, 1.0)[:, None]
    return own.astype(np.float32)


def _lengths(own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Square roots of the sums of squares, in the order in which cosines are summed, (n,)."""
    with np.errstate(over="ignore"):  # what is beyond measure is taken again
        lengths: NDArray[np.float64] = np.sqrt(summed(own * own))
    return lengths
