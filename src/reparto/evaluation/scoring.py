"""Measures over the queries of a bank: per query, the mean, and its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures import Measure
from reparto.evaluation.statistics import Interval, bootstrap


@dataclass(frozen=True, slots=True)
class Scores:
    """One measure over queries.

    `per_query` holds None where the measure is not defined; those are left out of the mean.
    """

    per_query: Mapping[str, float | None]
    interval: Interval

    @property
    def mean(self) -> float:
        """Mean over the queries that define the measure; NaN when none does."""
        return self.interval.mean

    def to_dict(self) -> dict[str, Any]:
        """The wire form: mean, low, high and per query; null where undefined."""
        return {
            "mean": number(self.interval.mean),
            "low": number(self.interval.low),
            "high": number(self.interval.high),
            "per_query": dict(self.per_query),
        }


def score(
    deliveries: Mapping[str, Delivery], measures: Mapping[str, Measure], samples: int = 10_000, seed: int = 0
) -> dict[str, Scores]:
    """Every measure over every delivery, by the measures' given names.

    Intervals are bootstrap over queries.
    """
    return {
        name: summarise({id: measure.value(one) for id, one in deliveries.items()}, samples, seed)
        for name, measure in measures.items()
    }


def summarise(per_query: Mapping[str, float | None], samples: int = 10_000, seed: int = 0) -> Scores:
    """Mean and interval of values per query."""
    return Scores(per_query, bootstrap(defined(per_query.values()), samples, seed=seed))


def defined(values: Any) -> list[float]:
    """The values that are numbers."""
    return [one for one in values if one is not None]


def paired(
    a: Mapping[str, float | None], b: Mapping[str, float | None], ids: Sequence[str] | None = None
) -> dict[str, float]:
    """A - b for the queries that define both, by query."""
    differences = {}
    for id in a if ids is None else ids:
        left, right = a.get(id), b.get(id)
        if left is not None and right is not None:
            differences[id] = left - right
    return differences


def number(value: float) -> float | None:
    """A JSON number, or null for what is none."""
    return value if math.isfinite(value) else None
