"""The price of variety: nDCG, reciprocal rank and the relevance given up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures.base import Measure


@dataclass(frozen=True)
class NDCG(Measure):
    """nDCG@k: sum of grade / log2(1 + r), divided by that of the best order (Järvelin & Kekäläinen, TOIS
    2002).

    The grade of a passage is its largest over the facts (1 in a bank: it carries a fact or not).
    """

    NAME: ClassVar[str] = "nDCG"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1; None for a query in which nothing is relevant."""
        judgments = delivery.judgments
        ideal = judgments.ideal_grades[: self.cutoff]
        if not ideal:
            return None
        seen: set[str] = set()
        grades = []
        for passage in delivery.first(self.cutoff):
            fresh = [id for id in passage.carries if id not in seen]
            seen.update(fresh)
            grades.append(max((judgments.best_grade(id) for id in fresh), default=0))
        return _dcg(grades) / _dcg(ideal)


@dataclass(frozen=True)
class RR(Measure):
    """Reciprocal rank of the first passage that carries a fact (its mean over queries is MRR)."""

    rel: int = 1
    judged_only: bool = False

    NAME: ClassVar[str] = "RR"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1, 0 where none is within the cutoff; None for a query without a judged fact."""
        if delivery.judgments.level(self.rel).n == 0:
            return None
        per_rank = delivery.facts(self.rel, self.judged_only)[: self.cutoff]
        return next((1.0 / rank for rank, facts in enumerate(per_rank, start=1) if facts), 0.0)


@dataclass(frozen=True)
class RelevanceLoss(Measure):
    """Mean relevance of as many first candidates as were delivered, minus that of the delivered. Lower is
    better.

    Scores that all lie in 0..1 are taken as they are, others are put on 0..1 by the smallest and largest of
    the pool, so that banks can be told apart but not compared. A merged span counts with its representative's
    score.
    """

    NAME: ClassVar[str] = "RelevanceLoss"
    BETTER: ClassVar[str] = "lower"

    def value(self, delivery: Delivery) -> float | None:
        """In -1..1 (below 0 only where scores tie with spans); None without a pool or where a
        score is unknown.
        """
        pool = [passage.score for passage in delivery.pool]
        got = [passage.score for passage in delivery.first(self.cutoff)]
        scored = [one for one in got if one is not None]
        ranked = sorted((one for one in pool if one is not None and math.isfinite(one)), reverse=True)
        if not ranked or not scored or len(scored) < len(got):
            return None
        low, high = (0.0, 1.0) if ranked[-1] >= 0 and ranked[0] <= 1 else (ranked[-1], ranked[0])
        if high == low:
            return 0.0
        first = ranked[: len(scored)]
        return (sum(first) / len(first) - sum(scored) / len(scored)) / (high - low)


def _dcg(grades: list[int] | tuple[int, ...]) -> float:
    return sum(grade / math.log2(1.0 + rank) for rank, grade in enumerate(grades, start=1))
