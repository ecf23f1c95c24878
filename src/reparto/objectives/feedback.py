"""Feedback: the ranking read again in the light of its own head, times the distance to the seats.

Pseudo-relevance feedback: what resembles the head of the ranking more than it resembles the rest of the pool is likely
relevant too (J. J. Rocchio, "Relevance feedback in information retrieval", in G. Salton, ed., The SMART retrieval
system, 1971; here with similarities alone, so no vector of the query is needed). Where the numbers come from:
docs/decisions/0047.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from reparto.model import Floats
from reparto.objectives import Ground
from reparto.objectives._head import relevance_at_head
from reparto.objectives._seated import SeatedRun

LEAST = 0.03
"""Value of the least relevant: rank order still decides among what is redundant in like measure."""
ROUNDING = 1e-9
REACH = 512
"""The head and the rest are read off the first so many entries: O(n) beyond them."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """Value = relevance' * (1 - redundancy), in 0..1.

    * relevance' = .03 + .97 * (r + feedback * c), r the relevance read at the head of the pool (`_head`), c what an
      entry is nearer to the head than to the pool: the mean similarity to the entries weighted by r^2, less the plain
      mean, over the pool's range. The sum is brought to 0..1 by the pool's range.
    * redundancy: the largest similarity to a seat, rescaled from `band`..1 to 0..1.

    `feedback = 0` leaves the order of the scores. Similarity is cosine, or shingle resemblance where a pair has no
    vectors; the band is made for cosines.
    """

    name: ClassVar[str] = "feedback"
    falling: ClassVar[bool] = True
    feedback: float = field(
        default=0.5,
        metadata={"key": "feedback", "range": (0.0, 10.0), "doc": "weight of nearness to the head; 0: scores alone"},
    )
    band: float = field(
        default=0.7,
        metadata={
            "key": "band",
            "range": (0.0, 1.0),
            "doc": "cosine from which a seat makes another redundant; 1 is off",
        },
    )

    def start(self, ground: Ground) -> FeedbackRun:
        """Open a run over n entries. O(m n d), a seat O(n d), m the smaller of n and 512."""
        return FeedbackRun(ground, self)


class FeedbackRun(SeatedRun):
    """A run of feedback. An entry's value only falls."""

    def __init__(self, ground: Ground, objective: Feedback) -> None:
        super().__init__(ground)
        self._band = objective.band
        read = relevance_at_head(ground.relevance)
        if objective.feedback > 0.0:
            read = _over_range(read) + objective.feedback * _over_range(nearness(ground, read))
        self._worth = LEAST + (1.0 - LEAST) * _over_range(read)

    def gains(self) -> Floats:
        """Value of seating each entry next, (n,) in 0..1."""
        if self._band >= 1.0:
            return self._worth
        beyond = (self._redundancy - self._band) / (1.0 - self._band)
        value: Floats = self._worth * (1.0 - np.clip(beyond, 0.0, 1.0))
        return value


def nearness(ground: Ground, weights: Floats) -> Floats:
    """How much nearer each entry is to the head than to the pool, (n,) in -2..2; `weights` (n,), not negative.

    The mean similarity to the first m entries weighted by the squares of `weights`, less their plain mean.
    """
    m = min(len(ground.ids), REACH)
    if not m:
        return np.zeros(0)
    head = weights[:m] ** 2
    contrast = head / head.sum() - 1.0 / m
    if len(ground.ids) <= REACH:
        ground.similarity.matrix()  # all rows at once, in one product
    found = np.zeros(len(ground.ids))
    for j in range(m):
        found += contrast[j] * ground.similarity.row(j)
    return found


def _over_range(values: Floats) -> Floats:
    """Values from 0 at the smallest to 1 at the largest; all 1 where they do not differ."""
    low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    if not high - low > ROUNDING:
        return np.ones(len(values))
    return np.asarray((values - low) / (high - low))
