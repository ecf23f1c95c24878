"""Answers and errors in the shapes that clients read. One superset satisfies all but TEI's."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from reparto.service.faults import Refusal
from reparto.service.rerank.asking import Asked
from reparto.service.rerank.ranking import Ranking

Echo = Callable[[Any], Any]
ERROR_TYPES: Mapping[int, str] = {
    400: "Validation",
    401: "Unauthorized",
    413: "Validation",
    422: "Validation",
    424: "Backend",
    429: "Overloaded",
    503: "Unhealthy",
}


def cohere(asked: Asked, ranking: Ranking, version: str, echo: Echo | None) -> dict[str, Any]:
    """`results`, and for Voyage (known by `top_k`) `data` too. `echo` gives a document back in the door's form."""
    results: list[dict[str, Any]] = []
    for one in ranking.results:
        result: dict[str, Any] = {"index": one.index, "relevance_score": one.score}
        if echo is not None and asked.echo:
            result["document"] = echo(asked.given[one.index])
        results.append(result)
    meta: dict[str, Any] = {"api_version": {"version": version}, "billed_units": {"search_units": 1}}
    if ranking.warnings:
        meta["warnings"] = list(ranking.warnings)
    answer: dict[str, Any] = {
        "id": f"rerank-{secrets.token_hex(12)}",
        "object": "list" if asked.voyage else "rerank",
        "model": asked.model or "reparto",
        "results": results,
        "usage": {"prompt_tokens": ranking.tokens, "total_tokens": ranking.tokens},
        "meta": meta,
    }
    if asked.voyage:
        answer["data"] = [{**one, "document": asked.given[one["index"]]} if asked.echo else one for one in results]
    return answer


def tei(asked: Asked, ranking: Ranking) -> list[dict[str, Any]]:
    """A bare array."""
    if asked.echo:
        return [{"index": one.index, "score": one.score, "text": asked.given[one.index]} for one in ranking.results]
    return [{"index": one.index, "score": one.score} for one in ranking.results]


def as_object(given: Any) -> Any:
    """A document as Cohere's v1 and Jina give it back: `{"text": …}`, or the object that was sent."""
    return {"text": given} if isinstance(given, str) else given


def cohere_error(refusal: Refusal) -> dict[str, Any]:
    """Cohere's `message` beside the problems."""
    return {"message": str(refusal), **refusal.to_dict()}


def plain_error(refusal: Refusal) -> dict[str, Any]:
    """TEI's `error` and `error_type` as well: at `/rerank` it may not be known which client asks."""
    kind = ERROR_TYPES.get(refusal.status, "Validation")
    return {"error": str(refusal), "error_type": kind, **cohere_error(refusal)}


def headers(ranking: Ranking) -> dict[str, str]:
    """Say in the head of the answer what its body may have no place for."""
    named = {"X-Reparto-Seats": str(ranking.seats)}
    if ranking.warnings:
        named["X-Reparto-Degraded"] = "; ".join(ranking.warnings).encode("ascii", "replace").decode()
    return named
