"""Vectors as Python gives them: lists of boxed numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def floats(value: list[object]) -> NDArray[np.float64] | None:
    """A list of plain floats as an array, (n,); None where it holds anything else (an integer, a boolean)."""
    return np.array(value, dtype=np.float64) if set(map(type, value)) <= {float} else None
