"""Without judgments: what each option takes out in duplicates and what it costs in relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reparto.evaluation.calibrate.options import Option
from reparto.evaluation.calibrate.trials import Table, Trials
from reparto.evaluation.measures import Measure
from reparto.evaluation.statistics import Interval, bootstrap

LAMBDAS = tuple(step / 20 for step in range(20, -1, -1))


@dataclass(frozen=True, slots=True)
class Point:
    """One policy: its mean rate of duplicates and mean loss of relevance; `front` when no other is
    better in both.
    """

    option: Option
    lam: float | None
    duplicates: float
    loss: Interval
    front: bool = False

    @property
    def label(self) -> str:
        """The option's name, with lambda."""
        return self.option.name if self.lam is None else f"{self.option.name}, lambda {self.lam:g}"


@dataclass(frozen=True, slots=True)
class Front:
    """All points, "off" first, and the choice: the fewest duplicates whose loss stays within `max_loss`."""

    points: tuple[Point, ...]
    choice: Point
    max_loss: float
    queries: int

    def sentence(self) -> str:
        """The choice in one sentence."""
        off, chosen = self.points[0], self.choice
        if chosen.option.name == off.option.name:
            bound = f"for a loss of {self.max_loss:g} or less"
            return f"leave it off: nothing takes out duplicates ({off.duplicates:.4f}) {bound}"
        return (
            f"{chosen.label}: duplicates {off.duplicates:.4f} -> {chosen.duplicates:.4f} for a loss of relevance of "
            f"{chosen.loss.mean:.4f} [{chosen.loss.low:.4f}, {chosen.loss.high:.4f}], at most {self.max_loss:g}"
        )


def pareto(trials: Trials, duplicates: Measure, loss: Measure, max_loss: float, seed: int = 0) -> Front:
    """The front over all options; MMR at 21 lambdas. The upper end of the loss's interval must stay within
    `max_loss`.

    Of equal points the one nearest "off" is chosen. Raises `ValueError` without a query that defines both.
    """
    first, second = trials.table(duplicates), trials.table(loss)
    if not len(first) or not len(second):
        raise ValueError("no query defines both measures for every option")
    points = _points(first, second, seed)
    marked = tuple(replace(one, front=not any(_beats(other, one) for other in points)) for one in points)
    allowed = [one for one in marked if one.loss.high <= max_loss or one is marked[0]]
    choice = min(allowed, key=lambda one: (round(one.duplicates, 9), marked.index(one)))
    return Front(marked, choice, max_loss, len(first))


def _points(duplicates: Table, loss: Table, seed: int) -> Sequence[Point]:
    found = []
    for j, option in enumerate(duplicates.options):
        rates, losses = duplicates.fixed[j], loss.fixed[j]
        if rates is not None and losses is not None:
            found.append(Point(option, None, float(rates.mean()), bootstrap(losses, seed=seed)))
            continue
        for lam in LAMBDAS:
            rate = np.mean([float(one.at(lam)) for one in duplicates.steps[j] or ()])
            lost = [float(one.at(lam)) for one in loss.steps[j] or ()]
            found.append(Point(option, lam, float(rate), bootstrap(lost, seed=seed)))
    return found


def _beats(one: Point, other: Point) -> bool:
    no_worse = one.duplicates <= other.duplicates and one.loss.mean <= other.loss.mean
    return no_worse and (one.duplicates < other.duplicates or one.loss.mean < other.loss.mean)
