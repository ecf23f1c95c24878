"""What a passage is worth before any seat is taken, read so that a tail of poor candidates changes little.

Two readings: the ranker's score against the spread of the pool's head, and whether the passage is of a kind with the
relevant ones at all (the cluster hypothesis: N. Jardine and C. J. van Rijsbergen, "The use of hierarchic
clustering in information retrieval", 1971).
"""

from __future__ import annotations

import math

import numpy as np

from reparto.model import Floats
from reparto.objectives import Ground

HEAD = 5.5
"""The head is the first HEAD * sqrt(n): all of 25, 55 of 100. A tail of 20 more moves its end by a few ranks."""
SLOPE = 1.35
TINY = 1e-12
KIN_WIDTH = 0.3
KIN = 0.7
"""Kinship counts up to this share of the usual: to be more typical than that is no merit."""
KIN_POWER = 3.0
KIN_HEAD = 1.5
"""Who says what kind is relevant: each as its place in the head to this power, and nobody below the head."""


def place_in_head(relevance: Floats) -> Floats:
    """Place of each score between the end of the head, 0, and the best, 1, (n,); below the head negative.

    All 1 without a spread. Any affine change of the scores gives the same, and so does whatever is added below the
    head, but for the rank at which it ends.
    """
    n = len(relevance)
    if n == 0:
        return relevance.copy()
    best, end = float(relevance[0]), float(relevance[min(n - 1, math.ceil(HEAD * math.sqrt(n)))])
    if best <= end:
        end = float(relevance[-1])
    return np.ones(n) if best <= end else 1.0 - (best - relevance) / (best - end)


def relevance_at_head(relevance: Floats) -> Floats:
    """Relevance read against the spread of the head, (n,) in (0, 1], 1 for the best; all 1 without a spread.

    With z the place in the head, the softplus of SLOPE z, over its value at 1: straight at the head, and below it
    falling ever slower towards 0.
    """
    z = place_in_head(relevance)
    read: Floats = np.logaddexp(0.0, SLOPE * z) / np.logaddexp(0.0, SLOPE)
    return np.maximum(read, TINY)


def kinship(ground: Ground, similarity: Floats) -> Floats:
    """How far a passage is of a kind with the relevant ones, (n,) in 0..1; 1 for what has no vector.

    The mean of exp((cosine - 1) / KIN_WIDTH) over the others, over KIN times what is usual, at most 1, to the power
    of KIN_POWER. Both means are weighted by the place in the head to the power of KIN_HEAD: what lies below the head
    neither vouches for its like nor lowers what is usual. `similarity` is (n, m), to the first m entries. Fewer than
    three vectors tell nothing. O(n m).
    """
    n, m = similarity.shape
    has = np.zeros(n, dtype=bool)
    for _, present in ground.similarity.fields.values():
        has |= present
    if has.sum() < 3:
        return np.ones(n)
    weights = np.where(has, np.clip(place_in_head(ground.relevance), 0.0, 1.0) ** KIN_HEAD, 0.0)
    held = weights[:m]
    own = np.zeros(n)
    own[:m] = held
    close = np.exp((similarity - 1.0) / KIN_WIDTH)
    near = (close @ held - own) / np.maximum(held.sum() - own, TINY)
    usual = KIN * float(near @ weights) / max(float(weights.sum()), TINY)
    if not usual > 0.0:
        return np.ones(n)
    kin: Floats = np.clip(near / usual, 0.0, 1.0) ** KIN_POWER
    kin[~has] = 1.0
    return kin
