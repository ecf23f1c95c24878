"""Documents into a store: read, compare with what is held, chunk, embed, write, group.

Incremental: a document whose digest is held already costs nothing. Safe: documents are written in batches,
each in one step, under the store's writer lock; a mark `pending` stays beside the store from the first write
until groups and indexes are up to date, so that a run after a kill finishes what was begun and ends in the
same state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reparto.corpus.chunking import Chunker
from reparto.corpus.multiplicity import regroup
from reparto.documents import Document
from reparto.embedders import Embedder
from reparto.errors import CorpusError, Problem
from reparto.model import EMPTY
from reparto.stores.base import Chunk, Counts, Entry, Matrix, Store
from reparto.stores.location import PENDING, Location

COUNTED = ("read", "added", "replaced", "unchanged", "removed", "blank", "regrouped")
BATCH_DOCUMENTS, BATCH_CHARACTERS = 500, 4_000_000


@dataclass(frozen=True, slots=True)
class Summary:
    """What an index run did. `skipped` says what could not be read, and why."""

    read: int = 0
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    removed: int = 0
    blank: int = 0
    skipped: tuple[Problem, ...] = ()
    regrouped: int = 0
    held: Counts = field(default_factory=lambda: Counts(0, 0, 0, 0))
    dry_run: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        wire = {name: getattr(self, name) for name in COUNTED}
        skipped = [problem.to_dict() for problem in self.skipped]
        return {**wire, "held": self.held._asdict(), "skipped": skipped, "dry_run": self.dry_run}


@dataclass(frozen=True, slots=True)
class Indexer:
    """Writes documents to one store with one chunker and one embedder (None: lexical search alone)."""

    store: Store
    chunker: Chunker
    embedder: Embedder | None = None

    def index(
        self,
        documents: Iterable[Document | Problem],
        *,
        dry_run: bool = False,
        tick: Callable[[int], None] = lambda done: None,
        vectors: Callable[[Sequence[str]], dict[str, Matrix]] | None = None,
    ) -> Summary:
        """Put documents; a `Problem` in the stream is something a reader skipped. `tick` hears of every
        batch.
        """
        with self._location.writing():
            self._recover(dry_run)
            stamps, total = self.store.stamps(), Summary(dry_run=dry_run)
            for batch in _batches(documents):
                skipped = tuple(one for one in batch if isinstance(one, Problem))
                given = {one.id: one for one in batch if isinstance(one, Document)}
                digests = {id: one.digest() for id, one in given.items()}
                fresh = [one for id, one in sorted(given.items()) if stamps.get(id) != digests[id]]
                entries = [self.entry(one, digests[one.id]) for one in fresh] if not dry_run else []
                if entries:
                    self._mark()
                    known = vectors([entry.document.id for entry in entries]) if vectors else {}
                    self.store.write(self._embedded(entries, known))
                held = sum(one.id in stamps for one in fresh)
                read = sum(isinstance(one, Document) for one in batch)
                total = replace(
                    total,
                    read=total.read + read,
                    added=total.added + len(fresh) - held,
                    replaced=total.replaced + held,
                    unchanged=total.unchanged + read - len(fresh),
                    blank=total.blank + sum(not one.text.strip() for one in given.values()),
                    skipped=total.skipped + skipped,
                )
                stamps.update({one.id: digests[one.id] for one in fresh})
                tick(len(batch))
            regrouped = self._settle() if not dry_run else 0
            return replace(total, regrouped=regrouped, held=self.store.counts())

    def delete(self, ids: Sequence[str], *, dry_run: bool = False) -> Summary:
        """Remove documents; a leader that goes hands its place on. Unknown ids are refused, all at once."""
        with self._location.writing():
            self._recover(dry_run)
            stamps = self.store.stamps()
            unknown = [id for id in dict.fromkeys(ids) if id not in stamps]
            if unknown:
                remedy = "give the document's `id` (a chunk's is ID#NUMBER: leave the number out)"
                raise CorpusError(Problem("no_document", "not in the store", remedy, id=id) for id in unknown)
            regrouped = 0
            if not dry_run:
                self._mark()
                self.store.write([], remove=sorted(set(ids)))
                regrouped = self._settle()
            removed, held = len(set(ids)), self.store.counts()
            return Summary(removed=removed, regrouped=regrouped, held=held, dry_run=dry_run)

    def fill(
        self,
        documents: Iterable[Document],
        tick: Callable[[int], None] = lambda done: None,
        vectors: Callable[[Sequence[str]], dict[str, Matrix]] | None = None,
    ) -> Summary:
        """Put documents into a new store that nobody reads yet, under a lock that is held already."""
        read = 0
        for batch in _batches(documents):
            given = [one for one in batch if isinstance(one, Document)]
            known = vectors([one.id for one in given]) if vectors else {}
            self.store.write(self._embedded([self.entry(one, one.digest()) for one in given], known))
            read += len(given)
            tick(len(given))
        regrouped = regroup(self.store)
        self.store.settle()
        return Summary(read=read, added=read, regrouped=regrouped, held=self.store.counts())

    def entry(self, document: Document, digest: str) -> Entry:
        """The document cut into chunks, not yet embedded."""
        return Entry(document, digest, tuple(chunks_of(document, self.chunker)))

    def _embedded(self, entries: Sequence[Entry], known: Mapping[str, Matrix] = EMPTY) -> list[Entry]:
        """Entries with vectors: those that are `known` already, by document, and the embedder's for the
        others.
        """
        if self.embedder is None:
            return list(entries)
        fits = {id: rows for id, rows in known.items() if rows.shape[1:] == (self.embedder.dimension,)}
        ready = {
            entry.document.id: replace(entry, vectors=fits[entry.document.id])
            for entry in entries
            if entry.document.id in fits and len(fits[entry.document.id]) == len(entry.chunks)
        }
        others = [entry for entry in entries if entry.document.id not in ready]
        texts = [chunk.text for entry in others for chunk in entry.chunks]
        rows = self.embedder.passages(texts) if texts else np.zeros((0, self.embedder.dimension), np.float32)
        if rows.shape != (len(texts), self.embedder.dimension):
            message = f"{self.embedder.name} gave vectors of shape {rows.shape} for {len(texts)} texts"
            raise CorpusError(Problem("embedder", message, f"expected {self.embedder.dimension} numbers each"))
        at = 0
        for entry in others:
            ready[entry.document.id] = replace(entry, vectors=rows[at : at + len(entry.chunks)])
            at += len(entry.chunks)
        return [ready[entry.document.id] for entry in entries]

    @property
    def _location(self) -> Location:
        return self.store.location

    def _mark(self) -> None:
        self._location.write(PENDING, b"an index run was begun and has not ended\n")

    def _recover(self, dry_run: bool) -> None:
        """What a run that was killed left to do is done first."""
        if dry_run or self._location.read(PENDING) is None:
            return
        for batch in _batches(self.store.unfinished()):
            halves = [one for one in batch if isinstance(one, Document)]
            self.store.write(self._embedded([self.entry(one, one.digest()) for one in halves]))
        self._settle()

    def _settle(self) -> int:
        if self._location.read(PENDING) is None:
            return 0
        changed = regroup(self.store)
        self.store.settle()
        self._location.unlink(PENDING)
        return changed


def chunks_of(document: Document, chunker: Chunker) -> Iterator[Chunk]:
    """The chunks of a document. A document of one chunk gives it its own id; else `ID#1`, `ID#2`…

    An id that ends like a chunk's keeps its number always: no two chunks of a corpus ever share an id.
    """
    spans = chunker.spans(document.text, document.markup)
    _, mark, number = document.id.rpartition("#")
    alone = len(spans) == 1 and not (mark and number.isdecimal())
    for position, (start, end) in enumerate(spans, 1):
        id = document.id if alone else f"{document.id}#{position}"
        yield Chunk(id, document.id, start, end, document.text[start:end])


def _batches(documents: Iterable[Document | Problem]) -> Iterator[list[Document | Problem]]:
    batch: list[Document | Problem] = []
    size = 0
    for one in documents:
        batch.append(one)
        size += len(one.text) if isinstance(one, Document) else 0
        if len(batch) >= BATCH_DOCUMENTS or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
