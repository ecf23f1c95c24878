"""From the ranker's scores to a relevance in 0..1, on one scale with similarity. Order is always kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from reparto.errors import Problem, RequestError
from reparto.model import Floats, Notice

Scale = Callable[[Floats, float, float], Floats]


def scale_scores(
    scores: Floats,
    *,
    kind: str = "relevance",
    scale: str = "auto",
    midpoint: float = 0.0,
    slope: float = 1.0,
    ids: Sequence[str] | None = None,
) -> tuple[Floats, list[Notice]]:
    """Relevance (n,) in 0..1 from finite scores (n,), and warnings.

    `kind = "distance"` turns lower-is-better around. `auto` is `identity` when every score is in 0..1, else `minmax`
    with a warning, since that depends on the pool. Raises `RequestError` for `identity` outside 0..1, naming `ids`.
    O(n log n).
    """
    notices: list[Notice] = []
    name = scale
    if scale == "auto":
        inside = bool(((scores >= 0) & (scores <= 1)).all())
        name = "identity" if inside else "minmax"
        if not inside:
            notices.append(
                Notice(
                    "scale_minmax",
                    "scores outside 0..1 were scaled by min-max, which depends on the pool; "
                    "a fitted logistic scale (`reparto calibrate`) does not",
                )
            )
    distance = kind == "distance"
    if name == "identity":
        return _identity(scores, distance, ids), notices
    signed = -scores if distance else scores
    return _in_order(SCALES[name](signed, -midpoint if distance else midpoint, slope), signed), notices


def _identity(scores: Floats, distance: bool, ids: Sequence[str] | None) -> Floats:
    outside = np.flatnonzero((scores < 0) | (scores > 1))
    if len(outside):
        raise RequestError(
            Problem(
                "score_out_of_range",
                f"score {scores[i]:g} is outside 0..1, which scale `identity` needs",
                "set scores.scale to auto, logistic, minmax or rank",
                id=None if ids is None else ids[int(i)],
                field="score",
            )
            for i in outside
        )
    return _in_order(1.0 - scores, -scores) if distance else scores.copy()


def _in_order(relevance: Floats, signed: Floats) -> Floats:
    """Relevance in which a better score is always more, were it by the last bit.

    A map into 0..1 has fewer numbers than its input: a logistic is 1.0 for 40 as for 50, and 1 - 1e-20 is 1. What
    rounding made equal is set apart by one float a step. O(n log n), and a loop only where that happened.
    """
    rising = np.argsort(signed, kind="stable")
    better, found = np.diff(signed[rising]) > 0, relevance[rising]
    if not (better & (np.diff(found) <= 0)).any():
        return relevance
    for i in range(len(found) - 2, -1, -1):
        found[i] = min(found[i], np.nextafter(found[i + 1], -1.0)) if better[i] else found[i + 1]
    found[0] = max(found[0], 0.0)
    for i in range(len(found) - 1):
        found[i + 1] = max(found[i + 1], np.nextafter(found[i], 2.0)) if better[i] else found[i]
    ordered = np.empty_like(found)
    ordered[rising] = found
    return ordered


def logistic(scores: Floats, midpoint: float, slope: float) -> Floats:
    """1 / (1 + exp(-slope (x - midpoint))): a fixed map, so other candidates cannot change it."""
    with np.errstate(over="ignore"):
        z = np.clip(slope * (scores - midpoint), -700.0, 700.0)
    return 1.0 / (1.0 + np.exp(-z))


def minmax(scores: Floats, midpoint: float, slope: float) -> Floats:
    """(x - min) / (max - min); equal or single scores become 1, never 0."""
    if scores.size == 0:
        return scores.copy()
    low, high = scores.min(), scores.max()
    if low == high:
        return np.ones_like(scores)
    unit = max(abs(low), abs(high))  # divided out first: the range of two huge scores may overflow
    spread: Floats = (scores / unit - low / unit) / (high / unit - low / unit)
    return spread


def rank(scores: Floats, midpoint: float, slope: float) -> Floats:
    """1 - (number of better distinct scores) / n: equal scores share a rank, the best is 1, none is 0."""
    if scores.size == 0:
        return scores.copy()
    better: Floats = np.unique(-scores, return_inverse=True)[1] / scores.size
    return 1.0 - better


SCALES: Mapping[str, Scale] = {"logistic": logistic, "minmax": minmax, "rank": rank}
