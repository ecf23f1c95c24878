"""Facts covered and relevance kept along lambda, as step lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures.recall import StRecall
from reparto.model import Entry
from reparto.service.inspector.inspection import Inspection

LEFT, RIGHT, TOP, BOTTOM = 44.0, 422.0, 14.0, 200.0
WIDTH, HEIGHT = 440, 240


@dataclass(frozen=True, slots=True)
class Point:
    """One stretch of lambda with both measures, each a share in 0..1; `facts` counts the distinct ones delivered."""

    low: float
    high: float
    coverage: float
    relevance: float
    facts: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: its place and its number."""

    at: float
    value: float


@dataclass(frozen=True, slots=True)
class Curve:
    """What to draw, in the units of a box of 440 by 240, and the numbers behind it."""

    points: tuple[Point, ...]
    coverage: str
    relevance: str
    by_rank: float  # height of the line for top-k
    by_rank_share: float
    here: tuple[float, float]  # left end and width of the present stretch
    now: Point
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    changes: str
    total: int


def covered(judgments: Judgments, carried: Sequence[tuple[str, ...]]) -> tuple[float, int]:
    """Share and number of distinct facts in a list of passages, each given by the ids it carries."""
    passages = [Passage(ids[0], ids) for ids in carried]
    share = StRecall().value(Delivery(passages, judgments, passages)) or 0.0
    return share, round(share * judgments.level(1).n)


def carries(entry: Entry) -> tuple[str, ...]:
    """The ids whose facts an entry delivers: its own, or its span's members."""
    return tuple(one.id for one in entry.absorbed) or (entry.id,)


def curve(seen: Inspection) -> Curve | None:
    """None without facts, without `mmr`, or without seats."""
    judgments, steps = seen.given.judgments, seen.steps
    if judgments is None or steps is None or not seen.selection.seats:
        return None
    entries = seen.seated.entries
    best = sum(one.relevance for one in entries[: len(seen.selection.seats)]) or 1.0
    points = []
    for one in steps.steps:
        seated = [entries[i] for i in one.picks]
        share, facts = covered(judgments, [carries(entry) for entry in seated])
        points.append(Point(one.low, one.high, share, min(1.0, sum(e.relevance for e in seated) / best), facts))
    by_rank, _ = covered(judgments, [(one.id,) for one in seen.first])
    least = min([by_rank] + [min(one.coverage, one.relevance) for one in points])
    apart = 0.1 if least >= 0.5 else 0.2
    ticks = math.ceil(round((1.0 - min(0.9, least)) / apart, 6))
    floor = 1.0 - ticks * apart
    now = points[seen.at]
    x, y = _across, _Up(floor)
    return Curve(
        tuple(points),
        _line([(one.low, one.high, one.coverage) for one in points], y),
        _line([(one.low, one.high, one.relevance) for one in points], y),
        y(by_rank), by_rank,
        (x(now.low), max(2.0, round(x(now.high) - x(now.low), 1))),
        now,
        tuple(Tick(x(value / 4), value / 4) for value in range(5)),
        tuple(Tick(y(value), value) for value in (1.0 - apart * i for i in range(ticks + 1))),
        "".join(f"M{x(one.low)} {BOTTOM}v6" for one in points[1:]),
        judgments.level(1).n,
    )  # fmt: skip


def _across(lam: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * lam, 1)


@dataclass(frozen=True, slots=True)
class _Up:
    floor: float

    def __call__(self, share: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (share - self.floor) / (1.0 - self.floor), 1)


def _line(stretches: Sequence[tuple[float, float, float]], y: _Up) -> str:
    start, *_ = stretches
    drawn = [f"M{_across(start[0])} {y(start[2])}"]
    for _, high, value in stretches:
        drawn.append(f"V{y(value)}H{_across(high)}")
    return "".join(drawn)
