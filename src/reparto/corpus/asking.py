"""Asking the guard: of every pair that decides, and ahead of time of those that surely will."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.guard import agree
from reparto.corpus.verify import Verified

Ints = NDArray[np.int64]
_BATCH = 256  # pairs of texts held by a thread at once
_FEW = 64  # pairs: fewer are asked as they come


class Asked:
    """Whether two texts agree, by rank: `asked(earlier, later)`. `text` and `source` give those of a rank.

    With `collapse` everything agrees and no text is read.
    """

    def __init__(self, text: Callable[[int], str], source: Callable[[int], str | None], collapse: bool = False) -> None:
        self.text, self.source, self.collapse = text, source, collapse
        self._known: dict[tuple[int, int], bool] = {}

    def __call__(self, earlier: int, later: int) -> bool:
        """Ask of one pair; O(characters)."""
        if self.collapse:
            return True
        known = self._known.pop((earlier, later), None)
        return _agree(self._pair(earlier, later)) if known is None else known

    def foresee(self, pairs: Verified) -> None:
        """Ask on all processors of the pairs that are sure to be asked of: each text with the first before it that
        nothing verified precedes, which therefore leads. The kernel lets go of the interpreter.
        """
        later, earlier = sure(pairs)
        workers = cpu_count() or 1
        if self.collapse or workers == 1 or len(later) < _FEW:
            return
        asked = list(zip(earlier.tolist(), later.tolist(), strict=True))
        with ThreadPoolExecutor(workers) as pool:
            waiting: list[tuple[list[tuple[int, int]], Future[list[bool]]]] = []
            for low in range(0, len(asked), _BATCH):
                some = asked[low : low + _BATCH]
                # Texts are read here, in one thread: what holds them keeps the last ones at hand.
                waiting.append((some, pool.submit(_all, [self._pair(*one) for one in some])))
                if len(waiting) > 2 * workers:
                    self._take(*waiting.pop(0))
            for one in waiting:
                self._take(*one)

    def _take(self, some: Sequence[tuple[int, int]], found: Future[list[bool]]) -> None:
        self._known.update(zip(some, found.result(), strict=True))

    def _pair(self, earlier: int, later: int) -> tuple[str, str, bool]:
        one, other = self.source(earlier), self.source(later)
        return self.text(earlier), self.text(later), one is None or other is None or one == other


def sure(pairs: Verified) -> tuple[Ints, Ints]:
    """(later, earlier) of the first pair of each later text whose earlier text is in no pair as the later one."""
    leads = ~np.isin(pairs.earlier, pairs.later)
    later, earlier = pairs.later[leads], pairs.earlier[leads]
    first = np.ones(len(later), dtype=bool)
    first[1:] = later[1:] != later[:-1]
    return later[first], earlier[first]


def _all(some: Sequence[tuple[str, str, bool]]) -> list[bool]:
    return [_agree(one) for one in some]


def _agree(pair: tuple[str, str, bool]) -> bool:
    return agree(*pair)
