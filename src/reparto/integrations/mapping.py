"""From other people's passages to candidates: which metadata key holds which candidate field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Where frameworks and stores usually keep what reparto asks for; the first key present is taken.
USUAL: Mapping[str, Sequence[str]] = {
    "document": ("document", "document_id", "doc_id", "ref_doc_id", "source_id", "parent_id"),
    "source": ("source", "outlet", "site", "domain"),
    "start": ("start", "start_index", "start_char_idx", "split_idx_start"),
    "end": ("end", "end_index", "end_char_idx"),
    "published": ("published", "published_at", "date", "created_at"),
    "version": ("version",),
    "tier": ("tier",),
    "concept": ("concept",),
    "language": ("language", "lang"),
    "url": ("url", "link"),
    "title": ("title",),
    "copies": ("copies",),
}


def candidate(
    id: str,
    text: str,
    score: float | None,
    metadata: Mapping[str, Any] | None = None,
    vector: Any = None,
    fields: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """One raw candidate. `fields` maps candidate fields to metadata keys and overrides `USUAL`.

    A chunk with a start and no end ends where its text does; without a document its offsets mean nothing and are left
    out. Values of another type than a field takes (a date object in `source`, say) stay metadata only.
    """
    held = dict(metadata or {})
    found: dict[str, Any] = {"id": id, "text": text, "metadata": held}
    if score is not None:
        found["score"] = score
    if vector is not None and len(vector):
        found["vector"] = vector
    for name, keys in USUAL.items():
        wanted = (fields[name],) if fields and name in fields else keys
        value = next((held[key] for key in wanted if held.get(key) is not None), None)
        if value is not None and _fits(name, value):
            found[name] = value
    _complete_offsets(found)
    return found


def _fits(name: str, value: Any) -> bool:
    if name in ("start", "end"):
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if name == "copies":
        return isinstance(value, Mapping)
    if name == "tier":
        return value in ("gold", "silver")
    return (
        isinstance(value, str)
        or (isinstance(value, int) and not isinstance(value, bool))
        or hasattr(value, "isoformat")
    )


def _complete_offsets(found: dict[str, Any]) -> None:
    start = found.get("start")
    if start is None or "document" not in found:
        found.pop("start", None)
        found.pop("end", None)
    else:
        found.setdefault("end", start + len(found["text"]))


def by_rank(count: int) -> list[float]:
    """Scores for a list that came in order but without scores: 1 down to 1 / count, evenly."""
    return [1.0 - place / count for place in range(count)]
