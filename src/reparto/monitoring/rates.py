"""Duplicate rates with intervals: per class and day from the delivered sets, per source from the
candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from reparto.evaluation.statistics import Interval, bootstrap, wilson
from reparto.monitoring.observation import Observation

MANY = 50


@dataclass(frozen=True, slots=True)
class Rate:
    """Queries of one group and their mean duplicate rate before and after selection, with 95 % intervals."""

    name: str
    queries: int
    before: Interval
    after: Interval

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "name": self.name,
            "queries": self.queries,
            "before": _plain(self.before),
            "after": _plain(self.after),
        }


@dataclass(frozen=True, slots=True)
class SourceRate:
    """Candidates of one source and the share of them that were copies of another candidate, with a
    Wilson interval.
    """

    name: str
    candidates: int
    copies: int
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "name": self.name,
            "candidates": self.candidates,
            "copies": self.copies,
            **_plain(self.interval),
        }


@dataclass(frozen=True, slots=True)
class Rates:
    """All groups.

    `sources` are at most 50, those with most copies first; candidates without a source are left out.
    """

    overall: Rate
    classes: tuple[Rate, ...]
    days: tuple[Rate, ...]
    sources: tuple[SourceRate, ...]

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "overall": self.overall.to_dict(),
            "classes": [one.to_dict() for one in self.classes],
            "days": [one.to_dict() for one in self.days],
            "sources": [one.to_dict() for one in self.sources],
        }


def rates(observations: Sequence[Observation]) -> Rates:
    """Group the observations. Days are of UTC."""
    classes: dict[str, list[Observation]] = {}
    days: dict[str, list[Observation]] = {}
    for one in observations:
        classes.setdefault(one.query_class, []).append(one)
        days.setdefault(one.at.astimezone(UTC).date().isoformat(), []).append(one)
    return Rates(
        _rate("all", observations),
        tuple(_rate(name, part) for name, part in sorted(classes.items())),
        tuple(_rate(name, part) for name, part in sorted(days.items())),
        tuple(_sources(observations)),
    )


def _rate(name: str, part: Sequence[Observation]) -> Rate:
    before, after = (
        bootstrap([one.values[stream] for one in part], samples=1_000)
        for stream in ("duplicate_rate_before", "duplicate_rate_after")
    )
    return Rate(name, len(part), before, after)


def _sources(observations: Sequence[Observation]) -> list[SourceRate]:
    population: dict[str, int] = {}
    copies: dict[str, int] = {}
    for one in observations:
        for source, count in one.population.items():
            population[source] = population.get(source, 0) + count
        for source, count in one.copies.items():
            copies[source] = copies.get(source, 0) + count
    population.pop("", None)
    found = []
    for source, count in population.items():
        hits = copies.get(source, 0)
        found.append(SourceRate(source, count, hits, Interval(hits / count, *wilson(hits, count))))
    return sorted(found, key=lambda one: (-one.copies, one.name))[:MANY]


def _plain(interval: Interval) -> dict[str, float | None]:
    known = interval.mean == interval.mean
    return {name: getattr(interval, name) if known else None for name in ("mean", "low", "high")}
