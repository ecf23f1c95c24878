"""All pairs of texts that share enough, and groups around the best of them.

Exact copies are taken together first (`Sketches.leaders`), so n copies of one text cost nothing. What is left goes
through an inverted list: only hashes that two texts have in common are looked at, never two texts for the sake of it. A
text that has too many hashes of its own is in no pair (prefix filtering: Chaudhuri, Ganti and Kaushik 2006, Bayardo,
Ma and Srikant 2007), and the rarest hashes propose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reparto.kernels.reference.sketch import Sketches

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_DENSE = 40_000_000  # cells of a 0/1 matrix that are still cheaper than lists


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs i < j, sorted, each array (p,). `contained` is the share of i's shingles that j has, `containing` the
    share of j's that i has; all values within 0..1.
    """

    i: Ints
    j: Ints
    resemblance: Floats
    contained: Floats
    containing: Floats

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.i)


def overlaps(sketches: Sketches, resemblance: float | None, containment: float | None) -> Pairs:
    """Pairs of different forms that reach either threshold (`None` = not asked for), i < j.

    Of exact copies only the first takes part: see `Sketches.leaders`. Empty texts are in no pair. Resemblance is the
    Jaccard of the shingle sets, containment the share of one set that the other has. O(hashes log hashes + pairs).
    """
    asked = [value for value in (resemblance, containment) if value is not None]
    if not asked:
        return _pairs(*(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 3)
    lists = _Lists(sketches)
    least = max(min(asked), 1e-9)
    if len(lists.texts) * lists.vocabulary <= _DENSE:
        i, j, shared = lists.multiply()
    else:
        i, j, shared = lists.look_up(*lists.propose(least))
    own_i, own_j = _below(sketches, i, j)
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = shared / (own_i + own_j - shared)
        contained, containing = shared / own_i, shared / own_j
    keep = np.zeros(len(i), dtype=bool)
    if resemblance is not None:
        keep |= alike >= resemblance
    if containment is not None:
        keep |= (contained >= containment) | (containing >= containment)
    return _pairs(i[keep], j[keep], alike[keep], contained[keep], containing[keep])


def _pairs(i: Ints, j: Ints, alike: Floats, contained: Floats, containing: Floats) -> Pairs:
    order = np.lexsort((j, i))
    return Pairs(i[order], j[order], alike[order], contained[order], containing[order])


def _below(sketches: Sketches, i: Ints, j: Ints) -> tuple[Ints, Ints]:
    """Sizes of both sketches up to the limit that both are complete to."""
    sizes = np.diff(sketches.offsets)
    own_i, own_j = sizes[i], sizes[j]
    for at in np.flatnonzero(sketches.limits[i] != sketches.limits[j]):
        limit = min(sketches.limits[i[at]], sketches.limits[j[at]])
        own_i[at] = np.searchsorted(sketches.of(i[at]), limit, side="right")
        own_j[at] = np.searchsorted(sketches.of(j[at]), limit, side="right")
    return own_i, own_j


class _Lists:
    """The inverted list: hashes that at least two of the distinct texts have, as dense numbers."""

    def __init__(self, sketches: Sketches) -> None:
        leaders = sketches.leaders()
        sizes = np.diff(sketches.offsets)
        self.texts = np.flatnonzero((leaders == np.arange(len(sketches))) & (sizes > 0))
        self.sizes = self.below = sizes[self.texts]
        floor = sketches.limits[self.texts].min(initial=2**64 - 1)
        if (sketches.limits[self.texts] > floor).any():
            self.below = np.array([np.searchsorted(sketches.of(i), floor, side="right") for i in self.texts.tolist()])
        alone = len(self.texts) == len(sketches)
        hashes = (
            sketches.hashes
            if alone
            else np.concatenate([np.zeros(0, np.uint64), *map(sketches.of, self.texts.tolist())])
        )
        owners = np.repeat(np.arange(len(self.texts)), self.sizes)
        order = np.argsort(hashes)
        ranked, owners = hashes[order], owners[order]
        new = np.ones(len(ranked), dtype=bool)
        new[1:] = ranked[1:] != ranked[:-1]
        number = np.cumsum(new) - 1
        often = np.bincount(number) if len(number) else np.zeros(0, np.int64)
        kept = often[number] > 1
        renumber = np.cumsum(often > 1) - 1
        self.owners = owners[kept]
        self.numbers = renumber[number[kept]] if len(number) else number
        self.often = often[often > 1]
        self.vocabulary = len(self.often)

    def multiply(self) -> tuple[Ints, Ints, Ints]:
        """Shared counts of all pairs that share anything, as the product of a 0/1 matrix with itself."""
        n = len(self.texts)
        table = np.zeros((n, self.vocabulary), dtype=np.float32)
        table[self.owners, self.numbers] = 1.0
        shared = np.triu((table @ table.T).astype(np.int64), 1)
        a, b = np.nonzero(shared)
        return self.texts[a], self.texts[b], shared[a, b]

    def propose(self, least: float) -> tuple[Ints, Ints]:
        """Pairs (a, b) that may share at least `least` of a, by the rarest hashes of a."""
        n = len(self.texts)
        order = np.lexsort((self.numbers, self.often[self.numbers], self.owners))
        owners, numbers = self.owners[order], self.numbers[order]
        mine = np.bincount(owners, minlength=n)
        # Against a sketch that is complete to a lower limit, only the hashes below that limit count.
        needed = np.ceil(least * self.below - 1e-9).astype(np.int64).clip(1)
        # Of `size` hashes, any size - needed + 1 contain one of the shared; hashes of its own count as the rarest.
        prefix = (self.sizes - needed + 1) - (self.sizes - mine)
        place = np.arange(len(owners)) - np.repeat(np.cumsum(mine) - mine, mine)
        chosen = place < prefix[owners]
        starts = np.concatenate([[0], np.cumsum(self.often)])
        found: list[Ints] = []
        for part in np.array_split(np.flatnonzero(chosen), max(1, int(self.often[numbers[chosen]].sum() // 5_000_000))):
            counts = self.often[numbers[part]]
            firsts = np.repeat(starts[numbers[part]] - (np.cumsum(counts) - counts), counts)
            others = self.owners[firsts + np.arange(int(counts.sum()))]
            a = np.repeat(owners[part], counts)
            low, high = np.minimum(a, others), np.maximum(a, others)
            found.append(np.unique((low * n + high)[low != high]))
        keys = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
        return keys // max(n, 1), keys % max(n, 1)

    def look_up(self, a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
        """Shared counts of the proposed pairs."""
        order = np.lexsort((self.numbers, self.owners))
        owners, numbers = self.owners[order], self.numbers[order]
        mine = np.bincount(owners, minlength=len(self.texts))
        starts = np.cumsum(mine) - mine
        keys = owners * self.vocabulary + numbers
        shared = np.zeros(len(a), dtype=np.int64)
        swap = mine[b] < mine[a]
        small, large = np.where(swap, b, a), np.where(swap, a, b)
        step = max(1, 4_000_000 // max(1, int(mine.max(initial=1))))
        for low in range(0, len(a), step):
            s, big = small[low : low + step], large[low : low + step]
            counts = mine[s]
            at = np.repeat(starts[s] - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
            wanted = np.repeat(big, counts) * self.vocabulary + numbers[at]
            place = np.searchsorted(keys, wanted)
            hit = keys[np.minimum(place, len(keys) - 1)] == wanted
            shared[low : low + step] = np.bincount(np.repeat(np.arange(len(s)), counts)[hit], minlength=len(s))
        return self.texts[a], self.texts[b], shared


def star(n: int, pairs: Iterable[tuple[int, int]], accept: Callable[[int, int], bool] | None = None) -> Ints:
    """Star groups in rank order: the first unassigned text is a centre and takes what is paired with it.

    `pairs` are (i, j), i ranking before j; `accept(centre, other)` has the last word on each pair that is needed, and
    is asked about the centre alone, so nothing is chained. Returns the centre of each text, (n,). O(n + pairs).
    """
    after: list[list[int]] = [[] for _ in range(n)]
    for i, j in pairs:
        after[i].append(j)
    centre = np.full(n, -1, dtype=np.int64)
    for i in range(n):
        if centre[i] >= 0:
            continue
        centre[i] = i
        for j in sorted(after[i]):
            if centre[j] < 0 and (accept is None or accept(i, j)):
                centre[j] = i
    return centre
