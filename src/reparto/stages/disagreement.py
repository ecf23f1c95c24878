"""Whether two near-identical texts disagree in a fact: asked of the pairs that collapse needs, remembered by pair."""

from __future__ import annotations

from reparto import kernels
from reparto.groupings import Compared


class Disagreement:
    """The fact guard over one set of compared entries. With `ignored`, nothing ever disagrees."""

    def __init__(self, compared: Compared, ignored: bool) -> None:
        self._compared, self._ignored = compared, ignored
        self._known: dict[tuple[int, int], list[list[str]] | None] = {}
        self._against: dict[int, dict[int, tuple[tuple[str, ...], tuple[str, ...]]]] = {}

    def between(self, high: int, low: int, vectors_only: bool = False) -> list[list[str]] | None:
        """The disagreeing words of both texts, or None where they agree.

        Of texts that only vectors brought together there may be nothing to align: their figures are compared.
        """
        if self._ignored or self._compared.same_form(high, low):
            return None
        entries = self._compared.entries
        if vectors_only and not kernels.figures_agree(entries[high].text, entries[low].text):
            return [["figures or dates"], ["others"]]
        pair = (high, low) if high < low else (low, high)
        if pair not in self._known:
            self._known[pair] = self._ask(*pair)
        return self._known[pair]

    def _ask(self, i: int, j: int) -> list[list[str]] | None:
        # Two texts that disagree with a third at one place, each in its own way, disagree with one another: a template
        # filled in a thousand ways is settled by a thousand comparisons, not by half a million. The same place: the
        # third text's own words in the difference are the same.
        for third, (place, words) in self._against.get(i, {}).items():
            other = self._against.get(j, {}).get(third)
            if other is not None and place and other[0] == place and other[1] != words:
                return [list(words), list(other[1])]
        verdict = kernels.facts(self._compared.entries[i].text, self._compared.entries[j].text)
        if not verdict.revision:
            return None
        self._against.setdefault(j, {})[i] = (tuple(verdict.ours), tuple(verdict.theirs))
        return [list(verdict.ours), list(verdict.theirs)]
