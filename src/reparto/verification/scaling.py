"""Relevance computed again from the scores that were sent: plain Python, one candidate at a time."""

from __future__ import annotations

import math

from reparto.verification.view import View


def scaled(view: View) -> dict[str, float]:
    """Relevance of every valid candidate, by id."""
    table = view.section("scores")
    sign = -1.0 if table.get("kind") == "distance" else 1.0
    scores = {id: float(view.candidates[id]["score"]) for id in view.valid}
    scale = table.get("scale", "auto")
    if scale == "auto":
        scale = "identity" if all(0 <= score <= 1 for score in scores.values()) else "minmax"
    if scale == "identity":
        return {id: score if sign > 0 else 1.0 - score for id, score in scores.items()}
    signed = {id: sign * score for id, score in scores.items()}
    if scale == "logistic":
        midpoint, slope = sign * float(table.get("midpoint", 0.0)), float(table.get("slope", 1.0))
        return {id: _logistic(slope * (score - midpoint)) for id, score in signed.items()}
    if scale == "rank":
        levels = sorted(set(signed.values()), reverse=True)
        return {id: 1.0 - levels.index(score) / len(signed) for id, score in signed.items()}
    low, high = min(signed.values(), default=0.0), max(signed.values(), default=0.0)
    if low == high:
        return dict.fromkeys(signed, 1.0)
    unit = max(abs(low), abs(high))
    return {id: (score / unit - low / unit) / (high / unit - low / unit) for id, score in signed.items()}


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, x))))


def inherited(view: View) -> dict[str, float]:
    """Relevance of every entry: the best of all that it stands for, of its silvers, and of the family it leads."""
    own = scaled(view)
    found = {id: max(own[one] for one in standing) for id, standing in view.standing_for.items()}
    latest = view.section("collapse").get("revisions") == "latest"
    best = dict(found)
    for id, one in view.fate.items():
        by = one.get("by")
        if by not in best or id not in found:
            continue
        silver_below = one["fate"] == "depth" or id in _depth_of(view, by)
        if silver_below or (latest and one.get("relation") == "revision"):
            best[by] = max(best[by], found[id])
    for gold in best:
        for silver in _depth_of(view, gold):
            if silver in found:
                best[gold] = max(best[gold], found[silver])
    return best


def _depth_of(view: View, id: str) -> list[str]:
    for seat in view.seats:
        if seat["id"] == id:
            return list(seat["depth"])
    return []
