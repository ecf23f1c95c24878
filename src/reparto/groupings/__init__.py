"""Groupings: methods of finding copies. One method a file, registered by entry point; collapse asks them in turn.

A grouping proposes *links* between entries in rank order: pairs that its thresholds hold to be the same, with the
numbers that were compared. Links are verified one by one; whether the two texts disagree in a fact is asked later, of
the pairs that collapse needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from reparto.contract.policy import Collapse
from reparto.groupings.compared import compared_texts
from reparto.kernels import Sketches, fingerprint
from reparto.model import Entry, Relation


@dataclass(frozen=True, slots=True)
class Link:
    """Entry `low` may be a copy of entry `high`. Indices in rank order; `high` need not rank higher.

    `resemblance` and `cosine` are symmetric, `containment` is the share of `low` that `high` has; None: not compared.
    """

    high: int
    low: int
    relation: Relation
    resemblance: float | None = None
    containment: float | None = None
    cosine: float | None = None

    def evidence(self) -> dict[str, float]:
        """The numbers compared, by the policy's names."""
        numbers = {"resemblance": self.resemblance, "containment": self.containment, "cosine": self.cosine}
        return {name: value for name, value in numbers.items() if value is not None}


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
        """Sketches of the texts as they are delivered."""
        return fingerprint([entry.text for entry in self.entries])

    @cached_property
    def texts(self) -> list[str]:
        """What of each text is compared: of mail the new part, of pages what is not a shared header or footer."""
        return compared_texts(self.entries)

    @cached_property
    def own(self) -> Sketches:
        """Sketches of `texts`."""
        if all(text is entry.text for text, entry in zip(self.texts, self.entries, strict=True)):
            return self.whole
        return fingerprint(self.texts)

    def share(self, high: int, low: int) -> tuple[float, float]:
        """Resemblance of two entries, and the containment of `low` in `high`; 0 where one is empty."""
        if self.same_form(high, low):
            return 1.0, 1.0
        a, b = self.own.of(high), self.own.of(low)
        limit = min(self.own.limits[high], self.own.limits[low])
        a, b = a[: np.searchsorted(a, limit, "right")], b[: np.searchsorted(b, limit, "right")]
        if not len(a) or not len(b):
            return 0.0, 0.0
        shared = len(np.intersect1d(a, b, assume_unique=True))
        return shared / (len(a) + len(b) - shared), shared / len(b)

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

    def links(self, compared: Compared) -> list[Link]:
        """Links among distinct texts, in any order."""
        ...
