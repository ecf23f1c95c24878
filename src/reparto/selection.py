"""What comes out: seats, a decision for every candidate, a report. Ready for JSON, for a prompt, for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reparto.encodable import is_encodable
from reparto.errors import Problem, RequestError
from reparto.finite import finite
from reparto.model import EMPTY, Decision, Notice, Span


@dataclass(frozen=True, slots=True)
class Copies:
    """What a seat stands for. `count` includes the seat's own passage and any multiplicity its members brought."""

    count: int = 1
    ids: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    first_published: str | None = None
    last_published: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "count": self.count,
            "ids": list(self.ids),
            "documents": list(self.documents),
            "sources": list(self.sources),
            "first_published": self.first_published,
            "last_published": self.last_published,
        }


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat. `id`, `text` and `score` are the representative's own; `relevance` is what it ranked by."""

    seat: int
    id: str
    text: str
    score: float
    relevance: float
    redundancy: float
    value: float
    document: str | None
    source: str | None
    published: str | None
    tokens: int
    span: Span | None
    copies: Copies
    depth: tuple[str, ...]
    filled: bool
    because: str
    metadata: Mapping[str, Any]
    title: str | None = None
    url: str | None = None
    language: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        span = self.span
        return {
            "seat": self.seat,
            "id": self.id,
            "text": self.text,
            "score": self.score,
            "relevance": self.relevance,
            "redundancy": self.redundancy,
            "value": self.value,
            "document": self.document,
            "source": self.source,
            "published": self.published,
            "tokens": self.tokens,
            "span": None
            if span is None
            else {
                "document": span.document,
                "start": span.start,
                "end": span.end,
                "members": list(span.members),
                "gaps": span.gaps,
            },
            "copies": self.copies.to_dict(),
            "depth": list(self.depth),
            "filled": self.filled,
            "because": self.because,
            "metadata": dict(self.metadata),
            "title": self.title,
            "url": self.url,
            "language": self.language,
        }


@dataclass(frozen=True, eq=False)
class Selection:
    """The answer to one request. Iterates over its seats."""

    query: str
    query_class: str
    class_from: str
    contract: Mapping[str, Any]
    seats: tuple[Seat, ...]
    decisions: tuple[Decision, ...]
    report: Mapping[str, Any]
    warnings: tuple[Notice, ...] = ()
    policy: Mapping[str, Any] = field(default_factory=lambda: EMPTY, repr=False)

    def __len__(self) -> int:
        """Number of seats."""
        return len(self.seats)

    def __iter__(self) -> Any:
        """Seats in the order of delivery."""
        return iter(self.seats)

    def __getitem__(self, place: int) -> Seat:
        """A seat by its place, from 0."""
        return self.seats[place]

    @property
    def ids(self) -> list[str]:
        """The seats' ids in order."""
        return [seat.id for seat in self.seats]

    def decision(self, id: str) -> Decision:
        """The fate of one candidate; an unknown id raises `RequestError`."""
        for one in self.decisions:
            if one.id == str(id):
                return one
        raise RequestError(
            Problem(
                "unknown_id", f"no candidate {id!r:.80} in this selection", "see `decisions` for the ids", id=str(id)
            )
        )

    def explain(self, id: str) -> str:
        """Why this candidate got, lost or shared its seat, in a few lines of text."""
        from reparto.explain import explain

        return explain(self, str(id))

    def to_dict(self) -> dict[str, Any]:
        """The wire form of a selection."""
        return {
            "query": self.query,
            "query_class": self.query_class,
            "class_from": self.class_from,
            "contract": dict(self.contract),
            "seats": [seat.to_dict() for seat in self.seats],
            "decisions": [decision.to_dict() for decision in self.decisions],
            "report": dict(self.report),
            "warnings": [notice.to_dict() for notice in self.warnings],
        }

    def to_json(self, indent: int | None = None) -> str:
        """The wire form as JSON text; a lone surrogate is escaped, so it can always be encoded as UTF-8."""
        return to_json(self.to_dict(), indent)

    def to_context(self) -> str:
        """Numbered passages with provenance, ready for a prompt; cite them as [1], [2], …

        Invisible characters are stripped and each passage is fenced, so that a text cannot pass for an instruction
        or for another passage.
        """
        from reparto.render.context import context

        return context(self)

    def __repr__(self) -> str:
        """One line a seat."""
        of = f"{len(self.seats)} seats of {self.report.get('candidates')} candidates"
        head = f"Selection({of}, class {self.query_class!r})"
        lines = [
            f"  {seat.seat}. {seat.id}  relevance {seat.relevance:.3f}  x{seat.copies.count}"
            f"{'  filled' if seat.filled else ''}  {_short(seat.text)}"
            for seat in self.seats
        ]
        return "\n".join([head, *lines])


def _short(text: str, width: int = 60) -> str:
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width else line[: width - 1] + "…"


def to_json(value: Any, indent: int | None = None) -> str:
    """JSON text that can always be encoded as UTF-8; what JSON cannot say (NaN, Infinity) is null."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain, allow_nan=False)
    except ValueError:
        value = finite(json.loads(json.dumps(value, default=_plain)))
        text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text if is_encodable(text) else json.dumps(value, ensure_ascii=True, indent=indent, default=_plain)


def _plain(value: Any) -> Any:
    """What metadata may hold in Python but not in JSON."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Sequence | set | frozenset):
        return list(value)
    return str(value)
