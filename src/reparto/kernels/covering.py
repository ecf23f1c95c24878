"""The kernel of seating by coverage: the whole loop, constraints and reserves included, without the interpreter.

The reference is the loop itself, `stages.seat`, over the run of `objectives.coverage`: what is seated is the same.
Formulas stay there: the kernel is handed what they gave before the first seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reparto.kernels._choice import native
from reparto.kernels.reference.cosine import summed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rule = tuple[NDArray[np.bool_], int] | tuple[Ints, int, int, str]
"""A mask and when it is lifted; or codes and the most seats of one ("codes"), lengths and what is left ("tokens")."""
Wanted = tuple[Ints, bool, int, int]
"""Codes of a reserve, whether each counts once, within how many seats, how many are wanted."""


class Prepared(NamedTuple):
    """Coverage over n entries before the first seat; m is the number of those that are stood for.

    `worth`, `per_mass` (n,); `fresh` (vocabulary,) over terms[offsets[i]:offsets[i + 1]]; `near` (n, m), `weights`
    (m,). `most` and `powers`: of novelty and of breadth. Similarity as unit `rows` (n, d) or as a matrix (n, n).
    """

    worth: Floats
    per_mass: Floats
    fresh: Floats
    terms: Ints
    offsets: Ints
    near: Floats
    weights: Floats
    most: tuple[float, float]
    powers: tuple[float, float]
    band: float
    decay: float
    rows: NDArray[np.float32] | None
    similarity: Floats | None


class Seated(NamedTuple):
    """What was seated.

    `places` are (entry, redundancy, value, round, bound): -1 no bound, -2 a reserve, else the rule's place.
    `empty`: why seats stayed empty, -1 for want of entries, else the rule's place; None where none did. `got`, a
    number a reserve.
    """

    places: list[tuple[int, float, float, int, int]]
    over_budget: list[int]
    empty: int | None
    got: list[int]


def seat_coverage(prepared: Prepared, rules: Sequence[Rule], reserves: Sequence[Wanted], k: int) -> Seated | None:
    """Give up to k seats; None without native kernels: the caller has the loop. O(k (terms + n m)). GIL released."""
    module: Any = native()
    if module is None:
        return None
    return Seated(*module.seat_coverage(*prepared, rules=list(rules), reserves=list(reserves), k=k))


def stood_for(near: Floats, nearest: Floats, weights: Floats) -> Floats:
    """Sum of `weights` (m,) times what of `near` (n, m) is beyond `nearest` (m,), in the kernel's order; (n,)."""
    return summed(np.maximum(near - nearest, 0.0) * weights)
