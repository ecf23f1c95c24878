"""A sequential detector of a rise, with a stated rate of false alarms.

Under "nothing changed" the values, within 0..1, have a mean of at most m. Betting `b` on a rise multiplies a
wealth by 1 + b (x - m), which then grows by nothing on average. The Shiryaev-Roberts sum of all wealths that
started at some query, R_t = (1 + R_(t-1)) (1 + b (x_t - m)), averaged over several b, is an e-detector: the
mean number of queries to an alarm at R >= c is at least c, whatever the distribution. Shin, Ramdas & Rinaldo,
"E-detectors: a nonparametric framework for sequential change detection", 2023.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reparto.evaluation.statistics import standard_error
from reparto.model import Floats

BETS = tuple(0.25 * 2.0**step for step in range(8))
CAREFUL = 0.9  # a bet never risks more than this share of its wealth
SLACK = 0.005  # a rise of half a point is no alarm
ERRORS = 3.0  # nor is what the baseline's own uncertainty explains


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is normal: the mean of `queries` values, and the largest mean that counts as unchanged."""

    mean: float
    ceiling: float
    queries: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Baseline:
        """From clean values: the ceiling is the mean, three standard errors and half a point more."""
        mean = float(np.mean(values)) if len(values) else 0.0
        ceiling = mean + ERRORS * standard_error(values) + SLACK
        return cls(mean, min(1.0, ceiling), len(values))


@dataclass(frozen=True, slots=True)
class Alarm:
    """`at` is the index of the value that raised it, `since` the index from which the rise is most likely."""

    at: int
    since: int
    evidence: float
    mean_since: float


@dataclass(frozen=True, slots=True)
class Detector:
    """Alarms when a stream's mean rises above `ceiling`.

    `horizon`: mean number of clean values to a false alarm, at least.
    """

    ceiling: float
    horizon: float = 100_000.0

    def bets(self) -> Floats:
        """The stakes, none of which can lose everything: b * ceiling <= .9."""
        largest = CAREFUL / max(self.ceiling, 1e-9)
        usable = [one for one in BETS if one <= largest]
        return np.array(usable or [largest])

    def first_alarm(self, values: Sequence[float]) -> Alarm | None:
        """Run over the values in order; None when it stays quiet. O(values * bets)."""
        bets = self.bets()
        sums = np.zeros(len(bets))
        for index, value in enumerate(values):
            sums = (1.0 + sums) * (1.0 + bets * (value - self.ceiling))
            evidence = float(sums.mean())
            if evidence >= self.horizon:
                since = self._change(values[: index + 1], float(bets[int(np.argmax(sums))]))
                rise = float(np.mean(values[since : index + 1]))
                return Alarm(index, since, evidence, rise)
        return None

    def _change(self, values: Sequence[float], bet: float) -> int:
        """The start that makes the winning bet's wealth largest: the maximum-likelihood change
        point of CUSUM.
        """
        best, wealth, since, start = -math.inf, 0.0, len(values) - 1, len(values)
        for index in range(len(values) - 1, -1, -1):
            wealth += math.log1p(bet * (values[index] - self.ceiling))
            start = index
            if wealth >= best:
                best, since = wealth, start
        return since
