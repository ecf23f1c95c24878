"""What part of a corpus a search is about: fields that must equal, and a stretch of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reparto.documents import TEXT_FIELDS, end_of, instant
from reparto.encodable import is_encodable
from reparto.errors import CorpusError, Problem, nearest

COLUMNS = ("document", *TEXT_FIELDS)


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that all hold; values of one field are alternatives.

    `fields` maps a document field, `document` (its id) or `metadata.NAME` to the allowed values, compared as
    text. `since` and `until` are seconds since 1970, both inclusive; a document without a readable date is
    outside both.
    """

    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    since: float | None = None
    until: float | None = None

    def __bool__(self) -> bool:
        """Whether anything is filtered."""
        return bool(self.fields) or self.since is not None or self.until is not None

    def match(self, row: Mapping[str, Any]) -> bool:
        """Whether a row (document fields, `document`, `metadata`, `instant`) passes."""
        if self.since is not None or self.until is not None:
            moment = row.get("instant")
            if moment is None:
                return False
            if (self.since is not None and moment < self.since) or (self.until is not None and moment > self.until):
                return False
        return all(text_of(_value(row, name)) in allowed for name, allowed in self.fields)


def filters_from(
    where: Sequence[str] | Mapping[str, Any] = (), since: str | None = None, until: str | None = None
) -> Filters:
    """Filters from `FIELD=VALUE` texts (or a mapping to a value or a list) and two ISO 8601 bounds.

    Raises `CorpusError` with every fault: no `=`, an unknown field (nearest name), an unreadable date.
    """
    problems: list[Problem] = []
    pairs: dict[str, list[str]] = {}
    if isinstance(where, Mapping):
        given = [(str(k), one) for k, v in where.items() for one in (v if isinstance(v, list | tuple) else [v])]
    else:
        given = []
        for text in where:
            name, equals, value = text.partition("=")
            if not equals:
                message = f"{text!r} is not FIELD=VALUE"
                problems.append(Problem("where", message, "write for example source=EFE", field="where"))
                continue
            given.append((name.strip(), value))
    for name, value in given:
        if not is_encodable(f"{name}{text_of(value)}"):
            message = f"the name or value of {name!a} has half a character (a lone surrogate)"
            problems.append(Problem("where_text", message, "send whole characters", field="where"))
            continue
        if name in COLUMNS or (name.startswith("metadata.") and name != "metadata."):
            pairs.setdefault(name, []).append(text_of(value) or "")
            continue
        close = nearest(name, COLUMNS)
        hint = f"did you mean {close}? " if close else ""
        remedy = f"{hint}use metadata.NAME or one of: {', '.join(COLUMNS)}"
        problems.append(Problem("where_field", f"unknown field {name!r}", remedy, field="where"))
    bounds = {"since": (since, instant(since)), "until": (until, end_of(until) if until else None)}
    problems += [
        Problem("date", f"{bound!r} is no ISO 8601 date", "write 2026-11-30 or 2026-11-30T08:00Z", field=name)
        for name, (bound, moment) in bounds.items()
        if bound and moment is None
    ]
    if problems:
        raise CorpusError(problems)
    fields = tuple((name, tuple(values)) for name, values in sorted(pairs.items()))
    return Filters(fields, bounds["since"][1], bounds["until"][1])


def _value(row: Mapping[str, Any], name: str) -> Any:
    if not name.startswith("metadata."):
        return row.get(name)
    metadata: Any = row.get("metadata") or {}
    path = name.removeprefix("metadata.")
    if path in metadata:
        return metadata[path]
    for part in path.split("."):
        metadata = metadata.get(part) if isinstance(metadata, Mapping) else None
    return metadata


def text_of(value: Any) -> str | None:
    """Numbers and truth values as JSON writes them, so that `--where metadata.year=2024` works."""
    if value is None:
        return None
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
