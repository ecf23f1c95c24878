"""Kernels of seating: arguments brought into shape, then the native module or the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reparto.kernels._choice import native
from reparto.kernels.reference import cosine as _cosine


def as_rows(rows: ArrayLike) -> NDArray[np.float32]:
    """Rows (n, d) as C-contiguous float32: the same array when it is that already, else one copy."""
    return np.ascontiguousarray(rows, dtype=np.float32)


def cosines(rows: ArrayLike, row: ArrayLike) -> NDArray[np.float64]:
    """Cosine of each unit row (n, d) with one unit vector (d,); (n,) within [-1, 1]. O(n d).

    Values are multiples of 2**-20. float16, float64 and strided input is accepted (one copy).
    """
    matrix, vector = as_rows(rows), np.ascontiguousarray(row, dtype=np.float32)
    module: Any = native()
    if module is None:
        return _cosine.cosines(matrix, vector)
    found: NDArray[np.float64] = module.cosines(matrix, vector)
    return found
