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

HEAD = 4.0
"""The head is the first HEAD * sqrt(n): 20 of 25, 40 of 100. A tail of 20 more moves its end by a few ranks."""
SLOPE = 1.5
TINY = 1e-12
KIN_WIDTH = 0.3
KIN = 0.7
"""Kinship counts up to this share of the usual: to be more typical than that is no merit."""
KIN_POWER = 3.0


def relevance_at_head(relevance: Floats) -> Floats:
    """Relevance read against the spread of the head, (n,) in (0, 1], 1 for the best; all 1 without a spread.

    With z = 1 at the best and 0 at the end of the head, the softplus of SLOPE z, over its value at 1: straight
    at the head, and below it falling ever slower towards 0. Any affine change of the scores gives the
    same, and so does whatever is added below the head, but for the rank at which it ends.
    """
    n = len(relevance)
    if n == 0:
        return relevance.copy()
    best, end = float(relevance[0]), float(relevance[min(n - 1, math.ceil(HEAD * math.sqrt(n)))])
    if best <= end:
        end = float(relevance[-1])
    if best <= end:
        return np.ones(n)
    z = 1.0 - (best - relevance) / (best - end)
    read: Floats = np.logaddexp(0.0, SLOPE * z) / np.logaddexp(0.0, SLOPE)
    return np.maximum(read, TINY)


def kinship(ground: Ground, similarity: Floats, weights: Floats) -> Floats:
    """How far a passage is of a kind with the relevant ones, (n,) in 0..1; 1 for what has no vector.

    The mean of exp((cosine - 1) / KIN_WIDTH) over the others, weighted by relevance, over KIN times what is usual
    in the pool, at most 1, to the power of KIN_POWER. `similarity` is (n, m), to the first m entries; `weights` is
    (n,). Fewer than three vectors tell nothing. O(n m).
    """
    n, m = similarity.shape
    has = np.zeros(n, dtype=bool)
    for _, present in ground.similarity.fields.values():
        has |= present
    if has.sum() < 3:
        return np.ones(n)
    held = np.where(has[:m], weights[:m], 0.0)
    own = np.zeros(n)
    own[:m] = held
    close = np.exp((similarity - 1.0) / KIN_WIDTH)
    near = (close @ held - own) / np.maximum(held.sum() - own, 1e-12)
    usual = KIN * float(near[has] @ weights[has]) / float(weights[has].sum())
    if not usual > 0.0:
        return np.ones(n)
    kin: Floats = np.clip(near / usual, 0.0, 1.0) ** KIN_POWER
    kin[~has] = 1.0
    return kin
