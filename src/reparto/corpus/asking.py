"""Asking the guard: of every pair that decides, most of them ahead of time and many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.guard import agree, agree_all
from reparto.corpus.verify import Verified

Ints = NDArray[np.int64]
Marks = NDArray[np.bool_]
_BATCH, _CHARACTERS = 1024, 8_000_000  # pairs of texts asked at once
_FEW = 64  # pairs: fewer are asked as they come
_ROUNDS = 16  # of chains that are longer the rest is asked as it comes


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
        return agree(*self._pair(earlier, later)) if known is None else known

    def foresee(self, pairs: Verified) -> None:
        """Ask on all processors of the pairs that `assign` will ask of, and of no others. O(their characters)."""
        if self.collapse or len(pairs) < _FEW:
            return
        walk = Walk(pairs)
        with ThreadPoolExecutor(1) as pool:
            for _ in range(_ROUNDS):
                later, earlier = walk.due()
                if not len(later):
                    return
                walk.answer(np.array(self._all(pool, earlier.tolist(), later.tolist()), dtype=bool))

    def _all(self, pool: ThreadPoolExecutor, earlier: Sequence[int], later: Sequence[int]) -> list[bool]:
        found: list[bool] = []
        waiting: Future[list[bool]] | None = None
        # Texts are read in this thread while those before them are compared: what holds them keeps some at hand.
        for some in self._batches(zip(earlier, later, strict=True)):
            found += waiting.result() if waiting else []
            waiting = pool.submit(agree_all, some)
        found += waiting.result() if waiting else []
        self._known.update(zip(zip(earlier, later, strict=True), found, strict=True))
        return found

    def _batches(self, ranks: Iterator[tuple[int, int]]) -> Iterator[list[tuple[str, str, bool]]]:
        some: list[tuple[str, str, bool]] = []
        held = 0
        for pair in ranks:
            some.append(self._pair(*pair))
            held += len(some[-1][0]) + len(some[-1][1])
            if len(some) == _BATCH or held > _CHARACTERS:
                yield some
                some, held = [], 0
        if some:
            yield some

    def _pair(self, earlier: int, later: int) -> tuple[str, str, bool]:
        one, other = self.source(earlier), self.source(later)
        return self.text(earlier), self.text(later), one is None or other is None or one == other


class Walk:
    """Which pairs decide, in rounds: a text is held against the first before it that leads, once that is known.

    A text leads when nothing verified is before it, or when it agrees with none of the leaders before it.
    """

    def __init__(self, pairs: Verified) -> None:
        self._earlier = pairs.earlier
        new = np.ones(len(pairs), dtype=bool)
        new[1:] = pairs.later[1:] != pairs.later[:-1]
        self._at = np.flatnonzero(new)  # of each later text the pair that it has come to
        self._end = np.append(self._at[1:], len(pairs))
        self._own = pairs.later[self._at]
        size = 1 + max(int(pairs.later.max(initial=0)), int(pairs.earlier.max(initial=0)))
        self._leads, self._follows = np.ones(size, dtype=bool), np.zeros(size, dtype=bool)
        self._leads[self._own] = False
        self._open = np.arange(len(self._own))
        self._asked = self._open[:0]

    def due(self) -> tuple[Ints, Ints]:
        """(later, earlier) of the pairs to ask of now; none when all is known."""
        while True:
            through = self._at[self._open] == self._end[self._open]
            self._leads[self._own[self._open[through]]] = True
            self._open = self._open[~through]
            passed = self._open[self._follows[self._earlier[self._at[self._open]]]]
            if not len(passed):
                break
            self._at[passed] += 1
        self._asked = self._open[self._leads[self._earlier[self._at[self._open]]]]
        return self._own[self._asked], self._earlier[self._at[self._asked]]

    def answer(self, agreed: Marks) -> None:
        """Whether the pairs that were due agree."""
        self._follows[self._own[self._asked[agreed]]] = True
        self._at[self._asked[~agreed]] += 1
        self._open = np.setdiff1d(self._open, self._asked[agreed], assume_unique=True)
