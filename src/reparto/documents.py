"""The document: what a reader yields, what an index stores, and what a chunk is cut from."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

import xxhash

from reparto.encodable import encodable, is_encodable
from reparto.errors import CorpusError, Problem
from reparto.model import EMPTY

TEXT_FIELDS = ("title", "source", "published", "url", "language", "tier", "concept", "version")
FIELDS = ("id", "text", *TEXT_FIELDS, "metadata", "markup")
_KNOWN = frozenset(("id", "text", *TEXT_FIELDS))


@dataclass(frozen=True, slots=True)
class Document:
    """One document. `id` is its identity across files and loads: loading it again replaces it.

    `published` is ISO 8601 as given; `markup` is `plain`, `markdown` or `mail` and only steers the chunker.
    """

    id: str
    text: str
    title: str | None = None
    source: str | None = None
    published: str | None = None
    url: str | None = None
    language: str | None = None
    tier: str | None = None
    concept: str | None = None
    version: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    markup: str = "plain"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, absent fields left out; `document_from` reads it back."""
        wire: dict[str, Any] = {"id": self.id, "text": self.text}
        wire.update({name: getattr(self, name) for name in TEXT_FIELDS if getattr(self, name) is not None})
        if self.metadata:
            wire["metadata"] = dict(self.metadata)
        if self.markup != "plain":
            wire["markup"] = self.markup
        return wire

    def digest(self) -> str:
        """128-bit hash of everything the document says, in hex: equal digests are one version of it."""
        wire = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return xxhash.xxh3_128_hexdigest(wire.encode("ascii"))

    def value(self, path: str) -> Any:
        """The value of a field or of `metadata.NAME`; None where absent."""
        if not path.startswith("metadata."):
            return getattr(self, path) if path in FIELDS else None
        found: Any = self.metadata
        name = path.removeprefix("metadata.")
        if name in self.metadata:
            return self.metadata[name]
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found


def document_from(record: Any, line: int | None = None) -> Document:
    """A document from a JSON object; raises `CorpusError` with every problem of the record.

    An integer id, version or source is taken as its decimal string; unknown keys go to `metadata`; null is
    absent.
    """
    plain = _plain(record) if type(record) is dict else None
    if plain is not None:
        return plain
    if not isinstance(record, Mapping):
        problem = Problem("document_not_object", "a document must be a JSON object", 'send {"id", "text"}')
        raise CorpusError(_at(problem, None, line))
    problems: list[Problem] = []
    known = {name: record[name] for name in FIELDS if record.get(name) is not None}
    name = _scalar(known.get("id"))
    if name is None or name == "":
        problems.append(Problem("document_id", "a document needs an id", "give `id` a string", field="id"))
    text = known.get("text")
    if not isinstance(text, str):
        remedy = "give `text` a string"
        problems.append(Problem("document_text", "a document needs its text", remedy, field="text"))
    fields: dict[str, Any] = {}
    for key in TEXT_FIELDS:
        if key in known:
            fields[key] = _scalar(known[key])
            if fields[key] is None:
                message = f"`{key}` must be a string, not {type(known[key]).__name__}"
                problems.append(Problem("document_field", message, "send a string or leave it out", field=key))
    metadata = known.get("metadata", {})
    if not isinstance(metadata, Mapping):
        message = "`metadata` must be an object"
        problems.append(Problem("document_field", message, "send an object", field="metadata"))
        metadata = {}
    extra = {str(key): value for key, value in record.items() if key not in FIELDS and value is not None}
    stated = {"id": name, "text": text, **fields}
    surrogate = [key for key, value in stated.items() if isinstance(value, str) and not is_encodable(value)]
    problems += [
        Problem("lone_surrogate", f"`{key}` holds half a surrogate pair", "encode the text as UTF-8", field=key)
        for key in surrogate
    ]
    if problems:
        raise CorpusError(_at(problem, name, line) for problem in problems)
    markup = known.get("markup", "plain")
    return Document(
        id=str(name),
        text=str(text),
        metadata=_finite({**extra, **dict(metadata)}),
        markup=markup if markup in {"plain", "markdown", "mail"} else "plain",
        **fields,
    )


def _plain(record: dict[Any, Any]) -> Document | None:
    """The document of a record of strings without fault or metadata, as most lines of a corpus are; else None."""
    if not _KNOWN.issuperset(record) or not record.get("id") or "text" not in record:
        return None
    try:
        for value in record.values():
            if type(value) is not str or not (value.isascii() or value.encode()):
                return None
    except UnicodeEncodeError:
        return None
    return Document(**record)


def instant(published: str | None) -> float | None:
    """Seconds since 1970 of an ISO 8601 date or time (UTC where no zone is given); None where unreadable."""
    if not published:
        return None
    try:
        text = published.strip()
        if len(text) in {4, 7} and text.replace("-", "").isdigit():
            text = f"{text}-01" if len(text) == 7 else f"{text}-01-01"
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def end_of(bound: str) -> float | None:
    """The last moment that `--until BOUND` includes: the end of the day where only a date is given."""
    try:
        day = date.fromisoformat(bound.strip())
    except ValueError:
        return instant(bound)
    return datetime.combine(day, time.max, tzinfo=UTC).timestamp()


def _scalar(value: Any) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value)
    return value if isinstance(value, str) else None


def _finite(value: Any) -> Any:
    """Metadata that any JSON reader takes back: NaN and infinities become null, keys strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, int | float) or value is None:
        return value
    return encodable(str(value))


def _at(problem: Problem, id: str | None, line: int | None) -> Problem:
    return Problem(problem.code, problem.message, problem.remedy, id, problem.field, line)


def unique(documents: Iterable[Document]) -> list[Document]:
    """One document an id, the last one given, in ascending order of id."""
    return [one for _, one in sorted({document.id: document for document in documents}.items())]
