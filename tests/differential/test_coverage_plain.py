"""Coverage against the same formula in plain Python, written from the docstrings: seats and values."""

from __future__ import annotations

from math import ceil, exp, log, log1p, sqrt

import numpy as np
import pytest

from reparto.objectives import Ground
from reparto.objectives._terms import terms_of
from reparto.objectives.coverage import Coverage
from reparto.similarity import Similarity, unit_rows

WORDS = "storm cable harbour power hospital diesel refit tram castle port repair bakery rye council bridge mayor"


def softplus(x: float) -> float:
    return log1p(exp(x))


def values_of(texts: list[str], scores: list[float], cosine: list[list[float]], taken: list[int]) -> list[float]:
    """Value of each passage after `taken`, under the default keys and no budget; every passage has a vector."""
    n = len(texts)
    everyone = range(n)
    columns = terms_of(texts)
    held = [set(columns.of(i).tolist()) for i in everyone]
    best, end = scores[0], scores[min(n - 1, ceil(5.5 * sqrt(n)))]
    place = [1 - (best - s) / (best - end) for s in scores]
    relevance = [softplus(1.35 * z) / softplus(1.35) for z in place]

    vouching = [max(0.0, min(1.0, z)) ** 1.5 for z in place]
    near = []
    for i in everyone:
        others = [j for j in everyone if j != i]
        near.append(sum(vouching[j] * exp((cosine[i][j] - 1) / 0.3) for j in others) / sum(vouching[j] for j in others))
    usual = sum(v * x for v, x in zip(vouching, near, strict=True)) / sum(vouching)
    kin = [min(1.0, x / (0.7 * usual)) ** 3 for x in near]

    weights = [r * c for r, c in zip(relevance, kin, strict=True)]
    total = sum(weights)
    idf = {}
    for term in set().union(*held):
        rarity = log((total + 1) / (sum(weights[i] for i in everyone if term in held[i]) + 0.5))
        idf[term] = rarity if rarity >= 0.3 else 0.0
    mean = sum(len(held[i]) * weights[i] for i in everyone) / total
    say = 1 / (1 + (11 / mean) ** 3)
    novel = 0.8 * say

    def novelty(i: int, seats: list[int]) -> float:
        fresh = sum(idf[t] * 0.7 ** sum(t in held[s] for s in seats) for t in held[i])
        return fresh / max(sum(idf[t] for t in held[i]), 1e-12) ** (1 - 0.6 * say)

    def breadth(i: int, seats: list[int]) -> float:
        reach = [exp((cosine[i][j] - 1) / 0.16) for j in everyone]
        spoken = [max([exp((cosine[s][j] - 1) / 0.16) for s in seats], default=0.0) for j in everyone]
        return sum(weights[j] * max(0.0, reach[j] - spoken[j]) for j in everyone)

    most_new = max(novelty(i, []) for i in everyone)
    most_broad = max(breadth(i, []) for i in everyone)
    found = []
    for i in everyone:
        redundancy = max([(cosine[i][s] - 0.85) / 0.15 for s in taken], default=0.0)
        found.append(
            relevance[i] ** (1 - novel)
            * (novelty(i, taken) / most_new) ** novel
            * (breadth(i, taken) / most_broad) ** 0.3
            * (1 - max(0.0, min(1.0, redundancy)))
            * kin[i]
        )
    return found


@pytest.mark.parametrize("seed", range(6))
def test_values_seat_by_seat(seed: int) -> None:
    """Twelve to sixty passages, so that the head ends within some pools and not in others; five seats each."""
    rng = np.random.default_rng(seed)
    n = (12, 20, 31, 36, 48, 60)[seed]
    texts = [" ".join(rng.choice(WORDS.split(), int(rng.integers(3, 14)))) for _ in range(n)]
    scores = np.sort(rng.uniform(0.0, 1.0, n) ** 2)[::-1]
    vectors = np.array([1.0, 0.0, 0.0, 0.0]) + rng.normal(0.0, 0.5, (n, 4))
    similarity = Similarity(n, {"text": unit_rows(list(vectors))})
    cosine = similarity.matrix().tolist()
    run = Coverage().start(Ground([f"c{i}" for i in range(n)], texts, scores, similarity))
    taken: list[int] = []
    for _ in range(5):
        expected = values_of(texts, scores.tolist(), cosine, taken)
        gains = run.gains()
        free = [i for i in range(n) if i not in taken]
        assert gains[free] == pytest.approx([expected[i] for i in free], rel=1e-9, abs=1e-12)
        chosen = max(free, key=lambda i: gains[i])
        run.take(chosen)
        taken.append(chosen)
