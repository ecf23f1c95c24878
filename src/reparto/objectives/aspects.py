"""Explicit sub-questions of the query (xQuAD): seats go where an aspect is still badly served.

R. Santos, C. Macdonald and I. Ounis, "Exploiting query reformulations for web search result diversification",
WWW 2010. There the mixing weight stands on the diversity side; here lambda = 1 is relevance only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from reparto.errors import Problem, RequestError
from reparto.model import Floats
from reparto.objectives import Ground
from reparto.objectives._seated import SeatedRun


@dataclass(frozen=True, slots=True)
class Aspects:
    """Value = lambda * P(d|q) + (1 - lambda) * sum_i w_i P(d|i) prod_{s seated} (1 - P(s|i)).

    P(d|q) is the relevance, P(d|i) the request's rating of d for aspect i (0 where absent), and the weights w
    are normalised to sum 1.
    """

    name: ClassVar[str] = "aspects"
    falling: ClassVar[bool] = True
    lam: float = field(
        default=0.5,
        metadata={"key": "lambda", "range": (0.0, 1.0), "doc": "1 is relevance only, 0 is aspects only"},
    )

    def start(self, ground: Ground) -> AspectsRun:
        """Open a run over n entries and m aspects; O(n m) a seat.

        Raises `RequestError` when the request has no aspects, or none whose weight counts.
        """
        problem = _fault(ground)
        if problem is not None:
            raise RequestError(problem)
        return AspectsRun(ground, self.lam)


def _fault(ground: Ground) -> Problem | None:
    if not ground.aspects:
        return Problem(
            code="aspects_missing",
            message="the objective `aspects` needs the sub-questions of the query, and the request has none",
            remedy='give the request "aspects": [{"id", "text", "ratings": {candidate_id: 0..1}}], '
            "or choose another diversity.objective",
            field="aspects",
        )
    weights = [aspect.weight for aspect in ground.aspects]
    if not (all(math.isfinite(one) and one >= 0 for one in weights) and sum(weights) > 0):
        return Problem(
            code="aspects_weightless",
            message="aspect weights must be finite, not negative, and not all 0",
            remedy="leave `weight` out for equal weights",
            field="aspects",
        )
    return None


class AspectsRun(SeatedRun):
    """A run of xQuAD. An entry's value only falls."""

    def __init__(self, ground: Ground, lam: float) -> None:
        super().__init__(ground)
        weights = np.array([aspect.weight for aspect in ground.aspects], dtype=np.float64)
        self._lam = lam
        self._open: Floats = weights / weights.sum()
        self._ratings: Floats = np.array(
            [[aspect.ratings.get(id, 0.0) for id in ground.ids] for aspect in ground.aspects],
            dtype=np.float64,
        )

    def gains(self) -> Floats:
        """Relevance and still open aspects, mixed; (n,) in 0..1."""
        # Summed aspect by aspect: an entry's value must not depend on its place among the others.
        served: Floats = (self._open[:, None] * self._ratings).sum(axis=0)
        return self._lam * self._ground.relevance + (1.0 - self._lam) * served

    def take(self, i: int) -> None:
        """Seat entry i: each aspect stays open as far as i does not answer it."""
        super().take(i)
        self._open = self._open * (1.0 - self._ratings[:, i])
