"""The values of an objective as lines in lambda, where they are such."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from reparto.model import Floats
from reparto.objectives import Ground, Objective, Run

LOW, MIDDLE, HIGH = 0.25, 0.5, 0.75
TINY = 1e-300
CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Each entry's value, or its logarithm, is `start + slope * lambda`; both (n,)."""

    start: Floats
    slope: Floats


class Lines:
    """Runs of one objective at three lambdas, told of the same seats.

    With the seats given, the value of `mmr` and `aspects` is a line in lambda, and that of `coverage` is a product of
    powers, so its logarithm is one. Which of the two holds is not asked by name: the middle run shows it.
    """

    def __init__(self, objective: Any, ground: Ground, log: bool | None = None) -> None:
        self._ground = ground
        self._runs = [dataclasses.replace(objective, lam=lam).start(ground) for lam in (LOW, MIDDLE, HIGH)]
        self.log = _is_log(self._runs) if log is None else log

    def fresh(self) -> Lines:
        """The same before any seat was taken. To be asked of one that has taken none."""
        twin = copy.copy(self)
        twin._runs = [copy.deepcopy(run, {id(self._ground): self._ground}) for run in self._runs]
        return twin

    @property
    def straight(self) -> bool:
        """Whether the middle run agrees with the line through the others, for these seats."""
        low, middle, high = self._values()
        return bool(np.allclose(middle, (low + high) / 2.0, rtol=CLOSE, atol=CLOSE))

    def line(self) -> Line:
        """The lines for the seats taken so far."""
        low, _, high = self._values()
        slope = (high - low) / (HIGH - LOW)
        return Line(low - LOW * slope, slope)

    def redundancy(self) -> Floats:
        """Largest similarity to the seats taken, (n,)."""
        found: Floats = self._runs[0].redundancy()
        return found

    def take(self, i: int) -> None:
        """Seat entry i in all runs."""
        for run in self._runs:
            run.take(i)

    def _values(self) -> list[Floats]:
        gains = [run.gains() for run in self._runs]
        return [np.log(np.maximum(one, TINY)) for one in gains] if self.log else gains


def lines_of(objective: Objective, ground: Ground) -> Lines | None:
    """None for an objective without a lambda, and for one whose values are no lines in it at the first seat."""
    if "lam" not in {one.name for one in dataclasses.fields(objective)}:  # type: ignore[arg-type]
        return None
    found = Lines(objective, ground)
    return found if found.straight else None


@dataclass(frozen=True, slots=True, eq=False)
class AtLambda:
    """The objective at one lambda, read off its lines: saves preparing a run for every lambda that is tried."""

    name: ClassVar[str] = "at lambda"
    lines: Lines
    lam: float

    def start(self, ground: Ground) -> Run:
        """Open a run on the ground that the lines were made for."""
        return _Run(self.lines.fresh(), self.lam)


class _Run:
    def __init__(self, lines: Lines, lam: float) -> None:
        self._lines, self._lam = lines, lam

    def gains(self) -> Floats:
        line = self._lines.line()
        value: Floats = line.start + line.slope * self._lam
        return np.exp(value) if self._lines.log else value

    def redundancy(self) -> Floats:
        return self._lines.redundancy()

    def take(self, i: int) -> None:
        self._lines.take(i)


def _is_log(runs: list[Run]) -> bool:
    low, middle, high = (run.gains() for run in runs)
    return not np.allclose(middle, (low + high) / 2.0, rtol=CLOSE, atol=CLOSE)
