"""What the new duplicates have in common: which documents, sources, versions or other marks they come
from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reparto.monitoring.observation import Observation

SHOWN = 5
LEAST = 0.15  # a value that explains less of the rise is not worth a line
CONSTANT = 0.9  # a value that as many of the old duplicates had explains nothing


@dataclass(frozen=True, slots=True)
class Origin:
    """One mark of the duplicates that are too many.

    `share` of the excess in 0..1, `before` and `after` duplicates with this mark for each query; `new` when
    no duplicate had it before. `values` are the values named, the strongest first, and `count` how many there
    are.
    """

    field: str
    values: tuple[str, ...]
    count: int
    share: float
    before: float
    after: float
    new: bool

    def sentence(self) -> str:
        """In words, as a line of a report."""
        named = ", ".join(self.values) + (
            f" and {self.count - len(self.values)} more" if self.count > len(self.values) else ""
        )
        seen = "never among duplicates before" if self.new else f"{self.before:.2f} a query before"
        many = f"{self.count} values of {self.field}: " if self.count > 1 else f"{self.field} = "
        return f"{self.share:.0%} of the new duplicates: {many}{named} ({self.after:.2f} a query, {seen})"

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "field": self.field, "values": list(self.values), "count": self.count, "share": self.share,
            "before": self.before, "after": self.after, "new": self.new,
        }  # fmt: skip


def origins(before: Sequence[Observation], after: Sequence[Observation], kinds: Sequence[str]) -> list[Origin]:
    """The marks whose duplicates grew, most of the excess first, one line a field.

    Only duplicates of the given kinds count. A field is told by its fewest values that together explain most
    of what that field explains. O(duplicates * marks).
    """
    old, new = _counts(before, kinds), _counts(after, kinds)
    totals = [sum(one.kind in kinds for seen in part for one in seen.duplicates) for part in (before, after)]
    excess_in_all = totals[1] - totals[0] * len(after) / max(len(before), 1)
    if excess_in_all <= 0:
        return []
    found = [
        one
        for field in sorted(new)
        for one in _field(
            field, old.get(field, Counter()), new[field], len(before), len(after), excess_in_all, totals[0]
        )
    ]
    return sorted(found, key=lambda one: (-round(one.share, 2), not one.new, one.count, one.field))


def _field(
    field: str, old: Counter[str], new: Counter[str], before: int, after: int, whole: float, old_total: int
) -> Iterator[Origin]:
    scale = after / max(before, 1)
    constant = {value for value, count in old.items() if old_total and count >= CONSTANT * old_total}
    excess = {value: count - old[value] * scale for value, count in new.items() if value not in constant}
    rising = sorted(((value, more) for value, more in excess.items() if more > 0), key=lambda one: (-one[1], one[0]))
    grown = sum(more for _, more in rising)
    if grown < LEAST * whole:
        return
    kept, explained = [], 0.0
    for value, more in rising:
        kept.append(value)
        explained += more
        if explained >= 0.8 * grown:
            break
    told = sum(old[value] for value in kept)
    yield Origin(
        field, tuple(kept[:SHOWN]), len(kept), min(1.0, explained / whole), told / max(before, 1),
        sum(new[value] for value in kept) / max(after, 1), told == 0,
    )  # fmt: skip


def _counts(observations: Sequence[Observation], kinds: Sequence[str]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for seen in observations:
        for one in seen.duplicates:
            if one.kind in kinds:
                for field, value in one.origin.items():
                    found.setdefault(field, Counter())[value] += 1
    return found
