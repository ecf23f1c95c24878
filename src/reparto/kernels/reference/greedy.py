"""Greedy MMR seating under constraints, said plainly: every value of every step is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Row = Callable[[int], Floats]
"""Similarity of entry i to every entry, (n,) within [-1, 1]."""


class Picks(NamedTuple):
    """A selection in the order made: indices, values and redundancies, each (m,), and similarities done."""

    indices: Ints
    values: Floats
    redundancies: Floats
    dots: int


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What forbids a seat. All optional.

    `eligible` (n,) False never gets a seat. `codes` (n, f) are dense group codes in 0..n-1 for f fields, -1
    for no group; no group of field j takes more than `caps[j]` seats. `costs` (n,) and `limit`: what does not
    fit is passed over and the next one tried. `masks` (s, n): step t may only seat where masks[t] is True,
    unless no one is left there (a reserve never leaves a seat empty). `seated` hold seats already: they count
    for caps, costs and redundancy, not for k.
    """

    eligible: Bools | None = None
    codes: Ints | None = None
    caps: Ints | None = None
    costs: Ints | None = None
    limit: int | None = None
    masks: Bools | None = None
    seated: Sequence[int] = ()


def greedy(row: Row, relevance: Floats, k: int, lam: float, rules: Rules) -> Picks:
    """Up to k picks by lam * relevance - (1 - lam) * largest similarity to the seated. O(k n) and k rows.

    Before any seat the redundancy is 0, so the first is the highest relevance allowed. Equal values go to the
    higher relevance, then to the lower index.
    """
    n = len(relevance)
    free = np.ones(n, dtype=bool) if rules.eligible is None else rules.eligible.copy()
    redundancy = np.zeros(n)
    held = list(rules.seated)
    for place, i in enumerate(held):
        free[i] = False
        redundancy = row(i) if place == 0 else np.maximum(redundancy, row(i))
    indices: list[int] = []
    values: list[float] = []
    redundancies: list[float] = []
    while len(indices) < k:
        allowed = free & _within(rules, held, n)
        if rules.masks is not None and len(indices) < len(rules.masks):
            reserved = allowed & rules.masks[len(indices)]
            allowed = reserved if reserved.any() else allowed
        if not allowed.any():
            break
        value = lam * relevance - (1.0 - lam) * redundancy
        i = best(value, relevance, allowed)
        indices.append(i)
        values.append(float(value[i]))
        redundancies.append(float(redundancy[i]))
        free[i] = False
        held.append(i)
        if len(indices) < k:
            redundancy = row(i) if len(held) == 1 else np.maximum(redundancy, row(i))
    rows_done = max(0, len(held) - (1 if len(indices) == k and indices else 0))
    return Picks(np.array(indices, dtype=np.int64), np.array(values), np.array(redundancies), rows_done * n)


def best(value: Floats, relevance: Floats, allowed: Bools) -> int:
    """Index of the highest value among the allowed; ties by relevance, then lower index."""
    where = np.flatnonzero(allowed)
    where = where[value[where] == value[where].max()]
    where = where[relevance[where] == relevance[where].max()]
    return int(where[0])


def _within(rules: Rules, held: Sequence[int], n: int) -> Bools:
    """Where one more seat breaks neither a cap nor the limit, (n,)."""
    allowed = np.ones(n, dtype=bool)
    if rules.codes is not None and rules.caps is not None:
        for field, cap in enumerate(rules.caps):
            codes = rules.codes[:, field]
            used = np.bincount(codes[held][codes[held] >= 0], minlength=n)
            allowed &= (codes < 0) | (used[codes] < cap)
    if rules.costs is not None and rules.limit is not None:
        used_up = int(rules.costs[held].sum()) if held else 0
        allowed &= rules.costs <= rules.limit - used_up
    return allowed
