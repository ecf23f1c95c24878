"""Documents as rerankers get them: a text, an object, or a text that is itself a JSON or YAML object with metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reparto.service.reading import deeper_than

TEXTS = ("text", "content", "body", "passage", "snippet", "page_content", "chunk")
# What else a field may be called. Nothing that ranks or certifies (score, tier, copies, concept) is read from a text:
# whoever wrote the text could have written it.
NAMES: Mapping[str, str] = {
    "document": "document",
    "document_id": "document",
    "doc_id": "document",
    "source": "source",
    "outlet": "source",
    "site": "source",
    "domain": "source",
    "published": "published",
    "published_at": "published",
    "date": "published",
    "url": "url",
    "title": "title",
    "language": "language",
    "lang": "language",
    "version": "version",
    "start": "start",
    "end": "end",
}
DEPTH = 16
YAML_BUDGET = 2**20  # characters of YAML read for one request
_KEY = re.compile(r"""^\s*(?:---\s*\n\s*)?["']?[A-Za-z_][\w .-]{0,40}["']?\s*:(?:\s|$)""")
_TEXT_KEY = re.compile(rf"""^["']?(?:{"|".join(TEXTS)})["']?\s*:""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Document:
    """What is compared and ranked, and the candidate fields found beside it."""

    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)


class DocumentReader:
    """Reads the documents of one request. What cannot be read as an object with a text is a text: never an error."""

    def __init__(self, rank_fields: Sequence[str] = (), parse: bool = True) -> None:
        self._texts, self._parse, self._budget = tuple(rank_fields), parse, YAML_BUDGET

    def __call__(self, given: str | Mapping[str, Any]) -> Document:
        """One document."""
        if isinstance(given, Mapping):
            return self._of_object(given) or Document(_all_text(given))
        if not self._parse:
            return Document(given)
        found = self._json(given) if given.lstrip()[:1] == "{" else self._yaml(given)
        return (self._of_object(found) if found is not None else None) or Document(given)

    def _of_object(self, given: Mapping[str, Any]) -> Document | None:
        if self._texts:
            parts = [str(given[name]) for name in self._texts if _said(given.get(name))]
        else:
            parts = [one for name in TEXTS if (one := words_of(given.get(name))) is not None][:1]
        if not parts:
            return None
        fields: dict[str, Any] = {}
        metadata: dict[str, Any] = {}
        for name, value in given.items():
            known = NAMES.get(name.lower())
            if known is not None and known not in fields and (read := _value(known, value)) is not None:
                fields[known] = read
            elif name not in TEXTS and name not in self._texts:
                metadata[name] = value
        if not ("start" in fields and "end" in fields and fields["start"] <= fields["end"]):
            fields.pop("start", None), fields.pop("end", None)
        if metadata:
            fields["metadata"] = metadata
        return Document("\n".join(parts), fields)

    def _json(self, text: str) -> Mapping[str, Any] | None:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and not deeper_than(found, DEPTH) else None

    def _yaml(self, text: str) -> Mapping[str, Any] | None:
        if not _KEY.match(text) or not _TEXT_KEY.search(text) or len(text) > self._budget:
            return None
        self._budget -= len(text)
        return yaml_object(text)


def yaml_object(text: str) -> dict[str, Any] | None:
    """The scalars of a YAML mapping as texts, by key; None for anything else.

    Read from the parser's events: nothing is constructed, nested values are passed over without recursion, and an
    alias ends the reading, so that neither depth nor expansion costs anything.
    """
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Any] = {}
    key: str | None = None
    depth = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                return None
            if isinstance(event, yaml.CollectionStartEvent):
                if depth == 0 and not isinstance(event, yaml.MappingStartEvent):
                    return None
                if depth == 1 and key is None:  # a key that is itself a collection
                    return None
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
                key = None if depth == 1 else key
            elif isinstance(event, yaml.ScalarEvent) and depth == 0:
                return None
            elif isinstance(event, yaml.ScalarEvent) and depth == 1:
                if key is None:
                    key = event.value
                else:
                    found[key] = None if not event.style and event.value in ("", "~", "null") else event.value
                    key = None
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return found or None


def _value(name: str, value: Any) -> Any:
    """A field's value in the form that candidates have, or None."""
    if name in ("start", "end"):
        try:
            number = int(value) if not isinstance(value, bool) else -1
        except (TypeError, ValueError, OverflowError):
            return None
        return number if number >= 0 else None
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        return None
    return str(value)


def words_of(value: Any) -> str | None:
    """A text, or the texts among the parts of a multi-modal value (`[{"type": "text", "text": …}, …]`); else None."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        return None
    return "\n".join(one["text"] for one in value if isinstance(one.get("text"), str)) or None


def _said(value: Any) -> bool:
    """Whether a field's value is one that can be read as words: a text or a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _all_text(given: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in given.items() if isinstance(value, str | int | float))
