"""Duplicate rate over time, from the service's own selection log."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from reparto.errors import LogError, Problem
from reparto.monitoring.observation import Observation, observe
from reparto.monitoring.rates import Rate, rates

MOST_BYTES, MOST_RECORDS, MOST_BUCKETS = 64 * 2**20, 20_000, 60
LEFT, RIGHT, TOP, BOTTOM = 44.0, 630.0, 14.0, 200.0
WIDTH, HEIGHT = 640, 240


@dataclass(frozen=True, slots=True)
class Bucket:
    """Selections of one stretch of time and their mean duplicate rates, shares in 0..1."""

    name: str
    selections: int
    before: float
    after: float
    at: float  # place on the time axis


@dataclass(frozen=True, slots=True)
class History:
    """What to draw, and the numbers behind it. `partial` when only the end of a long log was read."""

    selections: int
    buckets: tuple[Bucket, ...]
    classes: tuple[Rate, ...]
    before: str
    after: str
    y_ticks: tuple[tuple[float, float], ...]
    x_labels: tuple[Bucket, ...]
    partial: bool
    unread: int

    def height(self, share: float) -> float:
        """Place of a share on the vertical axis."""
        return _up(share, self.y_ticks[-1][1])


# Coarse to fine: the first that gives at least this many points is taken.
LEAST_POINTS = 3
GRAINS: tuple[Callable[[datetime], str], ...] = (
    lambda at: f"{at:%Y-%m-%d}",
    lambda at: f"{at:%Y-%m-%d %H}:00",
    lambda at: f"{at:%Y-%m-%d %H:%M}",
)


def history(path: str | Path) -> History | None:
    """Read the end of a log (64 MiB or 20,000 records at most); None when it holds nothing yet.

    Raises `LogError` when it cannot be read. Lines that are no records are counted, not fatal: a page is no audit.
    """
    found, partial, unread = _tail(Path(path))
    if not found:
        return None
    found.sort(key=lambda one: one.at)
    names = _named(found)
    groups: dict[str, list[Observation]] = {}
    for name, one in zip(names, found, strict=True):
        groups.setdefault(name, []).append(one)
    last = list(groups.items())[-MOST_BUCKETS:]
    buckets = tuple(_bucket(name, own, i, len(last)) for i, (name, own) in enumerate(last))
    most = max(max(one.before, one.after) for one in buckets)
    apart = next(one for one in (0.05, 0.1, 0.2, 0.25) if one * 5 >= most or one == 0.25)
    marks = [apart * i for i in range(max(2, math.ceil(round(most / apart, 6))) + 1)]
    top = marks[-1]
    ticks = tuple((_up(value, top), value) for value in marks)
    every = max(1, -(-len(buckets) // 4))
    return History(
        len(found), buckets, rates(found).classes,
        _line([(one.at, _up(one.before, top)) for one in buckets]),
        _line([(one.at, _up(one.after, top)) for one in buckets]),
        ticks, buckets[::every], partial, unread,
    )  # fmt: skip


def _tail(path: Path) -> tuple[list[Observation], bool, int]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            start = max(0, size - MOST_BYTES)
            file.seek(start)
            raw = file.read()
    except FileNotFoundError:
        return [], False, 0
    except OSError as error:
        message = f"the selection log: {error.strerror or error}"
        raise LogError(Problem("unreadable", message, "the operator must make it readable")) from error
    lines = raw.split(b"\n")[1 if start else 0 :]
    lines = [line for line in lines if line.strip()]
    found, unread = [], 0
    for line in lines[-MOST_RECORDS:]:
        try:
            found.append(observe(json.loads(line)))
        except (KeyError, TypeError, ValueError, AttributeError):
            unread += 1
    return found, start > 0 or len(lines) > MOST_RECORDS, unread


def _named(found: Sequence[Observation]) -> list[str]:
    names: list[str] = []
    for grain in GRAINS:
        names = [grain(one.at) for one in found]
        if len(set(names)) >= LEAST_POINTS:
            break
    return names


def _bucket(name: str, own: Sequence[Observation], place: int, places: int) -> Bucket:
    at = LEFT + (RIGHT - LEFT) * ((place + 0.5) / places)
    before = sum(one.values["duplicate_rate_before"] for one in own) / len(own)
    after = sum(one.values["duplicate_rate_after"] for one in own) / len(own)
    return Bucket(name, len(own), before, after, round(at, 1))


def _up(share: float, top: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * share / top, 1)


def _line(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)
