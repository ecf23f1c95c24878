"""From what is asked for to an open store with its chunker and its embedder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from reparto import embedders
from reparto.corpus import chunking
from reparto.corpus.held import vectors_held
from reparto.corpus.indexing import Indexer, Summary
from reparto.corpus.multiplicity import grouping
from reparto.corpus.settings import SIGNATURE
from reparto.embedders import Embedder
from reparto.stores import manifest, opening
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Wanted:
    """A store as asked for; None leaves the choice to the store that is there, or to what is installed."""

    where: str
    kind: str | None = None
    chunker: str | None = None
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    embedder: str | None = None
    embedder_url: str | None = None
    stem: str | None = None

    def asked(self) -> frozenset[str]:
        """What a store made otherwise is refused for."""
        named = {"kind": self.kind, "embedder": self.embedder, "options": self.stem}
        named["chunker"] = self.chunker or self.chunk_size or self.chunk_overlap  # type: ignore[assignment]
        return frozenset(name for name, value in named.items() if value is not None)


@contextmanager
def prepared(wanted: Wanted, dry_run: bool = False) -> Iterator[Indexer]:
    """An indexer on the store at `wanted.where`, made if there is none; a dry run makes none."""
    location = Location(wanted.where)
    made = manifest.read(location)
    chunker = _chunker(wanted, made)
    embedder = _embedder(wanted, made)
    fresh = _manifest(wanted, made, chunker, embedder)
    if dry_run and made is None:
        with tempfile.TemporaryDirectory() as nowhere:
            store = opening.create_or_open(nowhere, _manifest(wanted, None, chunker, embedder, kind="sqlite"))
            try:
                yield Indexer(store, chunker, embedder)
            finally:
                store.close()
        return
    store = opening.create_or_open(wanted.where, fresh, wanted.asked())
    try:
        yield Indexer(store, chunker, embedder)
    finally:
        store.close()


def rebuild(wanted: Wanted, tick: Callable[[int], None] = lambda done: None, same: bool = False) -> Summary:
    """Write everything a store holds into its next generation and put that in its place.

    As asked for now, or with `same` just as it was made: nothing of what was removed is then left in free
    space or in old versions. The old one serves readers until the last moment; a kill before that leaves it
    as it was. Vectors are taken over where chunker and embedder stay the same.
    """
    location = Location(wanted.where)
    old = opening.open_store(wanted.where)
    try:
        made = old.manifest if same else None
        chunker, embedder = _chunker(wanted, made), _embedder(wanted, made)
        fresh = _manifest(wanted, made, chunker, embedder, kind=wanted.kind or old.manifest.kind)
        names = ("kind", "chunker", "embedder", "grouping", "options")
        reused = (fresh.chunker, fresh.embedder) == (old.manifest.chunker, old.manifest.embedder)
        with location.writing():
            marker, new = opening.rebuilt(old, **{name: getattr(fresh, name) for name in names})
            try:
                known = partial(vectors_held, old) if reused else None
                summary = Indexer(new, chunker, embedder).fill(old.documents(), tick, known)
            finally:
                new.close()
            marker.write(location)
    finally:
        old.close()
    location.remove(old.manifest.folder)
    return summary


def _chunker(wanted: Wanted, made: Manifest | None) -> chunking.Chunker:
    asked = wanted.chunker is not None or wanted.chunk_size is not None or wanted.chunk_overlap is not None
    if made and made.chunker and not asked:
        known: Mapping[str, Any] = made.chunker
        return chunking.make(known["name"], known["max_characters"], known["overlap"])
    size = wanted.chunk_size or chunking.MAX_CHARACTERS
    overlap = min(chunking.OVERLAP, size // 4) if wanted.chunk_overlap is None else wanted.chunk_overlap
    return chunking.make(wanted.chunker or "auto", size, overlap)


def _embedder(wanted: Wanted, made: Manifest | None) -> Embedder | None:
    if wanted.embedder is None and made is not None:
        return embedders.again(made.embedder, wanted.embedder_url)
    return embedders.make(wanted.embedder, wanted.embedder_url)


def _manifest(
    wanted: Wanted,
    made: Manifest | None,
    chunker: chunking.Chunker,
    embedder: Embedder | None,
    kind: str | None = None,
) -> Manifest:
    options = {"stem": wanted.stem} if wanted.stem else dict(made.options) if made else {}
    default = made.kind if made else opening.best_kind(Location(wanted.where))
    return Manifest(
        kind=kind or wanted.kind or default,
        chunker=chunking.described(chunker),
        embedder=embedders.described(embedder),
        grouping=dict(made.grouping) if made and _current(made) else grouping(),
        options=options,
    )


def _current(made: Manifest) -> bool:
    """Whether the fingerprints of a store are of this version."""
    return made.grouping.get("signature") == SIGNATURE
