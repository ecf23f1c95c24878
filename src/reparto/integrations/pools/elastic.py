"""Elasticsearch and OpenSearch: candidates from a search response, with what their `collapse` already grouped.

No client is needed: the response of any client, as a mapping, is read. Nothing here talks to a server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.errors import Problem, RequestError
from reparto.integrations.mapping import candidate


def pool(
    response: Mapping[str, Any],
    *,
    text: str = "text",
    vector: str | None = None,
    fields: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Candidates from the hits of a response; `text` and `vector` may be dotted paths into `_source`.

    A hit's `inner_hits` (of `collapse`) become `copies`: their total, ids, documents and sources. Ids are
    `_index/_id` when the response spans several indices, else `_id`. A hit without a score (sorted by a field) makes
    the whole response count by order.
    """
    try:
        hits = list(response["hits"]["hits"])
    except (KeyError, TypeError) as error:
        raise RequestError(
            Problem("not_a_response", "there are no hits.hits in it", "give a search response", field="hits")
        ) from error
    several = len({hit.get("_index") for hit in hits}) > 1
    scored = all(hit.get("_score") is not None for hit in hits)
    return [
        _candidate(hit, several, hit["_score"] if scored else 1.0 - place / len(hits), text, vector, fields)
        for place, hit in enumerate(hits)
    ]


def _candidate(
    hit: Mapping[str, Any], several: bool, score: float, text: str, vector: str | None, fields: Mapping[str, str] | None
) -> dict[str, Any]:
    source = dict(hit.get("_source") or {})
    body, numbers = _at(source, text), _at(source, vector) if vector else None
    metadata = {name: value for name, value in source.items() if name not in (text, vector)}
    made = candidate(_id(hit, several), body or "", float(score), metadata, numbers, fields)
    groups = hit.get("inner_hits") or {}
    if groups:
        made["copies"] = _copies(hit, groups, several, made)
    return made


def _copies(
    hit: Mapping[str, Any], groups: Mapping[str, Any], several: bool, made: Mapping[str, Any]
) -> dict[str, Any]:
    inner = [one for group in groups.values() for one in group["hits"]["hits"]]
    total = max((_total(group["hits"]["total"]) for group in groups.values()), default=1)
    ids = dict.fromkeys([made["id"], *(_id({"_index": hit.get("_index"), **one}, several) for one in inner)])
    sources = dict.fromkeys(
        value for one in [hit, *inner] if isinstance(value := (one.get("_source") or {}).get("source"), str)
    )
    return {"count": max(total, len(ids)), "ids": list(ids), "sources": list(sources)}


def _total(total: Any) -> int:
    return int(total["value"]) if isinstance(total, Mapping) else int(total)


def _id(hit: Mapping[str, Any], several: bool) -> str:
    return f"{hit.get('_index')}/{hit['_id']}" if several else str(hit["_id"])


def _at(source: Any, path: str) -> Any:
    if isinstance(source, Mapping) and path in source:
        return source[path]
    for part in path.split("."):
        source = source.get(part) if isinstance(source, Mapping) else None
    return source
