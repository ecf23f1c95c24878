"""Intervals and tests over queries. Plain numpy; each function is held against scipy in the tests.

All are seeded: the same input gives the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reparto.model import Floats

CHUNK = 4_000_000  # numbers drawn at a time: bounds the memory of a resample


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence interval."""

    mean: float
    low: float
    high: float


def bootstrap(values: Sequence[float] | Floats, samples: int = 10_000, level: float = 0.95, seed: int = 0) -> Interval:
    """Mean with its percentile bootstrap interval over queries (Efron 1979; paired when given differences).

    `values` is (n,). One value, or none, has no spread: the interval is the value itself. O(samples n).
    """
    data = np.asarray(values, dtype=np.float64)
    if data.size < 2 or np.ptp(data) == 0.0:
        only = float(data[0]) if data.size else math.nan
        return Interval(only, only, only)
    mean = float(data.mean())
    generator = np.random.default_rng(seed)
    step = max(1, CHUNK // data.size)
    means = np.concatenate(
        [
            data[generator.integers(0, data.size, (min(step, samples - done), data.size))].mean(axis=1)
            for done in range(0, samples, step)
        ]
    )
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Interval(mean, float(low), float(high))


def randomisation(differences: Sequence[float] | Floats, samples: int = 10_000, seed: int = 0) -> float:
    """Two-sided p of the paired randomisation test: signs of the differences flipped (Fisher 1935; Smucker et
    al. 2007).

    Exact up to 13 non-zero differences, else `samples` random sign vectors with the observed one counted in.
    """
    data = np.asarray(differences, dtype=np.float64)
    data = data[data != 0.0]
    if not data.size:
        return 1.0
    observed = abs(float(data.sum()))
    slack = 1e-12 * float(np.abs(data).sum())
    if data.size <= 13:
        bits = (np.arange(2**data.size)[:, None] >> np.arange(data.size)) & 1
        return float((np.abs((1 - 2 * bits) @ data) >= observed - slack).mean())
    generator = np.random.default_rng(seed)
    step = max(1, CHUNK // data.size)
    extreme = 0
    for done in range(0, samples, step):
        signs = generator.integers(0, 2, (min(step, samples - done), data.size), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ data) >= observed - slack).sum())
    return (extreme + 1) / (samples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p of each test, so that the chance of any false rejection is held (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def wilson(successes: float, trials: float, z: float = 1.959963984540054) -> tuple[float, float]:
    """Interval of a share (Wilson 1927), within 0..1; (0, 1) without trials. z = 1.96 is two-sided 95 %."""
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def standard_error(values: Sequence[float] | Floats) -> float:
    """Standard error of the mean; 0 below two values."""
    data = np.asarray(values, dtype=np.float64)
    return float(data.std(ddof=1) / math.sqrt(data.size)) if data.size > 1 else 0.0
