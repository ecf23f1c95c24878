"""First steps: documents read and fingerprinted, those that another replaces, and one node for each distinct text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reparto.corpus.boilerplate import quick_edges
from reparto.corpus.engines.blocks import (
    Row,
    column,
    homes,
    packed,
    place,
    ranked,
    scattered,
    shard_of,
    tables,
    unpacked,
)
from reparto.corpus.engines.inputs import documents_of
from reparto.corpus.fingerprint import Prints, compared_text, prints
from reparto.corpus.groups import said_digest
from reparto.corpus.parts import batches
from reparto.corpus.settings import Settings
from reparto.corpus.wire import wire_credits
from reparto.documents import Document, instant

Ints = NDArray[np.int64]
DOCUMENTS, CHARACTERS = 10_000, 16_000_000
SAMPLE = 256  # ids of a shard from which the bounds of the sorted result are taken


@dataclass(frozen=True, slots=True)
class Reading:
    """Settings, how many shards there are, and which load of a state this is; every method is a step."""

    settings: Settings
    many: int
    load: int = 0

    def read(self, rows: Sequence[Row]) -> list[Row]:
        """Tasks (an input, or a range of one) -> ids, meta, keys and texts of its documents, fingerprinted."""
        found: list[Row] = []
        for row in rows:
            for task in unpacked(row.block).to_pylist():
                for batch in batches(documents_of(task), DOCUMENTS, CHARACTERS):
                    found += self._fingerprinted(batch.documents)
                    found += [Row(0, "problem", json.dumps(one.to_dict()).encode()) for one in batch.problems]
        return found

    def _fingerprinted(self, documents: Sequence[Document]) -> list[Row]:
        if not documents:
            return []
        texts = [one.text for one in documents]
        compared = [compared_text(text) for text in texts]
        own = prints(texts, self.settings, compared)
        moments = [np.inf if (at := instant(one.published)) is None else at for one in documents]
        said = [said_digest(x.text, x.source, x.published, x.tier == "gold", x.url) for x in documents]
        where = [
            place(one.tier == "gold", moment, size, one.id, told)
            for one, moment, size, told in zip(documents, moments, own.characters.tolist(), said, strict=True)
        ]
        credits = wire_credits(texts)
        edges = quick_edges(compared, [one.source for one in documents]).view(np.int64)
        raw = np.ascontiguousarray(own.digests).tobytes()
        digests = [
            raw[16 * i : 16 * i + 16] if size else spot
            for i, (size, spot) in enumerate(zip(own.characters.tolist(), where, strict=True))
        ]
        places, digest = pa.array(where, pa.binary()), pa.array(digests, pa.binary())
        sources = pa.array([one.source for one in documents], pa.string())
        names = pa.array([one.id for one in documents], pa.string())
        meta = pa.table({
            "place": places, "digest": digest, "id": names, "source": sources,
            "published": pa.array([one.published for one in documents], pa.string()), "instant": moments,
            "url": pa.array([one.url for one in documents], pa.string()),
            "agency": pa.array([one and one.agency for one in credits], pa.string()),
            "by": pa.array([one and one.by for one in credits], pa.string()),
            "head": edges[:, 0].copy(), "tail": edges[:, 1].copy(),
        })  # fmt: skip
        ids = pa.table({
            "id": names, "load": np.full(len(where), self.load), "age": moments, "said": pa.array(said, pa.binary()),
            "place": places, "digest": digest,
        })  # fmt: skip
        text = pa.table(
            {
                "place": places,
                "text": pa.array(texts, pa.large_string()),
                "source": sources,
                "set": sets(own.hashes, own.offsets),
            }
        )
        shards = homes(places, self.many)
        by_id = shard_of((one.id.encode("utf-8", "surrogatepass") for one in documents), self.many)
        return [
            *scattered("ids", ids, by_id, self.many),
            *scattered("meta", meta, homes(digest, self.many), self.many),
            *scattered("keys", keys(places, own), shards, self.many),
            *scattered("text", text, shards, self.many),
        ]

    def replaced(self, rows: Sequence[Row]) -> list[Row]:
        """Ids -> documents that another of the same id replaces, to where their texts are told apart."""
        best: dict[str, tuple[tuple[int, float, bytes], bytes, bytes]] = {}
        lost: list[tuple[bytes, bytes]] = []
        for one in records(rows, "ids"):
            age = -np.inf if one["age"] == np.inf else one["age"]
            own = ((one["load"], age, one["said"]), one["place"], one["digest"])
            other = best.setdefault(one["id"], own)
            if own[1] == other[1]:
                best[one["id"]] = max(own, other)  # the very same document, loaded again
            elif own != other:
                best[one["id"]] = max(own, other)
                lost.append(min(own, other)[1:])
        kept = {where for _, where, _ in best.values()}
        gone = sorted({one for one in lost if one[0] not in kept})
        if not gone:
            return []
        places, digests = zip(*gone, strict=True)
        shards = homes(pa.array(digests, pa.binary()), self.many)
        return scattered("lost", pa.table({"place": pa.array(places, pa.binary())}), shards, self.many)

    def exact(self, rows: Sequence[Row]) -> list[Row]:
        """Meta of equal texts -> the node of each document, and edges of the nodes' texts."""
        table, lost = tables(rows, "meta"), tables(rows, "lost")
        if table is None:
            return []
        if lost is not None:
            gone = pa.compute.is_in(table.column("place"), value_set=lost.column("place").combine_chunks())
            table = table.filter(pa.compute.invert(gone))
        _, ranks = ranked(table.column("place"))
        _, first = np.unique(ranks, return_index=True)  # a document that came twice counts once
        table = table.take(pa.array(first))
        _, which = ranked(table.column("digest"))
        _, head = np.unique(which, return_index=True)  # rows are in order of priority
        node = table.column("place").combine_chunks().take(pa.array(head[which]))
        nodes = table.take(pa.array(head))
        found = scattered("member", table.append_column("node", node), homes(node, self.many), self.many)
        own = nodes.select(["place"])
        found += scattered("node", own, homes(own.column("place"), self.many), self.many)
        found += self._edges(nodes.filter(nodes.column("source").is_valid()))
        some = np.linspace(0, len(table) - 1, min(SAMPLE, len(table))).astype(np.int64)
        return [*found, Row(0, "sample", packed(id=table.column("id").take(pa.array(some)).combine_chunks()))]

    def _edges(self, named: pa.Table) -> list[Row]:
        found: list[Row] = []
        for side in ("head", "tail"):
            edges = pa.table(
                {"edge": named.column(side), "place": named.column("place"), "source": named.column("source")}
            )
            shards = (column(edges, "edge").view(np.uint64) % np.uint64(self.many)).astype(np.int64)
            found += scattered("edge", edges, shards, self.many)
        held = pa.table({"source": named.column("source")})
        return found + scattered("held", held, by_source(held, self.many), self.many)


