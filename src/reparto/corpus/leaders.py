"""Leaders: who stands for whom. Documents in order of priority; each joins the first leader that verifies it.

No chains and no connected components: a document is compared with leaders alone, so every member of a group was verified
against the document that names it, and input order decides nothing. Facts have the last word: a text that resembles a
leader and disagrees with it in a figure, date or name stays apart and is linked as its revision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.verify import Verified

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NONE = -1


@dataclass(slots=True, eq=False)
class Assigned:
    """For each rank: its leader (itself when it leads) and the evidence; the leader it is a revision of and the first
    leader that contains it, -1 where there is none."""

    leader: Ints
    resemblance: Floats
    contained: Floats
    revision_of: Ints
    contained_in: Ints

    @classmethod
    def alone(cls, n: int) -> Assigned:
        """Everybody leads."""
        blank = np.full(n, np.nan)
        nobody = np.full(n, NONE, dtype=np.int64)
        return cls(np.arange(n), blank, blank.copy(), nobody, nobody.copy())


def priority(gold: Sequence[bool], instants: Floats, characters: Ints, ids: Sequence[str]) -> Ints:
    """Indices in order of priority: gold first, published ascending (absent, as infinity, last), longer first, id.

    O(n log n); ids are compared by code point, and only where all else is equal.
    """
    silver = ~np.asarray(gold, dtype=bool)
    order = np.lexsort((-characters, instants, silver))
    if not len(order):
        return order
    same = np.zeros(len(order), dtype=bool)
    same[1:] = (
        (silver[order][1:] == silver[order][:-1])
        & (instants[order][1:] == instants[order][:-1])
        & (characters[order][1:] == characters[order][:-1])
    )
    starts = np.flatnonzero(~same)
    ends = np.append(starts[1:], len(order))
    for low, high in zip(starts[ends - starts > 1].tolist(), ends[ends - starts > 1].tolist(), strict=True):
        order[low:high] = sorted(order[low:high].tolist(), key=ids.__getitem__)
    return order


def assign(n: int, pairs: Verified, agree: Callable[[int, int], bool]) -> Assigned:
    """Leaders of n ranks; `agree(earlier, later)` is asked of the pairs that decide, in order. O(n + pairs)."""
    found = Assigned.alone(n)
    leads = [True] * n
    bounds = np.searchsorted(pairs.later, np.unique(pairs.later)).tolist() + [len(pairs)]
    later, earlier, joins = pairs.later.tolist(), pairs.earlier.tolist(), pairs.joins.tolist()
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        own = later[low]
        for at in range(low, high):
            other = earlier[at]
            if not joins[at] or not leads[other]:
                continue
            if agree(other, own):
                leads[own] = False
                _join(found, own, other, pairs, at)
                break
            if found.revision_of[own] == NONE:
                found.revision_of[own] = other
                found.resemblance[own], found.contained[own] = pairs.resemblance[at], pairs.contained[at]
        if leads[own]:
            _fuller(found, own, pairs, range(low, high), leads, agree)
    return found


def _join(found: Assigned, own: int, leader: int, pairs: Verified, at: int) -> None:
    found.leader[own], found.revision_of[own] = leader, NONE
    found.resemblance[own], found.contained[own] = pairs.resemblance[at], pairs.contained[at]


def _fuller(
    found: Assigned, own: int, pairs: Verified, at: range, leads: list[bool], agree: Callable[[int, int], bool]
) -> None:
    """A leader whose text an earlier, shorter leader is part of: the earlier one is told of the first such."""
    for k in at:
        brief = int(pairs.earlier[k])
        if pairs.joins[k] or not leads[brief] or found.contained_in[brief] != NONE:
            continue
        if agree(brief, own):
            found.contained_in[brief] = own
