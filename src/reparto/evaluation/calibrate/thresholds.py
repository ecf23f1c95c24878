"""Collapse thresholds from labelled pairs: the lowest that has the wanted precision, by a Wilson lower bound.

A pair labelled `copy` or `contained` is right to collapse, `different` is wrong; a `revision` says nothing
about a threshold, since the facts of the two texts decide it, and is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reparto.evaluation.pairs import Pair
from reparto.evaluation.statistics import wilson
from reparto.kernels import COLLAPSE, Spec, fingerprint, overlaps
from reparto.model import Floats

MEASURES = ("resemblance", "containment", "cosine")
RIGHT = ("copy", "contained")
NEUTRAL = ("revision",)
_WHOLE = Spec(window=COLLAPSE, least=1 << 20)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold for one measure, or None where none has the bound ("cannot tell").

    `precision` and `recall` are those on the pairs it was chosen on, `bound` the Wilson lower bound there;
    `held_out` is (right, passed) summed over folds in which the threshold was chosen without the pairs it is
    held against. `because` says it in words.
    """

    measure: str
    target: float
    value: float | None
    pairs: int
    passed: int
    right: int
    bound: float
    recall: float
    held_out: tuple[int, int]
    because: str


def calibrate_thresholds(pairs: Sequence[Pair], target: float = 0.95, folds: int = 5, seed: int = 0) -> list[Threshold]:
    """A threshold for each measure of a collapse policy. `target` in (0, 1). O(pairs * text)."""
    judged = [pair for pair in pairs if pair.label not in NEUTRAL]
    right = np.array([pair.label in RIGHT for pair in judged], dtype=bool)
    table = features(judged)
    return [_calibrate(name, table[name], right, target, folds, seed) for name in MEASURES]


def features(pairs: Sequence[Pair]) -> dict[str, Floats]:
    """Resemblance, containment (the larger direction) and cosine of each pair, (n,); NaN where there is no
    vector.

    They are what collapse compares: shingles of 3 words of the comparison form, or 6 characters where
    unspaced.
    """
    values = {name: np.full(len(pairs), np.nan) for name in MEASURES}
    for row, pair in enumerate(pairs):
        values["resemblance"][row], values["containment"][row] = _shared(pair.a.text, pair.b.text)
        if pair.a.vector is not None and pair.b.vector is not None:
            values["cosine"][row] = _cosine(pair.a.vector, pair.b.vector)
    return values


def pick(scores: Floats, right: np.ndarray, target: float) -> float | None:
    """The lowest threshold whose passing pairs have a Wilson lower bound of precision of at least `target`;
    or None.

    Scores (n,) with NaN where the measure is not defined, right (n,) bool. O(n log n).
    """
    known = ~np.isnan(scores)
    scores, right = scores[known], right[known]
    order = np.argsort(-scores, kind="stable")
    scores, hits = scores[order], np.cumsum(right[order])
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)) if scores.size else np.zeros(0, dtype=int)
    lowest = None
    for place in last:
        if wilson(int(hits[place]), int(place) + 1)[0] >= target:
            lowest = float(scores[place])
    return lowest


def _calibrate(name: str, scores: Floats, right: np.ndarray, target: float, folds: int, seed: int) -> Threshold:
    known = int((~np.isnan(scores)).sum())
    raw = pick(scores, right, target)
    value = None if raw is None else _stricter(raw)
    if value is not None and value <= 0.0:
        value = None  # everything passes: the pairs hold too few that differ to say anything
    passing = np.zeros(len(scores), dtype=bool) if value is None else scores >= value - 1e-9
    hits, passed, positives = (
        int((passing & right).sum()),
        int(passing.sum()),
        int((right & ~np.isnan(scores)).sum()),
    )
    bound = wilson(hits, passed)[0] if passed else 0.0
    held_out = _held_out(scores, right, target, folds, seed)
    recall = hits / positives if positives else 0.0
    because = _because(name, target, value, known, hits, passed, bound, recall, held_out)
    return Threshold(name, target, value, known, passed, hits, bound, recall, held_out, because)


def _because(
    name: str, target: float, value: float | None, known: int, hits: int, passed: int, bound: float, recall: float,
    held_out: tuple[int, int],
) -> str:  # fmt: skip
    if not known:
        return f"{name}: no pair has vectors, nothing to choose from"
    if value is None:
        return f"{name}: cannot tell: no threshold has a lower bound of {target:g} on {known} pairs"
    low, high = wilson(*held_out)
    share = f"{held_out[0] / held_out[1]:.3f} [{low:.3f}, {high:.3f}]" if held_out[1] else "not measured"
    return (
        f"{name} >= {value:g}: {hits} of {passed} pairs right, lower bound {bound:.3f} >= {target:g}, "
        f"recall {recall:.3f} of {known} pairs; held out {share}"
    )


def _held_out(scores: Floats, right: np.ndarray, target: float, folds: int, seed: int) -> tuple[int, int]:
    order = np.random.default_rng(seed).permutation(len(scores))
    hits = passed = 0
    for part in np.array_split(order, folds):
        train = np.setdiff1d(order, part)
        value = pick(scores[train], right[train], target)
        if value is not None:
            passing = scores[part] >= _stricter(value) - 1e-9
            hits += int((passing & right[part]).sum())
            passed += int(passing.sum())
    return hits, passed


def _stricter(value: float) -> float:
    """Rounded up to three decimals: a contract should be readable, and no laxer than what was measured."""
    return min(1.0, math.ceil(value * 1000 - 1e-6) / 1000)


def _shared(a: str, b: str) -> tuple[float, float]:
    sketches = fingerprint([a, b], _WHOLE)
    if sketches.leaders().tolist() == [0, 0]:
        return 1.0, 1.0
    found = overlaps(sketches, 1e-9, None)
    if not len(found.i):
        return 0.0, 0.0
    return float(found.resemblance[0]), float(max(found.contained[0], found.containing[0]))


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    size = float(np.sqrt(np.dot(x, x) * np.dot(y, y)))
    return float(np.clip(np.dot(x, y) / size, -1.0, 1.0)) if size > 0 else math.nan
