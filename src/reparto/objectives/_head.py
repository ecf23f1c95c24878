"""What a passage is worth before any seat is taken; a tail of poor candidates should change nothing at the head."""

from __future__ import annotations

import numpy as np

from reparto.model import Floats
from reparto.objectives import Ground

FLOOR = 0.06
"""The relevance that the poorest keep: a ranker that errs must not be able to veto."""
BEND = 3.0
KIN = 0.8
"""Kinship counts up to this share of the average; being more typical than that is no merit."""


def relevance_at_head(relevance: Floats) -> Floats:
    """Relevance re-read against the pool's spread, (n,) in (0, 1], 1 for the best; all 1 without a spread.

    z = (r - low) / (best - low), then a softplus of it: nearly straight at the head and flat, not cut off,
    at the foot. Any affine change of the scores gives the same.
    """
    if not len(relevance):
        return relevance.copy()
    low = float(relevance[-1])
    best = float(relevance[0])
    if best <= low:
        return np.ones(len(relevance))
    z = (relevance - low) / (best - low)
    soft = np.logaddexp(0.0, BEND * z) / np.logaddexp(0.0, BEND)
    return FLOOR + (1.0 - FLOOR) * soft


def kinship(ground: Ground, matrix: Floats, weights: Floats) -> Floats:
    """How far a passage is of the pool's kind, (n,) in 0..1; 1 for what has no vector.

    The average cosine to the others, weighted by relevance, against `KIN` times its weighted mean: what is
    unlike all the relevant ones is off the topic, whatever its score. `matrix` is (n, m): similarity to the
    first m.
    """
    n, m = matrix.shape
    has = np.zeros(n, dtype=bool)
    for _, present in ground.similarity.fields.values():
        has |= present
    if has.sum() < 3:
        return np.ones(n)
    held = np.where(has[:m], weights[:m], 0.0)
    own = np.zeros(n)
    own[:m] = held
    near = np.maximum((matrix @ held - own) / np.maximum(held.sum() - own, 1e-12), 0.0)
    usual = float(near[has] @ weights[has]) / float(weights[has].sum())
    if usual <= 0.0:
        return np.ones(n)
    near[~has] = KIN * usual
    return np.minimum(1.0, near / (KIN * usual))
