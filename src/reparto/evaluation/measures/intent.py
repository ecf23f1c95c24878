"""Intent-aware precision: P-IA and MAP-IA (Agrawal et al., WSDM 2009), as in ndeval.c."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures.base import Measure


@dataclass(frozen=True)
class PIA(Measure):
    """P-IA@k: pairs of passage and fact within the cutoff, divided by k n. A short list is divided by
    k all the same.
    """

    rel: int = 1
    judged_only: bool = False

    NAME: ClassVar[str] = "P_IA"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1; None for a query without a judged fact."""
        n = delivery.judgments.level(self.rel).n
        if n == 0:
            return None
        per_rank = delivery.facts(self.rel, self.judged_only)
        depth = self.cutoff or max(len(per_rank), 1)
        return sum(len(facts) for facts in per_rank[:depth]) / (depth * n)


@dataclass(frozen=True)
class APIA(Measure):
    """AP-IA (its mean over queries is MAP-IA): mean over the facts of their average precision, over
    the whole list.
    """

    rel: int = 1
    judged_only: bool = False

    NAME: ClassVar[str] = "AP_IA"
    CUTS: ClassVar[bool] = False

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1; None for a query without a judged fact."""
        level = delivery.judgments.level(self.rel)
        if level.n == 0:
            return None
        seen = [0] * len(level.names)
        total = [0.0] * len(level.names)
        for rank, facts in enumerate(delivery.facts(self.rel, self.judged_only), start=1):
            for fact in facts:
                seen[fact] += 1
                total[fact] += seen[fact] / rank
        return sum(one / held for one, held in zip(total, level.holders, strict=True)) / level.n
