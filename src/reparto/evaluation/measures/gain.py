"""Gain that fades with repetition: alpha-DCG, alpha-nDCG, ERR-IA and nERR-IA.

G(r) = sum over the facts at rank r of (1 - alpha)^(earlier ranks that carry the fact). Each measure sums G(r)
times a discount, 1/log2(1 + r) for alpha-DCG (Clarke et al., SIGIR 2008) and 1/r for ERR-IA (Chapelle et al.,
CIKM 2009), and divides by the same sum for an ideal. Semantics are those of ndeval.c 4.5, without its cutoff
limit of 20.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.judgments import Level, novelty_gains
from reparto.evaluation.measures.base import Measure, fraction


@dataclass(frozen=True)
class _Fading(Measure):
    """Common part.

    `alpha` in 0..1 is the intolerance of repetition; `rel` the least grade that carries a fact.
    """

    alpha: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def check(self) -> str | None:
        """Alpha must lie in 0..1."""
        return fraction("alpha", self.alpha)

    def value(self, delivery: Delivery) -> float | None:
        """The normalised sum; None for a query without a judged fact."""
        level = delivery.judgments.level(self.rel)
        if level.n == 0:
            return None
        per_rank = delivery.facts(self.rel, self.judged_only)
        depth = self.cutoff or max(len(per_rank), 1)
        gains = novelty_gains(per_rank[:depth], len(level.names), self.alpha)
        ideal = self._ideal(level, depth)
        return None if ideal == 0.0 else self._discounted(gains) / ideal

    def _discounted(self, gains: list[float] | tuple[float, ...]) -> float:
        total = 0.0
        for index, gain in enumerate(gains):
            if gain:
                total += gain * self._discount(index + 1)
        return total

    @abstractmethod
    def _ideal(self, level: Level, depth: int) -> float: ...

    @abstractmethod
    def _discount(self, rank: int) -> float: ...


@dataclass(frozen=True)
class _ByCollection(_Fading):
    """Divided by the greedy ideal over all judged passages."""

    def _ideal(self, level: Level, depth: int) -> float:
        return self._discounted(level.ideal_gains(self.alpha, depth))


@dataclass(frozen=True)
class _ByIdealIdeal(_Fading):
    """Divided by a list whose every passage carries every fact; at cutoff 1 not divided at all, as in
    ndeval.c.
    """

    def _ideal(self, level: Level, depth: int) -> float:
        if depth == 1:
            return 1.0
        gain, gains = float(level.n), []
        for _ in range(depth):
            gains.append(gain)
            gain *= 1.0 - self.alpha
        return self._discounted(gains)


class _LogDiscount:
    def _discount(self, rank: int) -> float:
        return math.log(2.0) / math.log(rank + 1.0) if rank > 1 else 1.0


class _RankDiscount:
    def _discount(self, rank: int) -> float:
        return 1.0 / rank


@dataclass(frozen=True)
class AlphaNDCG(_LogDiscount, _ByCollection):
    """alpha-nDCG@k: alpha-DCG divided by that of the greedy ideal over all judged passages."""

    NAME: ClassVar[str] = "alpha_nDCG"


@dataclass(frozen=True)
class AlphaDCG(_LogDiscount, _ByIdealIdeal):
    """alpha-DCG@k, divided by sum of n (1 - alpha)^(r-1) / log2(1 + r)."""

    NAME: ClassVar[str] = "alpha_DCG"


@dataclass(frozen=True)
class ERRIA(_RankDiscount, _ByIdealIdeal):
    """ERR-IA@k, divided by sum of n (1 - alpha)^(r-1) / r."""

    NAME: ClassVar[str] = "ERR_IA"


@dataclass(frozen=True)
class NERRIA(_RankDiscount, _ByCollection):
    """nERR-IA@k: the ERR-IA sum divided by that of the greedy ideal."""

    NAME: ClassVar[str] = "nERR_IA"
