"""Groups of copies: documents in, one row a document out. Nothing is deleted; a copy stays addressable.

This is the whole of de-duplication in memory. The engines run the same steps over files, and end in the same rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

from reparto.corpus.asking import Asked
from reparto.corpus.boilerplate import quick_edges, shared_edges, suspects
from reparto.corpus.candidates import band_pairs, sentence_pairs, telling, united
from reparto.corpus.fingerprint import Prints, compared_text, joined, prints
from reparto.corpus.leaders import assign, priority
from reparto.corpus.outcome import Facts, Grouped, outcome
from reparto.corpus.settings import Settings
from reparto.corpus.verify import verify
from reparto.corpus.wire import wire_credits
from reparto.documents import Document, instant

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]


def group_documents(documents: Iterable[Document], settings: Settings | None = None) -> Grouped:
    """Group documents; rows sorted by id. An id given twice counts once: see `chosen`.

    Near-linear in the characters; everything is held in memory. The result does not depend on the order of the input.
    """
    settings = settings or Settings()
    some = chosen(documents)
    found = prints([one.text for one in some], settings)
    facts = facts_of(some, found.characters)
    firsts, node = distinct(found.digests, found.characters, facts.order)
    nodes = Nodes.of([some[i] for i in facts.order[firsts].tolist()], found.take(facts.order[firsts]), settings)
    kept = verify(nodes.propose(settings), nodes.prints.hashes, nodes.prints.offsets, settings)
    agree = nodes.agree(settings)
    agree.foresee(kept)
    assigned = assign(len(nodes.prints), kept, agree)
    return outcome(facts, firsts, node, assigned, settings)


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Distinct texts in order of priority: the first document of each, and its fingerprint without boilerplate."""

    documents: Sequence[Document]
    prints: Prints

    @classmethod
    def of(cls, documents: Sequence[Document], found: Prints, settings: Settings) -> Nodes:
        """Nodes of documents and their fingerprints, both in order of priority."""
        left = boilerplate(documents)
        if not left:
            return cls(documents, found)
        some = sorted(left)
        redone = prints([documents[i].text for i in some], settings, [left[i] for i in some])
        at = np.arange(len(documents))
        at[some] = len(documents) + np.arange(len(some))
        return cls(documents, joined([found, redone]).take(at))

    def agree(self, settings: Settings) -> Asked:
        """The guard over these texts."""
        return agreeing(lambda i: self.documents[i].text, lambda i: self.documents[i].source, settings)

    def propose(self, settings: Settings) -> Hashes:
        """Codes of the pairs of ranks that are worth a look."""
        own = self.prints
        filled = np.flatnonzero(np.diff(own.offsets) > 0)
        bands = [
            band_pairs(np.ascontiguousarray(own.bands[filled, band]), filled, own.figures[filled], settings.bucket)
            for band in range(settings.bands)
        ]
        counts = np.diff(own.sentence_offsets)
        said = sentence_pairs(
            own.sentences, np.repeat(np.arange(len(own)), counts), settings.bucket, settings.sentences
        )
        return united([*bands, telling(said, counts)])


def boilerplate(documents: Sequence[Document]) -> dict[int, str]:
    """What is left to compare of the texts that share edges with others of their source, by index."""
    texts = [compared_text(one.text) for one in documents]
    sources = [one.source for one in documents]
    some = suspects(quick_edges(texts, sources), np.arange(len(texts)))
    if not len(some):
        return {}
    held = Counter(name for name in sources if name is not None)
    return shared_edges(some.tolist(), texts.__getitem__, sources.__getitem__, held)


def agreeing(text: Callable[[int], str], source: Callable[[int], str | None], settings: Settings) -> Asked:
    """The guard as `assign` asks it, over the original texts and their sources by rank."""
    return Asked(text, source, settings.revisions == "collapse")


def chosen(documents: Iterable[Document]) -> list[Document]:
    """One document an id. Of several the latest published stands, then the one of greater digest."""
    found: dict[str, Document] = {}
    for one in documents:
        other = found.get(one.id)
        if other is None or _age(one) > _age(other):
            found[one.id] = one
    return list(found.values())


def _age(one: Document) -> tuple[float, bytes]:
    moment = instant(one.published)
    said = said_digest(one.text, one.source, one.published, one.tier == "gold", one.url)
    return (-np.inf if moment is None else moment, said)


def said_digest(*fields: str | bool | None) -> bytes:
    """128 bits over what a document says, for choosing between two of one id."""
    wire = json.dumps(fields, ensure_ascii=True, separators=(",", ":"))
    return xxhash.xxh3_128_digest(wire.encode("ascii"))


def facts_of(documents: Sequence[Document], characters: Ints) -> Facts:
    """What the rows say about documents besides their groups."""
    moments = np.array([np.inf if (at := instant(one.published)) is None else at for one in documents], dtype=float)
    ids = [one.id for one in documents]
    gold = np.array([one.tier == "gold" for one in documents], dtype=bool)
    return Facts(
        ids,
        [one.source for one in documents],
        [one.published for one in documents],
        moments,
        [one.url for one in documents],
        wire_credits([one.text for one in documents]),
        priority(gold, moments, characters, ids),
    )


def distinct(digests: Hashes, characters: Ints, order: Ints) -> tuple[Ints, Ints]:
    """The distinct texts, in order of priority: where in `order` each comes first, and which one is at each place.

    A text with nothing to compare is its own. O(n log n).
    """
    high, low = digests[order, 0], digests[order, 1]
    by = np.argsort(high, kind="stable")
    same_high = high[by][1:] == high[by][:-1]
    if (same_high & (low[by][1:] != low[by][:-1])).any():
        by = np.lexsort((low, high))
    new = np.ones(len(by), dtype=bool)
    new[1:] = (high[by][1:] != high[by][:-1]) | (low[by][1:] != low[by][:-1])
    first = np.empty(len(by), dtype=np.int64)
    first[by] = by[new][np.cumsum(new) - 1]
    empty = np.flatnonzero(characters[order] == 0)
    first[empty] = empty
    firsts = np.flatnonzero(first == np.arange(len(first)))
    return firsts, np.searchsorted(firsts, first)
