"""The mean of a measure along lambda, exactly, and the choice of a lambda from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reparto.model import Floats


@dataclass(frozen=True, eq=False)
class Steps:
    """A step function on [0, 1]: `values[i]` holds from `starts[i]` up to the next start; `starts[0]`
    is 0.
    """

    starts: Floats
    values: Floats

    def at(self, lam: float | Floats) -> Floats:
        """The value at one lambda or several."""
        return self.values[np.searchsorted(self.starts, lam, side="right") - 1]

    def simplified(self) -> Steps:
        """The same function without steps of no height."""
        keep = np.concatenate([[True], self.values[1:] != self.values[:-1]])
        return Steps(self.starts[keep], self.values[keep])


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean of step functions over queries, exactly: `means[i]` holds from `starts[i]` up to the
    next start.
    """

    functions: tuple[Steps, ...]

    @cached_property
    def _events(self) -> tuple[Floats, np.ndarray, Floats, Floats]:
        """All changes in order of lambda: where, whose, the value before and after."""
        where = np.concatenate([one.starts[1:] for one in self.functions] or [np.zeros(0)])
        whose = np.concatenate(
            [np.full(len(one.starts) - 1, i) for i, one in enumerate(self.functions)] or [np.zeros(0, dtype=int)]
        )
        before = np.concatenate([one.values[:-1] for one in self.functions] or [np.zeros(0)])
        after = np.concatenate([one.values[1:] for one in self.functions] or [np.zeros(0)])
        order = np.argsort(where, kind="stable")
        return where[order], whose[order], before[order], after[order]

    def _running(self, of: Callable[[Floats, np.ndarray], Floats]) -> Floats:
        """Sum over queries of a function of (value, query), after each distinct start."""
        _, whose, before, after = self._events
        first = np.array([one.values[0] for one in self.functions])
        begin = float(of(first, np.arange(len(first))).sum())
        sums = begin + np.concatenate([[0.0], np.cumsum(of(after, whose) - of(before, whose))])
        running: Floats = sums[self._last]
        return running

    @cached_property
    def _last(self) -> np.ndarray:
        """Index, among the running sums, of the last event of each distinct start."""
        where = self._events[0]
        ends = np.concatenate([where[1:] != where[:-1], [True]]) if len(where) else np.zeros(0, dtype=bool)
        return np.concatenate([[0], np.flatnonzero(ends) + 1])

    @cached_property
    def starts(self) -> Floats:
        """Distinct starts of the mean's steps, 0 first."""
        where = self._events[0]
        return np.concatenate([[0.0], where[self._last[1:] - 1]])

    @cached_property
    def means(self) -> Floats:
        """Mean over queries on each step."""
        return self._running(lambda value, _: value) / len(self.functions)

    def at(self, lam: float) -> float:
        """Mean at one lambda, summed afresh."""
        return float(np.mean([one.at(lam) for one in self.functions]))

    def per_query(self, lam: float) -> Floats:
        """Value of each query at one lambda, (n,)."""
        return np.array([float(one.at(lam)) for one in self.functions])


@dataclass(frozen=True, slots=True)
class LambdaChoice:
    """`best` is the optimum and `low..high` the step that holds it; `lam` is the choice after the
    paired rule.
    """

    lam: float
    mean: float
    best: float
    best_mean: float
    low: float
    high: float


def choose_lambda(functions: Sequence[Steps], errors: float = 1.0) -> LambdaChoice:
    """The optimum over the path, and the lambda nearest 1 ("off") that is within `errors` paired standard
    errors of it.

    Of equal steps the one nearest 1 is the optimum. Within a step the number with the fewest decimals is
    taken. O(changes log changes).
    """
    curve = Curve(tuple(functions))
    starts, means = curve.starts, curve.means
    ends = np.concatenate([starts[1:], [1.0]])
    top = int(np.flatnonzero(means >= means.max() - 1e-12)[-1])
    best = roundest(float(starts[top]), float(ends[top]), top == len(starts) - 1)
    reference = curve.per_query(best)
    n = len(curve.functions)
    total = curve._running(lambda value, whose: value - reference[whose])
    squares = curve._running(lambda value, whose: (value - reference[whose]) ** 2)
    mean = total / n
    variance = np.maximum(squares / n - mean**2, 0.0) * (n / max(n - 1, 1))
    within = np.flatnonzero(-mean <= errors * np.sqrt(variance / n) + 1e-12)
    chosen = int(within[-1])
    lam = roundest(float(starts[chosen]), float(ends[chosen]), chosen == len(starts) - 1)
    return LambdaChoice(lam, curve.at(lam), best, curve.at(best), float(starts[top]), float(ends[top]))


def roundest(low: float, high: float, last: bool = False) -> float:
    """The number with the fewest decimals in [low, high), the largest of them; 1 for the last step,
    which holds 1.
    """
    if last:
        return 1.0
    for decimals in range(1, 17):
        scale = 10.0**decimals
        number = (math.ceil(high * scale) - 1) / scale
        if low <= number < high:
            return number
    return low
