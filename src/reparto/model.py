"""The nouns of selection: candidate, entry, pool, decision, step. All frozen; stages make new ones.

A *candidate* is what the caller sent. An *entry* is what competes for a seat: one candidate, or a span merged
from several, together with the copies and the depth it stands for. A *pool* is the entries in rank order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reparto.records import record, value

Floats = NDArray[np.float64]
Vector = NDArray[np.floating[Any]]

EMPTY: Mapping[str, Any] = MappingProxyType({})


class Fate(StrEnum):
    """What became of a candidate; every input id has exactly one."""

    SEATED = "seated"
    COPY = "copy"
    MERGED = "merged"
    DEPTH = "depth"
    OUTRANKED = "outranked"
    OVER_BUDGET = "over_budget"
    INVALID = "invalid"


class Relation(StrEnum):
    """How a candidate relates to the one named by its decision's `by`."""

    EXACT = "exact"
    NEAR = "near"
    CONTAINED = "contained"
    VECTOR = "vector"
    UPDATE = "update"
    REVISION = "revision"
    TRANSLATION = "translation"


@value
class Multiplicity:
    """Copies a candidate already stands for, from index time. `count` includes the candidate itself."""

    count: int = 1
    ids: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    first_published: str | None = None
    last_published: str | None = None


@record
class Candidate:
    """One ranked passage as the caller gave it, read and checked but not changed.

    `score` is the ranker's own number. `vectors` maps a field name to a 1-d array (not normalised, not copied when
    it came as numpy). `start`, `end` are half-open code-point offsets in `document`. `published` is the text as
    given, `instant` the moment it denotes (aware; UTC where no zone was given, which `zoneless` records).
    `valid` is False for a fault of value (fate `invalid`). `signature` is a stored fingerprint in place of `text`.
    """

    id: str
    score: float
    text: str = ""
    vectors: Mapping[str, Vector] = field(default_factory=lambda: EMPTY)
    document: str | None = None
    source: str | None = None
    start: int | None = None
    end: int | None = None
    version: str | None = None
    published: str | None = None
    instant: datetime | None = None
    zoneless: bool = False
    tier: str | None = None
    concept: str | None = None
    tokens: int | None = None
    copies: Multiplicity = Multiplicity()
    language: str | None = None
    url: str | None = None
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    signature: bytes | None = None
    valid: bool = True

    def value(self, path: str) -> Any:
        """The value of a candidate field or of `metadata.NAME`; None where absent."""
        if path.startswith("metadata."):
            name = path.removeprefix("metadata.")
            found: Any = self.metadata.get(name)
            if found is None and "." in name:
                found = self.metadata
                for part in name.split("."):
                    found = found.get(part) if isinstance(found, Mapping) else None
            return found
        return getattr(self, path, None)


@value
class Span:
    """Chunks of one document merged into one passage. `members` in document order; `gaps` counts the characters
    between chunks that no chunk covered and that were taken for white space.
    """

    document: str
    start: int
    end: int
    members: tuple[str, ...]
    gaps: int = 0


@record
class Entry:
    """What competes for a seat.

    `candidate` is the representative; of a span it is the best-scored member, and `absorbed` holds all its members
    in document order (`member_tokens` their summed length). `relevance` is the scaled relevance it ranks by,
    inherited or its own. `copies` are the other entries it stands for. `depth` are ids of silver variants.
    `fallback` is the decision it takes when it gets no seat; with `waits` it may be seated only when seats stay empty
    (a silver under its gold, a revision older than the newest). `revision` says of which entry it is a revision, and
    `family` is the id of the leader of its family of revisions.
    """

    candidate: Candidate
    relevance: float
    text: str
    tokens: int
    span: Span | None = None
    absorbed: tuple[Candidate, ...] = ()
    member_tokens: int = 0
    copies: tuple[Entry, ...] = ()
    depth: tuple[str, ...] = ()
    waits: bool = False
    fallback: Decision | None = None
    revision: Decision | None = None
    family: str | None = None

    @property
    def id(self) -> str:
        """The representative's id."""
        return self.candidate.id

    def all_candidates(self) -> tuple[Candidate, ...]:
        """Every candidate behind this entry: its own, its span's members, and those of its copies."""
        own = self.absorbed or (self.candidate,)
        if not self.copies:
            return own
        return own + tuple(one for copy in self.copies for one in copy.all_candidates())


@record
class Pool:
    """Entries in rank order: relevance descending, then id ascending by code point."""

    entries: tuple[Entry, ...]
    query: str = ""

    def __len__(self) -> int:
        """Number of entries."""
        return len(self.entries)


@value
class Decision:
    """The fate of one candidate. `evidence` holds the numbers that were compared, each within its range."""

    id: str
    fate: Fate
    by: str | None = None
    relation: Relation | None = None
    evidence: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    seat: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "id": self.id,
            "fate": str(self.fate),
            "by": self.by,
            "relation": str(self.relation) if self.relation else None,
            "evidence": dict(self.evidence),
            "seat": self.seat,
        }


@value
class Notice:
    """A warning: nothing failed, but someone should know. `ids` in ascending order."""

    code: str
    message: str
    ids: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {"code": self.code, "message": self.message, "ids": list(self.ids)}


@record
class Step:
    """What a stage returns: the pool that goes on, a decision for every candidate that does not, and warnings."""

    pool: Pool
    decisions: tuple[Decision, ...] = ()
    notices: tuple[Notice, ...] = ()


class Stage(Protocol):
    """A small frozen object. No I/O, no clock, no globals; the input is not mutated."""

    def __call__(self, pool: Pool) -> Step:
        """Transform the pool."""
        ...
