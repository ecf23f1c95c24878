"""Novelty- and rank-biased precision: NRBP and nNRBP, over the whole list (Clarke et al., ICTIR 2009)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.judgments import novelty_gains
from reparto.evaluation.measures.base import Measure, fraction


@dataclass(frozen=True)
class NRBP(Measure):
    """(1 - (1 - alpha) beta) / n times the sum of G(r) beta^(r-1).

    `beta` in 0..1 is the patience of the reader.
    """

    alpha: float = 0.5
    beta: float = 0.5
    rel: int = 1

    NAME: ClassVar[str] = "NRBP"
    CUTS: ClassVar[bool] = False

    def check(self) -> str | None:
        """Both parameters must lie in 0..1."""
        return fraction("alpha", self.alpha) or fraction("beta", self.beta)

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1; None for a query without a judged fact."""
        level = delivery.judgments.level(self.rel)
        if level.n == 0:
            return None
        gains = novelty_gains(delivery.facts(self.rel), len(level.names), self.alpha)
        return self._decayed(gains) * (1.0 - (1.0 - self.alpha) * self.beta) / level.n

    def _decayed(self, gains: Iterable[float]) -> float:
        total, decay = 0.0, 1.0
        for gain in gains:
            total += gain * decay
            decay *= self.beta
        return total


@dataclass(frozen=True)
class NNRBP(NRBP):
    """NRBP divided by that of the greedy ideal over all judged passages."""

    NAME: ClassVar[str] = "nNRBP"

    def value(self, delivery: Delivery) -> float | None:
        """Around 0..1; None where no passage carries a fact."""
        level = delivery.judgments.level(self.rel)
        ideal = self._decayed(level.ideal_gains(self.alpha, len(level.carried)))
        if ideal == 0.0:
            return None
        return self._decayed(novelty_gains(delivery.facts(self.rel), len(level.names), self.alpha)) / ideal
