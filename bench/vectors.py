"""Pools for the tables of seating: unit float32 vectors as an encoder gives them, and relevance in rank order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STORY = 20
"""Passages a story: in a crowded pool, one in so many is new."""


def crowded(rng: np.random.Generator, n: int, width: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Unit rows (n, width) around n / 20 stories, cosines from about .5 to .9, and relevance (n,) descending.

    Encoders leave a common direction in all their vectors, hence the 1 that every coordinate gets: cosines are
    positive, and the definitions of the peers, some of which clip at 0, agree.
    """
    stories = rng.normal(size=(max(2, n // STORY), width))
    return _pool(rng, stories[rng.integers(0, len(stories), n)] + 0.4 * rng.normal(size=(n, width)) + 1.0)


def spread(rng: np.random.Generator, n: int, width: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Unit rows (n, width) that are all equally new, cosines about .5, and relevance (n,) descending."""
    return _pool(rng, rng.normal(size=(n, width)) + 1.0)


def _pool(rng: np.random.Generator, wide: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    rows = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    # Float32 numbers: peers that keep relevance in single precision then see the same ranking, without ties.
    relevance = np.sort(rng.choice(2**22, size=len(wide), replace=False))[::-1] / 2.0**22
    return rows, np.ascontiguousarray(relevance)
