"""What an upstream reranker is asked and what it answers, by protocol. Answers are untrusted,
unsorted and may be partial.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Protocol:
    """How to ask, and where in the answer the scores are."""

    body: Callable[[str, Sequence[str], str | None], dict[str, Any]]
    listed: Callable[[Any], Any]


def _cohere(query: str, documents: Sequence[str], model: str | None) -> dict[str, Any]:
    body = {"query": query, "documents": list(documents), "top_n": len(documents)}
    return {"model": model, **body} if model else body


def _voyage(query: str, documents: Sequence[str], model: str | None) -> dict[str, Any]:
    body = {"query": query, "documents": list(documents), "top_k": len(documents)}
    return {"model": model, **body} if model else body


def _tei(query: str, documents: Sequence[str], model: str | None) -> dict[str, Any]:
    return {"query": query, "texts": list(documents), "raw_scores": False, "truncate": True}


def _under(*names: str) -> Callable[[Any], Any]:
    def listed(answer: Any) -> Any:
        if isinstance(answer, Mapping):
            return next((answer[name] for name in names if name in answer), None)
        return answer

    return listed


PROTOCOLS: Mapping[str, Protocol] = {
    "cohere": Protocol(_cohere, _under("results", "data")),
    "voyage": Protocol(_voyage, _under("data", "results")),
    "tei": Protocol(_tei, _under("results", "data")),
}


class BadAnswerError(Exception):
    """An answer without a single usable score."""


def scores_of(answer: Any, listed: Callable[[Any], Any], number: int) -> tuple[list[float], int]:
    """A finite score for each of `number` documents, and how many the answer left out.

    Indices out of range, scores that are not finite and repeats (the best counts) are no scores. What was left out
    goes below what was scored, never above: half the least score where all are in 0..1, else one below it.
    """
    items = listed(answer)
    found: dict[int, float] = {}
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, Mapping):
            continue
        index, score = item.get("index"), item.get("relevance_score", item.get("score"))
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < number:
            continue
        if isinstance(score, bool) or not isinstance(score, int | float) or not _finite(score):
            continue
        found[index] = max(float(score), found.get(index, -math.inf))
    if not found:
        raise BadAnswerError("no usable score in the answer")
    least = min(found.values())
    unit = least >= 0 and max(found.values()) <= 1
    below = least / 2 if unit else least - 1
    return [found.get(place, below) for place in range(number)], number - len(found)


def _finite(score: float) -> bool:
    try:
        return math.isfinite(score)
    except OverflowError:
        return False
