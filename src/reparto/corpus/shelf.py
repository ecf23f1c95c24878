"""The shelf: all parts of a run as one table, by the number of the document."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.fingerprint import Prints, gathered, prints
from reparto.corpus.increment import Keys
from reparto.corpus.leaders import priority
from reparto.corpus.outcome import Facts
from reparto.corpus.parts import Part, credit
from reparto.corpus.settings import Settings

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
_CACHED = 32 << 20  # characters of texts kept at hand
_OPEN = 256  # files of texts open at once

# What each column is where no document was read.
_EMPTY = {
    "digests": np.zeros((0, 2), np.uint64),
    "characters": np.zeros(0, np.int64),
    "figures": np.zeros(0, np.uint64),
    "edges": np.zeros((0, 2), np.uint64),
    "instants": np.zeros(0),
    "gold": np.zeros(0, bool),
}


class Shelf:
    """Columns of every document in memory (about 250 bytes each), the rest on disk.

    `redone` replaces what is compared of some documents: their edges turned out to be boilerplate.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        some = [part.columns() for part in parts]
        self.columns: dict[str, Any] = {}
        for name, empty in _EMPTY.items():
            self.columns[name] = np.concatenate([empty, *(one[name] for one in some)])
        sizes = [np.diff(one["offsets"]) for one in some]
        self.columns["sizes"] = np.concatenate([np.zeros(0, np.int64), *sizes])
        self.columns["sentences"] = np.concatenate(
            [np.zeros(0, np.int64), *(np.diff(one["sentence_offsets"]) for one in some)]
        )
        for name in ("ids", "sources", "published", "urls", "credits"):
            self.columns[name] = list(chain.from_iterable(one[name] for one in some))
        self.columns["load"] = np.repeat([part.load for part in parts], np.diff(self.starts)).astype(np.int64)
        self.redone: Prints | None = None
        self._at = np.full(len(self), -1, dtype=np.int64)
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._held = 0
        self._opened: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        """Number of documents."""
        return int(self.starts[-1])

    def facts(self) -> Facts:
        """What the rows say besides groups."""
        own = self.columns
        order = priority(own["gold"], own["instants"], own["characters"], own["ids"])
        known = {one: credit(one) for one in set(own["credits"])}
        credits = list(map(known.__getitem__, own["credits"]))
        return Facts(own["ids"], own["sources"], own["published"], own["instants"], own["urls"], credits, order)

    def redo(self, left: dict[int, str], settings: Settings) -> None:
        """Compare some documents by what is left of them, and all others by what their parts say."""
        some = np.array(sorted(left), dtype=np.int64)
        self._restore()
        if not len(some):
            return
        self.redone = prints([self.text(i) for i in some.tolist()], settings, [left[i] for i in some.tolist()])
        self._at[some] = np.arange(len(some))
        self._as_read = {name: self.columns[name][some] for name in ("sizes", "sentences", "figures")}
        self.columns["sizes"][some] = np.diff(self.redone.offsets)
        self.columns["sentences"][some] = np.diff(self.redone.sentence_offsets)
        self.columns["figures"][some] = self.redone.figures

    def _restore(self) -> None:
        """Undo what was redone."""
        some = np.flatnonzero(self._at >= 0)
        if len(some):
            for name in ("sizes", "sentences", "figures"):
                self.columns[name][some] = self._as_read[name]
        self.redone, self._at[:] = None, -1

    def bands(self, band: int) -> Hashes:
        """Keys of one band, a document each."""
        keys = np.concatenate([np.zeros(0, np.uint64), *(part.bands()[band] for part in self.parts)])
        if self.redone is not None:
            some = np.flatnonzero(self._at >= 0)
            keys[some] = self.redone.bands[self._at[some], band]
        return keys

    def keys(self, documents: Ints) -> Keys:
        """Band keys and sentence keys of some documents."""
        bands = np.zeros((len(documents), len(self.parts[0].bands()) if self.parts else 0), dtype=np.uint64)
        number = np.searchsorted(self.starts, documents, side="right") - 1
        for part in np.unique(number):
            at = np.flatnonzero(number == part)
            bands[at] = self.parts[part].bands()[:, documents[at] - self.starts[part]].T
        at = np.flatnonzero(self._at[documents] >= 0)
        if self.redone is not None and len(at):
            bands[at] = self.redone.bands[self._at[documents[at]]]
        said, offsets = self.sentences(documents)
        sayers = np.repeat(np.arange(len(documents)), np.diff(offsets))
        return Keys(documents, bands, self.columns["sizes"][documents] > 0, said, sayers)

    def hashes(self, documents: Ints) -> tuple[Hashes, Ints]:
        """Shingle sets of some documents, in the order asked for, with offsets."""
        return self._ragged(documents, "hashes")

    def sentences(self, documents: Ints) -> tuple[Hashes, Ints]:
        """Sentence keys of some documents, in the order asked for, with offsets."""
        return self._ragged(documents, "sentences")

    def _ragged(self, documents: Ints, name: str) -> tuple[Hashes, Ints]:
        order = np.argsort(documents, kind="stable")
        ranked = documents[order]
        fresh = self._at[ranked] >= 0
        values: list[Hashes] = []
        ends: list[Ints] = []
        bounds = np.searchsorted(ranked, self.starts)
        place: list[Ints] = []
        for number, part in enumerate(self.parts):
            at = np.arange(bounds[number], bounds[number + 1])
            at = at[~fresh[at]]
            if len(at):
                own, offsets = getattr(part, name)(ranked[at] - self.starts[number])
                values.append(own)
                ends.append(np.diff(offsets))
                place.append(at)
        if self.redone is not None and fresh.any():
            at = np.flatnonzero(fresh)
            plain = (self.redone.hashes, self.redone.offsets)
            said = (self.redone.sentences, self.redone.sentence_offsets)
            own, offsets = gathered(*(plain if name == "hashes" else said), self._at[ranked[at]])
            values.append(own)
            ends.append(np.diff(offsets))
            place.append(at)
        sizes = np.concatenate([np.zeros(0, np.int64), *ends])
        laid = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        back = np.empty(len(documents), dtype=np.int64)
        back[order[np.concatenate([np.zeros(0, np.int64), *place])]] = np.arange(len(documents))
        return gathered(np.concatenate([np.zeros(0, np.uint64), *values]), laid, back)

    def text(self, document: int) -> str:
        """The text of a document; the last ones read are kept at hand."""
        if document in self._texts:
            self._texts.move_to_end(document)
            return self._texts[document]
        number = int(np.searchsorted(self.starts, document, side="right")) - 1
        text = self.parts[number].text(document - int(self.starts[number]))
        self._opened[number] = None
        self._opened.move_to_end(number)
        if len(self._opened) > _OPEN:
            self.parts[self._opened.popitem(last=False)[0]].close()
        self._texts[document] = text
        self._held += len(text)
        while self._held > _CACHED and len(self._texts) > 1:
            self._held -= len(self._texts.popitem(last=False)[1])
        return text

    def close(self) -> None:
        """Let go of files."""
        for part in self.parts:
            part.close()


def chunked(items: Ints, weights: Ints, most: int) -> Iterator[Ints]:
    """Items in runs whose weights add up to about `most`."""
    marks = np.cumsum(weights) // max(1, most)
    yield from np.split(items, np.flatnonzero(np.diff(marks)) + 1) if len(items) else []


def folder_size(folder: Path) -> int:
    """Bytes of the files below a folder."""
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())
