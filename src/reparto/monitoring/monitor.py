"""The whole of `reparto monitor`: rates, rules, and a change detector for each class and stream."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reparto.contract.alerts import Alert
from reparto.monitoring.attribution import Origin, origins
from reparto.monitoring.detector import Baseline, Detector
from reparto.monitoring.observation import STREAMS, Observation
from reparto.monitoring.rates import Rates, rates
from reparto.monitoring.rules import Ruled, hold

LEAST = 50  # queries from which a baseline can be learnt
KINDS: Mapping[str, tuple[str, ...]] = {
    "duplicate_rate_before": ("copy", "merged", "revision"),
    "duplicate_rate_after": ("copy", "merged", "revision"),
    "copies": ("copy",),
    "merged": ("merged",),
    "revisions": ("revision",),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A rise in one stream of one class: from which query (counted from 1 after the baseline), seen at
    which, and why.
    """

    query_class: str
    stream: str
    baseline: Baseline
    since: int
    since_at: str
    seen: int
    seen_at: str
    mean_since: float
    origins: tuple[Origin, ...]

    def sentence(self) -> str:
        """In one line."""
        return (
            f"{self.stream} of {self.query_class} rose from {self.baseline.mean:.4f} (learnt on "
            f"{self.baseline.queries} queries) to {self.mean_since:.4f} since query {self.since}, {self.since_at}; "
            f"seen at query {self.seen}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "class": self.query_class,
            "stream": self.stream,
            "baseline": self.baseline.mean,
            "ceiling": self.baseline.ceiling,
            "since": self.since,
            "since_at": self.since_at,
            "seen": self.seen,
            "seen_at": self.seen_at,
            "mean_since": self.mean_since,
            "origins": [one.to_dict() for one in self.origins],
        }


@dataclass(frozen=True, slots=True)
class Monitored:
    """What a log says. `unlearnt` names the classes for which no baseline could be learnt."""

    rates: Rates
    rules: tuple[Ruled, ...]
    changes: tuple[Change, ...]
    unlearnt: tuple[str, ...]
    horizon: float
    notes: tuple[str, ...] = ()

    @property
    def alert(self) -> bool:
        """Whether a rule fires or something changed."""
        return bool(self.changes) or any(one.fires for one in self.rules)

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "alert": self.alert,
            "rates": self.rates.to_dict(),
            "rules": [one.to_dict() for one in self.rules],
            "changes": [one.to_dict() for one in self.changes],
            "unlearnt": list(self.unlearnt),
            "queries_to_a_false_alarm": self.horizon if math.isfinite(self.horizon) else None,
            "notes": list(self.notes),
        }


def monitor(
    observations: Sequence[Observation],
    rules: Mapping[str, Alert],
    baseline: Sequence[Observation] | None = None,
    learn: int = 500,
    horizon: float = 100_000.0,
) -> Monitored:
    """Watch a log. What is normal is learnt per class from `baseline`, or from the log's own first `learn`
    queries.

    With fewer queries than twice that, from the first half; below 50 nothing is learnt and no change is
    sought. `horizon` is the mean number of clean queries to a false alarm, over all streams of a class
    together, at least.
    """
    changes, unlearnt = [], []
    for name in sorted({one.query_class for one in observations}):
        seen = [one for one in observations if one.query_class == name]
        known = [one for one in baseline or () if one.query_class == name]
        if baseline is None:
            taken = learn if len(seen) >= 2 * learn else len(seen) // 2
            known, seen = seen[:taken], seen[taken:]
        if len(known) < LEAST:
            unlearnt.append(name)
            continue
        changes += [one for stream in STREAMS if (one := _watch(name, stream, known, seen, horizon)) is not None]
    changes.sort(key=lambda one: (one.seen, one.query_class, STREAMS.index(one.stream)))
    return Monitored(rates(observations), tuple(hold(rules, observations)), tuple(changes), tuple(unlearnt), horizon)


def _watch(
    name: str, stream: str, known: Sequence[Observation], seen: Sequence[Observation], horizon: float
) -> Change | None:
    baseline = Baseline.of([one.values[stream] for one in known])
    detector = Detector(baseline.ceiling, horizon * len(STREAMS))
    alarm = detector.first_alarm([one.values[stream] for one in seen])
    if alarm is None:
        return None
    found = origins([*known, *seen[: alarm.since]], seen[alarm.since : alarm.at + 1], KINDS[stream])
    first, last = seen[alarm.since], seen[alarm.at]
    return Change(
        name, stream, baseline, alarm.since + 1, first.at.isoformat(), alarm.at + 1, last.at.isoformat(),
        alarm.mean_since, tuple(found[:6]),
    )  # fmt: skip
