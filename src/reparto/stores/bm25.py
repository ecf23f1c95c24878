"""BM25 of a passage for a query, the same in every store that scores for itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class BM25:
    """BM25 (Robertson & Zaragoza 2009) with the idf of Lucene, ln(1 + (N - n + .5) / (n + .5)): never zero.

    `frequency` is the number of passages that have each query term, `total` that of all passages, `mean`
    their mean length in terms. In a handful of passages a word of most of them still counts for something.
    """

    frequency: Mapping[str, int]
    total: int
    mean: float

    def score(self, terms: Sequence[str]) -> float:
        """The score of a passage with these terms; 0 where it has none of the query's."""
        often, score = Counter(terms), 0.0
        for term, having in self.frequency.items():
            if times := often[term]:
                idf = math.log1p((self.total - having + 0.5) / (having + 0.5))
                length = 1 - B + B * len(terms) / max(self.mean, 1e-9)
                score += idf * times * (K1 + 1) / (times + K1 * length)
        return score
