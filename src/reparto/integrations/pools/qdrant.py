"""Qdrant: a pool with scores and vectors in one call. Extra `qdrant`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.errors import MissingExtraError
from reparto.integrations.mapping import candidate

try:
    from qdrant_client import QdrantClient
except ImportError as error:
    raise MissingExtraError("the Qdrant adapter", "qdrant") from error


def pool(
    client: QdrantClient,
    collection: str,
    query: Any,
    limit: int = 50,
    *,
    text: str = "text",
    vector: str | None = None,
    fields: Mapping[str, str] | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """Candidates for a query (a vector, or anything `query_points` takes), ready for `reparto.select`.

    Ask for at least five times the seats: a limit of k leaves nothing to choose from. `vector` names one of several
    vectors of a point. Options go to `query_points` (`query_filter`, `prefetch`, `using`, …). Points without the text
    payload are kept with an empty text, so nothing is dropped silently.
    """
    if vector is not None:
        options.setdefault("using", vector)
    found = client.query_points(
        collection, query=query, limit=limit, with_payload=True, with_vectors=[vector] if vector else True, **options
    )
    return [_candidate(point, text, fields) for point in found.points]


def _candidate(point: Any, text: str, fields: Mapping[str, str] | None) -> dict[str, Any]:
    payload = dict(point.payload or {})
    body = payload.pop(text, "") or ""
    held = point.vector
    if isinstance(held, dict):
        made = candidate(str(point.id), body, point.score, payload, None, fields)
        dense = {
            name: one for name, one in held.items() if isinstance(one, list) and one and not isinstance(one[0], list)
        }
        return {**made, "vectors": dense} if dense else made
    return candidate(str(point.id), body, point.score, payload, held, fields)
