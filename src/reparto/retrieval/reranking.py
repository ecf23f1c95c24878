"""A reranker between retrieval and selection: any endpoint that speaks Cohere's, Jina's, vLLM's or TEI's
rerank.

`POST URL` with `{"model", "query", "documents"}` (TEI: `texts`). The reply is untrusted: its size and time
are bounded, and every index and score is checked before it is used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reparto.endpoint import Endpoint
from reparto.errors import CorpusError, Problem

if TYPE_CHECKING:
    from reparto.retrieval.hybrid import Found


@dataclass(frozen=True, slots=True)
class Reranker:
    """Scores from an endpoint in place of those of retrieval, which stay in `metadata.retrieval`."""

    endpoint: Endpoint
    model: str = ""

    def reranked(self, query: str, found: Sequence[Found]) -> list[Found]:
        """Candidates with the endpoint's scores, in its order; ties by id."""
        if not found:
            return []
        texts = [one.row.chunk.text for one in found]
        body: dict[str, Any] = {"query": query, "documents": texts, "texts": texts, "top_n": len(texts)}
        scores = _scores(self.endpoint.post({**({"model": self.model} if self.model else {}), **body}), len(found))
        fresh = [replace(one, score=score) for one, score in zip(found, scores, strict=True)]
        return sorted(fresh, key=lambda one: (-one.score, one.row.chunk.id))


def _scores(reply: Any, number: int) -> list[float]:
    """One finite score a document, from `results` (or a bare list) of `{"index", "relevance_score" |
    "score"}`.
    """
    listed = reply.get("results", reply.get("data")) if isinstance(reply, Mapping) else reply
    scores: dict[int, float] = {}
    for item in listed if isinstance(listed, list) else []:
        index = item.get("index") if isinstance(item, Mapping) else None
        score = item.get("relevance_score", item.get("score")) if isinstance(item, Mapping) else None
        if isinstance(index, int) and isinstance(score, int | float) and math.isfinite(score):
            scores[index] = float(score)
    if sorted(scores) != list(range(number)):
        message = f"the reranker scored {len(scores)} of {number} documents"
        raise CorpusError(Problem("reranker", message, "it must return every index once, with a finite score"))
    return [scores[index] for index in range(number)]
