"""Cosine of unit rows in one fixed summation order, rounded to a grid: the same bits on every machine."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", bound=np.floating)

LANES = 32
"""Lanes of the fixed order: lane l sums the products of elements l, l + 32, ...; then halves are folded."""

BLOCK, CELLS = 16, 1 << 20
"""Rows taken at once, at most, and products held at a time: few calls on small pools, few megabytes on large ones."""

GRID = float(2**20)
"""Similarities are multiples of 1 / GRID, so that equal directions give exactly 1 and true ties stay ties."""


def cosines(rows: NDArray[np.float32], row: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosine of each of `rows` (n, d) with `row` (d,), all of unit length; (n,) within [-1, 1]. O(n d).

    A library's matrix product sums in an order that depends on the machine and on a row's place among the
    others; this one does not, so a candidate's similarity never depends on who else is in the pool.
    """
    return to_grid(summed(rows * row))


def summed(products: NDArray[Real]) -> NDArray[Real]:
    """Sum of each row of products (m, d), in the fixed order; (m,)."""
    m, width = products.shape
    lanes = np.zeros((m, LANES), dtype=products.dtype)
    for start in range(0, width - width % LANES, LANES):
        lanes += products[:, start : start + LANES]
    if rest := width % LANES:
        lanes[:, :rest] += products[:, width - rest :]
    half = LANES // 2
    while half:
        lanes = lanes[:, :half] + lanes[:, half : 2 * half]
        half //= 2
    return lanes[:, 0]


def cosine_matrix(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosines of all pairs of unit rows (n, d); (n, n), symmetric. O(n^2 d)."""
    n, width = rows.shape
    found = np.zeros((n, n))
    step = max(1, min(BLOCK, CELLS // max(1, n * width)))
    for start in range(0, n, step):  # the order of summation is the same both ways, so half of them do
        block = rows[start : start + step]
        products = (block[:, None] * rows[start:]).reshape(len(block) * (n - start), width)
        cosine = to_grid(summed(products)).reshape(len(block), n - start)
        found[start : start + step, start:] = cosine
        found[start:, start : start + step] = cosine.T
    return found


def to_grid(sums: NDArray[np.float32]) -> NDArray[np.float64]:
    """Round to multiples of 2**-20 (ties to even) and clip to [-1, 1]; never negative zero."""
    return np.clip(np.rint(sums.astype(np.float64) * GRID) / GRID, -1.0, 1.0) + 0.0
