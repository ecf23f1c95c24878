"""Leaders: who stands for whom. Documents in order of priority; each joins the first leader that verifies it.

No chains and no connected components: a document is compared with leaders alone, so every member of a group was
verified
against the document that names it, and input order decides nothing. Facts have the last word: a text that resembles a
leader and disagrees with it in a figure, date or name stays apart and is linked as its revision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.verify import Verified
from reparto.kernels import native

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
NONE = -1


@dataclass(slots=True, eq=False)
class Assigned:
    """For each rank its leader (itself when it leads), the evidence, and what it is a revision of (-1: nothing)."""

    leader: Ints
    resemblance: Floats
    contained: Floats
    revision_of: Ints

    @classmethod
    def alone(cls, n: int) -> Assigned:
        """Everybody leads."""
        blank = np.full(n, np.nan)
        return cls(np.arange(n), blank, blank.copy(), np.full(n, NONE, dtype=np.int64))


def priority(gold: Marks, instants: Floats, characters: Ints, ids: Sequence[str]) -> Ints:
    """Indices in order of priority: gold first, published ascending (absent, as infinity, last), longer first, id.

    O(n log n); ids are compared by code point, and only where all else is equal.
    """
    module = native()
    if module is not None:
        try:
            marks, moments = np.ascontiguousarray(gold, bool), np.ascontiguousarray(instants, np.float64)
            quick: Ints = module.priority_order(marks, moments, np.ascontiguousarray(characters, np.int64), list(ids))
            return quick
        except UnicodeEncodeError:  # a lone surrogate among them
            pass
    silver = ~np.asarray(gold, dtype=bool)
    order = np.lexsort((-characters, instants, silver))
    same = np.zeros(len(order), dtype=bool)
    for column in (silver, instants, characters):
        ranked = column[order]
        same[1:] |= ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(same)
    starts = np.concatenate([np.zeros(min(1, len(order)), np.int64), starts])
    ends = np.append(starts[1:], len(order))
    tied = ends - starts > 1
    for low, high in zip(starts[tied].tolist(), ends[tied].tolist(), strict=True):
        order[low:high] = sorted(order[low:high].tolist(), key=ids.__getitem__)
    return order


def assign(n: int, pairs: Verified, agree: Callable[[int, int], bool]) -> Assigned:
    """Leaders of n ranks; `agree(earlier, later)` is asked of the pairs that decide, in order. O(n + pairs)."""
    found = Assigned.alone(n)
    leads = np.ones(n, dtype=bool).tolist()
    later, earlier = pairs.later.tolist(), pairs.earlier.tolist()
    changes = np.flatnonzero(pairs.later[1:] != pairs.later[:-1]) + 1
    bounds = [0, *changes.tolist(), len(pairs)] if len(pairs) else []
    for low, high in pairwise(bounds):
        settle(found, later[low], earlier[low:high], low, pairs, leads.__getitem__, agree)
        leads[later[low]] = bool(found.leader[later[low]] == later[low])
    return found


def settle(
    found: Assigned, own: int, others: Sequence[int], start: int, pairs: Verified,
    leads: Callable[[int], bool], agree: Callable[[int, int], bool],
) -> None:  # fmt: skip
    """Find the place of one document among the leaders before it: `others` in order of rank, pair `start` and on."""
    found.leader[own], found.revision_of[own] = own, NONE
    found.resemblance[own] = found.contained[own] = np.nan
    for at, other in enumerate(others, start):
        if not leads(other):
            continue
        joins = agree(other, own)
        if joins or found.revision_of[own] == NONE:
            found.resemblance[own], found.contained[own] = pairs.resemblance[at], pairs.contained[at]
        if joins:
            found.leader[own], found.revision_of[own] = other, NONE
            return
        if found.revision_of[own] == NONE:
            found.revision_of[own] = other
