"""What every store keeps and does. The rows are plain frozen records; a store decides nothing about
selection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reparto.documents import Document
from reparto.errors import Problem
from reparto.stores.filters import Filters
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest

Matrix = NDArray[np.float32]
SAYS_NOTHING_NEW = 0.9


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage cut from a document: `text` is the document's `[start, end)`, in code points."""

    id: str
    document: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Membership:
    """A chunk's place in its group, which is named by its leader's id: `by` (its own for a leader).

    `within`: where its document is a copy of another, the share of its shingles that the other's whole text has.
    """

    by: str
    relation: str | None = None
    resemblance: float | None = None
    containment: float | None = None
    within: float | None = None

    def leads(self, id: str) -> bool:
        """Whether the chunk `id` stands for the group."""
        return self.by == id

    def shown(self, id: str) -> bool:
        """Whether the chunk `id` is retrieved: a leader, or a copy of which a tenth or more is not in its leader.

        A copy that says nothing of its own is only counted; one that was rewritten or added to can be found by what
        it adds. Nor is a chunk shown that lies `within` the document that its own document is a copy of.
        """
        if (self.within or 0.0) >= SAYS_NOTHING_NEW:
            return False
        return self.leads(id) or (self.relation != "exact" and (self.containment or 0.0) < SAYS_NOTHING_NEW)


@dataclass(frozen=True, slots=True)
class Standing:
    """A document's place in its group of documents, and what that group amounts to (columns as `dedupe` writes them).

    `by` is the leading document (itself where it leads); `copies`, `sources` and `first_published` are of the whole
    group. `lacks` are the leader's chunks that this document does not carry.
    """

    by: str
    relation: str | None = None
    resemblance: float | None = None
    containment: float | None = None
    copies: int = 1
    sources: int = 0
    first_published: str | None = None
    revision_of: str | None = None
    wire: str | None = None
    wire_by: str | None = None
    canonical_url: str | None = None
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A document with its chunks and their vectors (row i for chunk i; None where there is no embedder)."""

    document: Document
    digest: str
    chunks: tuple[Chunk, ...]
    vectors: Matrix | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A chunk as retrieved, with its document's fields, its group and its vector."""

    chunk: Chunk
    fields: Mapping[str, Any]
    membership: Membership | None = None
    vector: Matrix | None = None


class Holder(NamedTuple):
    """A member of a group: who carries the text."""

    id: str
    document: str
    source: str | None
    published: str | None
    fields: Mapping[str, Any]


class Carrier(NamedTuple):
    """A document of a group: who carries the leading one, and how it stands to it."""

    id: str
    source: str | None
    published: str | None
    standing: Standing
    fields: Mapping[str, Any]


class Hit(NamedTuple):
    """A chunk found by one channel, with the channel's raw score (BM25 or cosine; higher is better) and its
    leader.
    """

    id: str
    score: float
    by: str


class Counts(NamedTuple):
    """How much a store holds."""

    documents: int
    chunks: int
    leaders: int
    vectors: int


class Store(Protocol):
    """Documents, chunks, vectors and groups, with a lexical and a dense channel.

    `write` is atomic for readers and for a kill at any moment: afterwards a document is there with all its
    chunks or as it was before. Several processes may read while one writes. Order of results: score
    descending, id ascending.
    """

    location: Location
    manifest: Manifest

    def stamps(self) -> dict[str, str]:
        """Digest of every document held, by id."""
        ...

    def unfinished(self) -> list[Document]:
        """Documents that a kill left half written, for the indexer to write again."""
        ...

    def write(self, entries: Sequence[Entry], remove: Sequence[str] = ()) -> None:
        """Put documents (each replaces the one of its id, chunks and all) and remove others, in one step."""
        ...

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """Documents in ascending order of id; all of them, or those named that are held."""
        ...

    def rows(self, ids: Sequence[str] | None = None, vectors: bool = False) -> Iterator[Row]:
        """Chunks with their documents' fields: all in order of id, or those named, in the order named."""
        ...

    def of(self, documents: Sequence[str]) -> list[Row]:
        """The chunks of some documents, with their vectors, in ascending order of chunk id."""
        ...

    def regroup(self, memberships: Mapping[str, Membership]) -> None:
        """Set the groups of the chunks named, in one step; the others keep theirs."""
        ...

    def holders(self, leaders: Sequence[str]) -> dict[str, list[Holder]]:
        """The members of each leader's group, itself too, in ascending order of id."""
        ...

    def stand(self, standings: Mapping[str, Standing]) -> None:
        """Set the places of the documents named, in one step; a document written anew stands alone until then."""
        ...

    def standings(self, ids: Sequence[str] | None = None) -> dict[str, Standing]:
        """Places of all documents held, or of those named, by id."""
        ...

    def carriers(self, leaders: Sequence[str]) -> dict[str, list[Carrier]]:
        """The documents of each leading document's group, itself too, in ascending order of id."""
        ...

    def lexical(self, query: str, limit: int, filters: Filters) -> list[Hit]:
        """Best `limit` chunks by BM25: without filters those shown, with some every chunk that passes."""
        ...

    def nearest(self, vector: Matrix, limit: int, filters: Filters) -> list[Hit]:
        """Best `limit` chunks by cosine, in -1..1, with the same say about what is shown."""
        ...

    def counts(self) -> Counts:
        """How much is held."""
        ...

    def settle(self) -> None:
        """After a run of writes: indexes brought up to date, space given back, pending work done."""
        ...

    def check(self, deep: bool = False) -> list[Problem]:
        """What is wrong with the store as it lies; `deep` reads everything and compares the checksums."""
        ...

    def close(self) -> None:
        """Let go of files. Safe to call twice."""
        ...


def ordered(hits: Iterable[Hit], limit: int) -> list[Hit]:
    """Score descending, id ascending, cut to `limit`."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
