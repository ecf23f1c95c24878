"""Texts to vectors some at a time, for embedders that take a bounded number at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray


def in_batches(
    embed: Callable[[Sequence[str]], NDArray[np.float32]], texts: Sequence[str], most: int, dimension: int
) -> NDArray[np.float32]:
    """Rows of `embed` over at most `most` texts at a time, shape (n, dimension), in order."""
    rows = [embed(texts[at : at + most]) for at in range(0, len(texts), most)]
    return np.concatenate(rows) if rows else np.zeros((0, dimension), np.float32)
