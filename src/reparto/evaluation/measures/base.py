"""What a measure is: a frozen dataclass whose fields are its parameters, with one function of one
delivery.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar

from reparto.errors import InputError, Problem, unknown_name
from reparto.evaluation.delivery import Delivery

CUTOFF = "cutoff"


@dataclass(frozen=True)
class Measure(ABC):
    """A measure with its parameters and cutoff; prints as in ir-measures, `NAME(param=value)@cutoff`.

    Subclasses set `NAME`, say with `CUTS` whether a cutoff is possible and with `BETTER` which direction is
    good ("higher", "lower" or "" for neither), and implement `value`. Fields without the cutoff are the
    parameters; `check` returns what is wrong with their values. Equal parameters make equal measures.
    """

    cutoff: int | None = None

    NAME: ClassVar[str] = ""
    CUTS: ClassVar[bool] = True
    BETTER: ClassVar[str] = "higher"

    @abstractmethod
    def value(self, delivery: Delivery) -> float | None:
        """The measure of one query; None where it is not defined (no judged fact, no vectors, …)."""

    @classmethod
    def parameters(cls) -> tuple[Field[Any], ...]:
        """The declared parameters, cutoff excepted."""
        return tuple(one for one in fields(cls) if one.name != CUTOFF)

    def check(self) -> str | None:
        """What is wrong with the parameters, or None."""
        return None

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem is not None:
            raise InputError(problem)

    def _problem(self) -> Problem | None:
        if self.cutoff is not None and not self.CUTS:
            return measure_problem(self.NAME, f"{self.NAME} is over the whole list", "write it without @")
        if self.cutoff is not None and (type(self.cutoff) is not int or self.cutoff < 1):
            return measure_problem(
                self.NAME, f"cutoff {self.cutoff!r} is no rank", "write a whole number from 1, as in @10"
            )
        for one in self.parameters():
            value = getattr(self, one.name)
            expected = type(one.default)
            fits = isinstance(value, expected) and not (isinstance(value, bool) and expected is not bool)
            if not fits and not (expected is float and type(value) is int):
                return measure_problem(
                    self.NAME,
                    f"{one.name} = {value!r} is no {expected.__name__}",
                    f"the default is {one.default!r}",
                )
        wrong = self.check()
        return measure_problem(self.NAME, wrong, "see the ranges in docs/evaluation.md") if wrong else None

    def __str__(self) -> str:
        given = [
            f"{one.name}={_plain(getattr(self, one.name))}"
            for one in self.parameters()
            if one.default is MISSING or getattr(self, one.name) != one.default
        ]
        inside = f"({','.join(given)})" if given else ""
        return f"{self.NAME}{inside}{f'@{self.cutoff}' if self.cutoff is not None else ''}"


def measure_problem(name: str, message: str, remedy: str) -> Problem:
    """The problem of a measure that is known but cannot be used as written."""
    return Problem(code="measure", message=message, remedy=remedy, field="measure", id=name)


def unknown_parameter(measure: type[Measure], name: str) -> Problem:
    """The problem of a parameter that the measure does not have."""
    known = [one.name for one in measure.parameters()]
    if not known:
        return measure_problem(measure.NAME, f"{measure.NAME} takes no parameter, not {name!r}", "leave it out")
    return unknown_name("parameter", name, known, field="measure", id=measure.NAME)


def fraction(name: str, value: float) -> str | None:
    """The complaint about a parameter that must lie in 0..1."""
    return None if 0.0 <= value <= 1.0 else f"{name} = {value!r} is outside 0..1"


def _plain(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else repr(value)
