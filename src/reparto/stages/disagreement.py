"""Whether two near-identical texts disagree in a fact: asked of the pairs that collapse needs, remembered by pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reparto import kernels
from reparto.groupings import Compared

MOST = 64
"""Comparisons in which a text may be found to disagree; after that it is taken for no copy. Only pools where all is
near to all get there, and what it costs is a copy not recognised, never a false one."""


class Disagreement:
    """The fact guard over one set of compared entries. With `ignored`, nothing ever disagrees."""

    def __init__(self, compared: Compared, ignored: bool) -> None:
        self._compared, self._ignored = compared, ignored
        self._known: dict[tuple[int, int], list[list[str]] | None] = {}
        self._against: dict[int, dict[int, tuple[tuple[str, ...], tuple[str, ...]]]] = {}
        # The first disagreement of each entry, as numbers: with whom at which place (-1: none), and in which words.
        self._place = np.full(len(compared), -1, dtype=np.int64)
        self._words = np.full(len(compared), -1, dtype=np.int64)
        self._numbers: dict[object, int] = {}
        self._refused = np.zeros(len(compared), dtype=np.int64)

    def between(self, high: int, low: int, vectors_only: bool = False) -> list[list[str]] | None:
        """The disagreeing words of both texts, or None where they agree.

        Of texts that only vectors brought together there may be nothing to align: their figures are compared.
        """
        if self._ignored or self._compared.same_form(high, low):
            return None
        entries = self._compared.entries
        if vectors_only and not kernels.figures_agree(entries[high].text, entries[low].text):
            self._refused[low] += 1
            return list(kernels.figures_apart(entries[high].text, entries[low].text))
        pair = (high, low) if high < low else (low, high)
        if pair not in self._known:
            self._known[pair] = self._ask(*pair)
        return self._known[pair]

    def settled(self, centre: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the others are known to disagree with the centre, without a comparison, (p,).

        Two texts that disagree with a third at one place, each in its own way, disagree with one another: a template
        filled in a thousand ways is settled by a thousand comparisons, not by half a million.
        """
        known: NDArray[np.bool_] = self._refused[others] >= MOST
        if self._place[centre] >= 0:
            known |= (self._place[others] == self._place[centre]) & (self._words[others] != self._words[centre])
        return known

    def _ask(self, i: int, j: int) -> list[list[str]] | None:
        # The same place: the third text's own words in the difference are the same.
        for third, (place, words) in self._against.get(i, {}).items():
            other = self._against.get(j, {}).get(third)
            if other is not None and place and other[0] == place and other[1] != words:
                return [list(words), list(other[1])]
        verdict = kernels.facts(self._compared.entries[i].text, self._compared.entries[j].text)
        if not verdict.revision:
            return None
        self._refused[j] += 1
        place, words = tuple(verdict.ours), tuple(verdict.theirs)
        self._against.setdefault(j, {})[i] = (place, words)
        if place and self._place[j] < 0:
            self._place[j] = self._numbers.setdefault((i, place), len(self._numbers))
            self._words[j] = self._numbers.setdefault(words, len(self._numbers))
        return [list(verdict.ours), list(verdict.theirs)]
