"""Groupings: methods of finding copies. One method a file, registered by entry point; collapse asks them in turn.

A grouping proposes *links* between entries in rank order: pairs that its thresholds hold to be the same, with the
numbers that were compared. Links are verified one by one; whether the two texts disagree in a fact is asked later, of
the pairs that collapse needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from reparto.contract.policy import Collapse
from reparto.groupings.compared import compared_texts
from reparto.groupings.links import Ints, Link, Links
from reparto.groupings.mail import new_text
from reparto.kernels import Sketches, fingerprint, overlaps
from reparto.model import Entry, Floats
from reparto.signatures import sketches_of


class Compared:
    """Entries in rank order and what is compared of them, each computed once and only when asked for."""

    def __init__(self, entries: Sequence[Entry], whole: Sketches | None = None) -> None:
        self.entries = entries
        if whole is not None:
            self.whole = whole

    def __len__(self) -> int:
        """Number of entries."""
        return len(self.entries)

    @cached_property
    def whole(self) -> Sketches:
        """Sketches of the texts as they are delivered, from stored signatures where there are any."""
        return sketches_of(self.entries)

    @cached_property
    def messages(self) -> list[tuple[str, str]]:
        """Of each text its new part, and what it quotes: the text itself and "" where nothing is quoted."""
        return [new_text(entry.text) for entry in self.entries]

    @cached_property
    def texts(self) -> list[str]:
        """What of each text is compared: of mail the new part, of pages what is not a shared header or footer."""
        return compared_texts(self.entries, self.messages)

    @cached_property
    def own(self) -> Sketches:
        """Sketches of `texts`."""
        changed = [i for i, entry in enumerate(self.entries) if self.texts[i] is not entry.text]
        if not changed:
            return self.whole
        made = fingerprint([self.texts[i] for i in changed], self.whole.spec)
        rows = np.arange(len(self))
        rows[changed] = len(self) + np.arange(len(changed))
        return Sketches.joined([self.whole, made]).take(rows)

    def shared(self, high: Ints, low: Ints, least: float) -> tuple[Floats, Floats]:
        """Resemblance of pairs, and the containment of `low` in `high`; 0 where both are below `least`."""
        first = self.own.leaders()
        a, b = first[high], first[low]
        rows = np.unique(np.concatenate([a, b]))  # of most pools vectors bring few together
        pairs = overlaps(self.own.take(rows), least, least)
        known = rows[pairs.i] * len(self) + rows[pairs.j]  # sorted, as pairs and rows are
        keys = np.minimum(a, b) * len(self) + np.maximum(a, b)
        at = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
        found = known[at] == keys if len(known) else np.zeros(len(keys), dtype=bool)
        resemblance, containment = np.zeros(len(keys)), np.zeros(len(keys))
        resemblance[found] = pairs.resemblance[at[found]]
        upper = a < b
        containment[found] = np.where(upper[found], pairs.containing[at[found]], pairs.contained[at[found]])
        same = (a == b) & (self.own.characters[high] > 0)
        resemblance[same] = containment[same] = 1.0
        return resemblance, containment

    def same_form(self, high: int, low: int) -> bool:
        """Whether what is compared of the two is equal and not empty."""
        return bool(self.own.characters[high] > 0 and (self.own.digests[high] == self.own.digests[low]).all())


class Grouping(Protocol):
    """A method of finding copies, built from the collapse table of a policy."""

    name: ClassVar[str]

    @classmethod
    def of(cls, policy: Collapse) -> Grouping | None:
        """The grouping as the policy wants it; None where the policy switches it off."""
        ...

    def links(self, compared: Compared) -> Links:
        """Links among distinct texts, in any order."""
        ...


__all__ = ["Compared", "Grouping", "Link", "Links"]
