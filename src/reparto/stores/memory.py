"""A store in memory: for tests, for the demo and as the shortest description of what a store does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reparto.documents import TEXT_FIELDS, Document, instant
from reparto.errors import Problem
from reparto.stores.base import Carrier, Chunk, Counts, Entry, Hit, Holder, Matrix, Membership, Row, Standing, ordered
from reparto.stores.bm25 import BM25
from reparto.stores.exact import Vectors
from reparto.stores.filters import Filters
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest
from reparto.terms import tokens


class Volatile(Location):
    """A place in memory for the small files that stand beside a store."""

    def __init__(self) -> None:
        super().__init__("memory://")
        object.__setattr__(self, "_files", {})

    def read(self, name: str) -> bytes | None:
        """The bytes of a small file."""
        found: bytes | None = self._files.get(name)  # type: ignore[attr-defined]
        return found

    def write(self, name: str, content: bytes) -> None:
        """Replace a small file."""
        self._files[name] = content  # type: ignore[attr-defined]

    def unlink(self, name: str) -> None:
        """Remove a small file."""
        self._files.pop(name, None)  # type: ignore[attr-defined]


class MemoryStore:
    """A `Store` that is gone with its process. Every search reads every chunk: for some thousands of them."""

    kind = "memory"

    def __init__(self, location: Location | None = None, manifest: Manifest | None = None) -> None:
        self.location = location or Volatile()
        self.manifest = manifest or Manifest("memory")
        self._entries: dict[str, Entry] = {}
        self._chunks: dict[str, tuple[Chunk, Membership, Entry, int]] = {}
        self._terms: dict[str, list[str]] = {}
        self._standings: dict[str, Standing] = {}

    def stamps(self) -> dict[str, str]:
        """Digest of every document held, by id."""
        return {id: entry.digest for id, entry in self._entries.items()}

    def unfinished(self) -> list[Document]:
        """None: a write is one step."""
        return []

    def write(self, entries: Sequence[Entry], remove: Sequence[str] = ()) -> None:
        """Put and remove documents."""
        for id in [*remove, *(entry.document.id for entry in entries)]:
            old = self._entries.pop(id, None)
            self._standings.pop(id, None)
            for chunk in old.chunks if old else ():
                del self._chunks[chunk.id], self._terms[chunk.id]
        for entry in entries:
            self._entries[entry.document.id] = entry
            for number, chunk in enumerate(entry.chunks):
                self._chunks[chunk.id] = (chunk, Membership(chunk.id), entry, number)
                self._terms[chunk.id] = tokens(f"{entry.document.title or ''} {chunk.text}")

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """Documents in ascending order of id."""
        named = self._entries if ids is None else set(ids) & self._entries.keys()
        yield from (self._entries[id].document for id in sorted(named))

    def rows(self, ids: Sequence[str] | None = None, vectors: bool = False) -> Iterator[Row]:
        """Chunks with their documents' fields."""
        for id in sorted(self._chunks) if ids is None else [id for id in ids if id in self._chunks]:
            chunk, membership, entry, number = self._chunks[id]
            vector = entry.vectors[number] if vectors and entry.vectors is not None else None
            yield Row(chunk, self._fields(id), membership, vector)

    def of(self, documents: Sequence[str]) -> list[Row]:
        """The chunks of some documents."""
        held = [self._entries[id] for id in set(documents) if id in self._entries]
        return list(self.rows(sorted(chunk.id for entry in held for chunk in entry.chunks), vectors=True))

    def regroup(self, memberships: Mapping[str, Membership]) -> None:
        """Set groups."""
        for id, membership in memberships.items():
            chunk, _, entry, number = self._chunks[id]
            self._chunks[id] = (chunk, membership, entry, number)

    def holders(self, leaders: Sequence[str]) -> dict[str, list[Holder]]:
        """The members of each leader's group."""
        members: dict[str, list[Holder]] = {leader: [] for leader in leaders}
        for id, (chunk, membership, entry, _) in sorted(self._chunks.items()):
            if membership.by in members:
                one = entry.document
                holder = Holder(id, chunk.document, one.source, one.published, self._fields(id))
                members[membership.by].append(holder)
        return members

    def stand(self, standings: Mapping[str, Standing]) -> None:
        """Set the places of documents."""
        self._standings |= standings

    def standings(self, ids: Sequence[str] | None = None) -> dict[str, Standing]:
        """Places of documents."""
        named = sorted(self._entries if ids is None else set(ids) & self._entries.keys())
        return {id: self._standings.get(id, Standing(id)) for id in named}

    def carriers(self, leaders: Sequence[str]) -> dict[str, list[Carrier]]:
        """The documents of each leading document's group."""
        members: dict[str, list[Carrier]] = {leader: [] for leader in leaders}
        for id, standing in self.standings().items():
            if standing.by in members:
                one = self._entries[id].document
                members[standing.by].append(Carrier(id, one.source, one.published, standing, self._document_fields(id)))
        return members

    def lexical(self, query: str, limit: int, filters: Filters) -> list[Hit]:
        """BM25 over every chunk."""
        wanted = sorted(set(tokens(query)))
        having = {term: sum(term in terms for terms in self._terms.values()) for term in wanted}
        mean = sum(map(len, self._terms.values())) / max(len(self._terms), 1)
        bm25 = BM25({term: number for term, number in having.items() if number}, len(self._terms), mean)
        scores = {id: bm25.score(terms) for id, terms in self._terms.items() if self._open(id, filters)}
        return ordered((self._hit(id, score) for id, score in scores.items() if score), limit)

    def nearest(self, vector: Matrix, limit: int, filters: Filters) -> list[Hit]:
        """Exact cosine."""
        ids = sorted(id for id, (_, _, entry, _) in self._chunks.items() if entry.vectors is not None)
        ids = [id for id in ids if self._open(id, filters)]
        if not ids:
            return []
        rows = np.stack([row.vector for row in self.rows(ids, vectors=True) if row.vector is not None])
        best = Vectors(np.arange(len(ids)), rows).nearest(vector, limit)
        return [self._hit(ids[number], score) for number, score in best]

    def counts(self) -> Counts:
        """How much is held."""
        leaders = sum(membership.leads(id) for id, (_, membership, _, _) in self._chunks.items())
        vectors = sum(entry.vectors is not None for _, _, entry, _ in self._chunks.values())
        return Counts(len(self._entries), len(self._chunks), leaders, vectors)

    def settle(self) -> None:
        """Nothing to do."""

    def check(self, deep: bool = False) -> list[Problem]:
        """Nothing that can go wrong in between."""
        del deep
        return []

    def close(self) -> None:
        """Nothing to let go of."""

    def _hit(self, id: str, score: float) -> Hit:
        return Hit(id, float(score), self._chunks[id][1].by)

    def _open(self, id: str, filters: Filters) -> bool:
        return filters.match(self._fields(id)) if filters else self._chunks[id][1].shown(id)

    def _fields(self, id: str) -> dict[str, Any]:
        return self._document_fields(self._chunks[id][2].document.id)

    def _document_fields(self, id: str) -> dict[str, Any]:
        one = self._entries[id].document
        fields = {name: getattr(one, name) for name in TEXT_FIELDS}
        return {
            "document": one.id,
            **fields,
            "metadata": dict(one.metadata),
            "instant": instant(one.published),
        }
