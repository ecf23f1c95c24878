"""The values of an objective as lines in lambda, where they are such."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from reparto.model import Floats
from reparto.objectives import Ground, Objective, Run

AT = (LOW, MIDDLE, HIGH) = (0.25, 0.5, 0.75)
TINY = 1e-300
CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """With some seats given: each entry's value, or its logarithm, is `start + slope * lambda`; both (n,).

    `straight` is False where a third lambda does not lie on the line. `redundancy` is the largest similarity to the
    seats, (n,).
    """

    start: Floats
    slope: Floats
    redundancy: Floats
    straight: bool


class Lines:
    """Runs of one objective at three lambdas, told of the same seats; each set of seats is computed once.

    With the seats given, the value of `mmr` and `aspects` is a line in lambda, and that of `coverage` is a product of
    powers, so its logarithm is one. Which of the two holds is not asked by name: the middle run shows it. Not to be
    shared between threads.
    """

    def __init__(self, objective: Any, ground: Ground) -> None:
        self._objective, self._ground = objective, ground
        self._first = [self._start(lam) for lam in AT]
        self._known: dict[tuple[int, ...], Line] = {}
        self._runs = self._fresh()
        self._at: tuple[int, ...] = ()
        low, middle, high = (run.gains() for run in self._first)
        self.log = not _halfway(low, middle, high)

    def after(self, seats: tuple[int, ...]) -> Line:
        """The lines once these entries have seats, in this order. O(n) when known, else what the runs take."""
        if seats not in self._known:
            if seats[: len(self._at)] != self._at:
                self._runs, self._at = self._fresh(), ()
            for run in self._runs:
                for i in seats[len(self._at) :]:
                    run.take(i)
            self._at = seats
            low, middle, high = self._values()
            slope = (high - low) / (HIGH - LOW)
            redundancy = self._runs[0].redundancy().copy()
            self._known[seats] = Line(low - LOW * slope, slope, redundancy, _halfway(low, middle, high))
        return self._known[seats]

    def _fresh(self) -> list[Run]:
        """Runs without seats. Copied, since preparing one may be dear; started anew where one cannot be copied."""
        shared = (self._ground, self._ground.similarity, self._ground.relevance)
        try:
            return [copy.deepcopy(run, {id(one): one for one in shared}) for run in self._first]
        except (TypeError, copy.Error):
            return [self._start(lam) for lam in AT]

    def _start(self, lam: float) -> Run:
        run: Run = dataclasses.replace(self._objective, lam=lam).start(self._ground)
        return run

    def _values(self) -> list[Floats]:
        gains = [run.gains() for run in self._runs]
        return [np.log(np.maximum(one, TINY)) for one in gains] if self.log else gains


def lines_of(objective: Objective, ground: Ground) -> Lines | None:
    """None for an objective without a lambda, and for one whose values are no lines in it at the first seat."""
    if "lam" not in {one.name for one in dataclasses.fields(objective)}:  # type: ignore[arg-type]
        return None
    found = Lines(objective, ground)
    return found if found.after(()).straight else None


@dataclass(frozen=True, slots=True, eq=False)
class AtLambda:
    """The objective at one lambda, read off its lines: saves preparing a run for every lambda that is tried."""

    name: ClassVar[str] = "at lambda"
    lines: Lines
    lam: float

    def start(self, ground: Ground) -> Run:
        """Open a run on the ground that the lines were made for."""
        return _Run(self.lines, self.lam)


class _Run:
    def __init__(self, lines: Lines, lam: float) -> None:
        self._lines, self._lam = lines, lam
        self._seats: tuple[int, ...] = ()

    def gains(self) -> Floats:
        line = self._lines.after(self._seats)
        value: Floats = line.start + line.slope * self._lam
        return np.exp(value) if self._lines.log else value

    def redundancy(self) -> Floats:
        return self._lines.after(self._seats).redundancy

    def take(self, i: int) -> None:
        self._seats = (*self._seats, i)


def _halfway(low: Floats, middle: Floats, high: Floats) -> bool:
    return bool(np.allclose(middle, (low + high) / 2.0, rtol=CLOSE, atol=CLOSE))


def prefixes(seats: Sequence[int]) -> list[tuple[int, ...]]:
    """What was seated before each seat."""
    return [tuple(seats[:number]) for number in range(len(seats))]
