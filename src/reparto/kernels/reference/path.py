"""Every distinct MMR selection over lambda in [0, 1], with the lambdas at which it changes.

At each greedy step an entry's value is a line in lambda, lambda * (relevance + redundancy) - redundancy, so
the winners over an interval are the upper envelope of lines; each piece of it is an interval for the next
step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from reparto.kernels.reference.greedy import Bools, Floats, Ints, Row, best


class Path(NamedTuple):
    """Selection picks[r] (k,) holds for lambda in [starts[r], starts[r + 1]), the last one up to 1 inclusive.

    A last start of exactly 1 is the plain ranking, where it differs from the limit: at lambda = 1 alone,
    equal relevance is no longer told apart by redundancy.
    """

    starts: Floats
    picks: Ints


def mmr_path(row: Row, relevance: Floats, k: int, eligible: Bools | None = None) -> Path:
    """Walk the whole path of an unconstrained MMR run (ties as in `greedy`). A step of a piece costs O(n).

    Breakpoints are correct to rounding, about 1e-15; two closer than that may merge.
    """
    allowed = np.ones(len(relevance), dtype=bool) if eligible is None else eligible
    k = max(0, min(k, int(allowed.sum())))
    if k == 0:
        return Path(np.zeros(1), np.zeros((1, 0), dtype=np.int64))
    rows: dict[int, Floats] = {}
    starts: list[float] = []
    picks: list[tuple[int, ...]] = []
    first = best(relevance, relevance, allowed)
    open_pieces: list[tuple[tuple[int, ...], Floats, float, float]] = [
        ((first,), np.full(len(relevance), -1.0), 0.0, 1.0)
    ]
    while open_pieces:
        chosen, redundancy, low, high = open_pieces.pop()
        if len(chosen) == k:
            starts.append(low)
            picks.append(chosen)
            continue
        if chosen[-1] not in rows:
            rows[chosen[-1]] = row(chosen[-1])
        redundancy = np.maximum(redundancy, rows[chosen[-1]])
        free = allowed.copy()
        free[list(chosen)] = False
        pieces = list(_envelope(relevance, redundancy, free, low, high))
        for i, start, end in reversed(pieces):  # the leftmost is taken up first
            open_pieces.append(((*chosen, i), redundancy, start, end))
    where = np.flatnonzero(allowed)
    ranking = tuple(int(i) for i in where[np.argsort(-relevance[where], kind="stable")][:k])
    if picks[-1] != ranking:
        starts.append(1.0)
        picks.append(ranking)
    return Path(np.array(starts), np.array(picks, dtype=np.int64).reshape(len(picks), k))


def _envelope(
    relevance: Floats, redundancy: Floats, free: Bools, low: float, high: float
) -> Iterator[tuple[int, float, float]]:
    """Winners over [low, high): (entry, start, end), left to right. O(n) a winner."""
    where = np.flatnonzero(free)
    rel, red = relevance[where], redundancy[where]
    # At the left end a tie goes to the steeper line, the more relevant one: it wins to the right.
    now = _first(low * rel - (1.0 - low) * red, rel + red)
    start = low
    passed = np.zeros(len(where), dtype=bool)
    while True:
        passed[now] = True  # a line wins once; said outright, so that rounding cannot make a circle
        rise = red - red[now]  # differences, not lines: redundancies lie on a grid, so theirs are exact
        steeper = (rel - rel[now]) + rise
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = np.where((steeper > 0) & ~passed, rise / steeper, np.inf)
        crossing = np.maximum(crossing, start)
        end = float(crossing.min())
        if end >= high:
            yield int(where[now]), start, high
            return
        if end > start:
            yield int(where[now]), start, end
        now = _first(-crossing, steeper)
        start = end


def _first(value: Floats, slope: Floats) -> int:
    """Place of the highest value; ties by slope, then lower place."""
    tied = np.flatnonzero(value == value.max())
    return int(tied[np.argmax(slope[tied])])
