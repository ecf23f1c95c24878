"""Distinct facts found: subtopic recall, weighted fact recall, facts per 1,000 tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.measures.base import Measure
from reparto.kernels import estimate_tokens


@dataclass(frozen=True)
class StRecall(Measure):
    """StRecall@k (S-Recall): facts that a passage within the cutoff carries, divided by all judged facts.

    Zhai, Cohen & Lafferty, SIGIR 2003. With `listed=True` only the listed facts count, not `facts_total`:
    recall of what the pool holds. Adding a passage never lowers it; repeating one gains nothing.
    """

    rel: int = 1
    listed: bool = False

    NAME: ClassVar[str] = "StRecall"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1; None for a query without a judged fact."""
        level = delivery.judgments.level(self.rel)
        n = len(level.names) if self.listed else level.n
        if n == 0:
            return None
        per_rank = delivery.facts(self.rel)[: self.cutoff]
        return len({fact for facts in per_rank for fact in facts}) / n


@dataclass(frozen=True)
class WeightedStRecall(Measure):
    """Weight of the facts found divided by the weight of all judged facts, as in nugget evaluation.

    `vital` (off at 0) counts only facts of at least that weight, all alike: with vital = 1 and okay = .5,
    `WeightedStRecall(vital=1.0)` is the strict vital recall. Facts that `facts_total` counts but nobody
    listed weigh 1 unless `listed=True`. Voorhees, TREC 2003 QA; Pradeep et al. 2024 (AutoNuggetizer).
    """

    vital: float = 0.0
    rel: int = 1
    listed: bool = False

    NAME: ClassVar[str] = "WeightedStRecall"

    def check(self) -> str | None:
        """A weight is not negative."""
        return None if self.vital >= 0 else f"vital = {self.vital!r} is negative"

    def value(self, delivery: Delivery) -> float | None:
        """In 0..1; None where no weight is to be had."""
        level = delivery.judgments.level(self.rel)
        weights = level.weights
        if self.vital:
            weights = tuple(1.0 if one >= self.vital else 0.0 for one in weights)
        absent = 0 if self.listed or self.vital > 1 else level.n - len(level.names)
        whole = sum(weights) + absent
        if whole == 0:
            return None
        found = {fact for facts in delivery.facts(self.rel)[: self.cutoff] for fact in facts}
        return sum(weights[fact] for fact in found) / whole


@dataclass(frozen=True)
class FactsPer1000Tokens(Measure):
    """Distinct facts covered for each 1,000 tokens delivered: what the reader's context is spent on."""

    rel: int = 1

    NAME: ClassVar[str] = "FactsPer1000Tokens"

    def value(self, delivery: Delivery) -> float | None:
        """From 0; None without a judged fact, and where a passage within the cutoff has no known length."""
        lengths = [_length(passage) for passage in delivery.first(self.cutoff)]
        if delivery.judgments.level(self.rel).n == 0 or None in lengths:
            return None
        total = sum(length for length in lengths if length is not None)
        found = {fact for facts in delivery.facts(self.rel)[: self.cutoff] for fact in facts}
        return 1000.0 * len(found) / total if total else 0.0


def _length(passage: Passage) -> int | None:
    """The declared length, else an estimate from the text."""
    if passage.tokens is not None or passage.text is None:
        return passage.tokens
    return int(estimate_tokens(passage.text))