def keys(places: pa.Array, own: Prints) -> pa.Table:
    """Band and sentence keys of documents, and their figures."""
    filled = np.diff(own.offsets) > 0
    bands = own.bands.view(np.int64)
    sizes = np.where(filled, own.bands.shape[1], 0)
    lists = pa.ListArray.from_arrays(
        pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)), pa.array(bands[filled].reshape(-1))
    )
    said = pa.ListArray.from_arrays(
        pa.array(own.sentence_offsets.astype(np.int32)), pa.array(own.sentences.view(np.int64))
    )
    return pa.table({"place": places, "bands": lists, "said": said, "figures": own.figures.view(np.int64)})


def sets(hashes: NDArray[np.uint64], offsets: Ints) -> pa.Array:
    """Shingle sets as bytes, one a document."""
    raw = pa.py_buffer(np.ascontiguousarray(hashes).tobytes())
    ends = pa.py_buffer((offsets * 8).astype(np.int64).tobytes())
    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, [None, ends, raw])


def records(rows: Sequence[Row], kind: str) -> Iterator[dict[str, Any]]:
    """Lines of all blocks of a kind."""
    for row in rows:
        if row.kind == kind:
            yield from unpacked(row.block).to_pylist()


def by_source(table: pa.Table, many: int) -> Ints:
    """The shard of each line's source."""
    return shard_of((one.encode("utf-8", "surrogatepass") for one in table.column("source").to_pylist()), many)
