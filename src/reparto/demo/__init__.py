"""The shipped example: an evening without light in a fictional city, in English and Spanish.

`feed()` is a bank of four queries (query, class, ranked candidates, the facts each candidate carries);
`documents()` are the same texts for an index. All of it was written for this project.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

_DOCUMENT_FIELDS = (
    "title",
    "source",
    "published",
    "url",
    "language",
    "tier",
    "concept",
    "version",
    "metadata",
)


def feed_path() -> Traversable:
    """Where the bank lies: `feed.jsonl` of this package, a query a line."""
    return files("reparto.demo").joinpath("feed.jsonl")


def feed() -> list[dict[str, Any]]:
    """Read the bank: a fresh `{"query_id", "query", "query_class", "candidates", "facts"}` for each query."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in _text().splitlines()]
    return lines


def documents() -> list[dict[str, Any]]:
    """Read the texts as documents in order of id; chunks are put together again by their offsets.

    Fields: `id`, `text` and what is known of title, source, published, url, language, tier, concept, version
    and metadata.
    """
    candidates = {one["id"]: one for line in feed() for one in line["candidates"]}
    whole: dict[str, list[dict[str, Any]]] = {}
    for one in candidates.values():
        chunk = "start" in one
        whole.setdefault(one["document"] if chunk else one["id"], []).append(one)
    found = []
    for id, parts in sorted(whole.items()):
        parts.sort(key=lambda one: int(one.get("start", 0)))
        text = ""
        for one in parts:
            text = text[: one.get("start", 0)] + one["text"]
        known = {name: parts[0][name] for name in _DOCUMENT_FIELDS if name in parts[0]}
        found.append({"id": id, "text": text, **known})
    return found


@cache
def _text() -> str:
    return feed_path().read_text(encoding="utf-8")
