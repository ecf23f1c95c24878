"""The steps of de-duplication over blocks: the same functions as in memory, a shard at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reparto.corpus.boilerplate import LEAST, quick_edges, shared_edges
from reparto.corpus.candidates import apart, band_pairs, sentence_pairs
from reparto.corpus.engines.blocks import Row, column, packed, place, ranked, scattered, shard_of, tables, unpacked
from reparto.corpus.engines.inputs import documents_of
from reparto.corpus.fingerprint import Prints, compared_text, prints
from reparto.corpus.groups import said_digest
from reparto.corpus.guard import agree
from reparto.corpus.parts import batches
from reparto.corpus.settings import Settings
from reparto.corpus.verify import shared_counts, verified
from reparto.corpus.wire import wire_credit
from reparto.documents import Document, instant
from reparto.errors import Problem

Ints = NDArray[np.int64]
DOCUMENTS, CHARACTERS = 10_000, 16_000_000


@dataclass(frozen=True, slots=True)
class Steps:
    """Settings and how many shards there are; every method is a step."""

    settings: Settings
    many: int

    def read(self, rows: Sequence[Row]) -> list[Row]:
        """Tasks (an input, or a range of one) -> ids, meta, keys and texts of its documents, fingerprinted."""
        found: list[Row] = []
        for row in rows:
            for task in unpacked(row.block).to_pylist():
                for batch in batches(documents_of(task), DOCUMENTS, CHARACTERS):
                    found += self._fingerprinted(batch.documents)
                    found += [_problem(one) for one in batch.problems]
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
            place(one.tier == "gold", moment, int(size), one.id, told)
            for one, moment, size, told in zip(documents, moments, own.characters, said, strict=True)
        ]
        credits = [wire_credit(text) for text in texts]
        edges = quick_edges(compared, [one.source for one in documents]).view(np.int64)
        digests = [
            one.tobytes() if size else spot for one, size, spot in zip(own.digests, own.characters, where, strict=True)
        ]
        places = pa.array(where, pa.binary())
        meta = pa.table({
            "place": places, "digest": pa.array(digests, pa.binary()), "id": [one.id for one in documents],
            "source": pa.array([one.source for one in documents], pa.string()),
            "published": pa.array([one.published for one in documents], pa.string()), "instant": moments,
            "url": pa.array([one.url for one in documents], pa.string()),
            "agency": pa.array([one and one.agency for one in credits], pa.string()),
            "by": pa.array([one and one.by for one in credits], pa.string()),
            "characters": own.characters, "head": edges[:, 0].copy(), "tail": edges[:, 1].copy(),
        })  # fmt: skip
        ids = pa.table(
            {"id": [one.id for one in documents], "age": moments, "said": pa.array(said, pa.binary()), "place": places}
        )
        text = pa.table({
            "place": places, "text": texts, "source": meta.column("source"), "set": _lists(own.hashes, own.offsets),
        })  # fmt: skip
        shards = shard_of(where, self.many)
        by_id = shard_of((one.id.encode("utf-8", "surrogatepass") for one in documents), self.many)
        return [
            *scattered("ids", ids, by_id, self.many),
            *scattered("meta", meta, shard_of(digests, self.many), self.many),
            *scattered("keys", _keys(places, own), shards, self.many),
            *scattered("text", text, shards, self.many),
        ]

    def replaced(self, rows: Sequence[Row]) -> list[Row]:
        """Ids -> places of documents that another one of the same id replaces."""
        best: dict[str, tuple[float, bytes, bytes]] = {}
        lost: list[bytes] = []
        for one in _records(rows, "ids"):
            age = -np.inf if one["age"] == np.inf else one["age"]
            own = (age, one["said"], one["place"])
            other = best.setdefault(one["id"], own)
            if own != other:
                best[one["id"]] = max(own, other)
                lost.append(min(own, other)[2])
        return [Row(0, "lost", packed(place=pa.array(lost, pa.binary())))] if lost else []

    def exact(self, rows: Sequence[Row], lost: frozenset[bytes]) -> list[Row]:
        """Meta of equal texts -> the node of each document, and edges of the nodes' texts."""
        table = tables(rows, "meta")
        if table is None:
            return []
        places, ranks = ranked(table.column("place"))
        _, first = np.unique(ranks, return_index=True)  # a document that came twice counts once
        alive = (
            np.array([one.as_py() not in lost for one in places], dtype=bool) if lost else np.ones(len(places), bool)
        )
        table = table.take(pa.array(first[alive]))
        _, which = ranked(table.column("digest"))
        _, head = np.unique(which, return_index=True)  # rows are in order of priority
        node = table.column("place").combine_chunks().take(pa.array(head[which]))
        nodes = table.take(pa.array(head))
        found = scattered("member", table.append_column("node", node), shard_of(node.to_pylist(), self.many), self.many)
        own = nodes.select(["place"])
        found += scattered("node", own, shard_of(own.column("place").to_pylist(), self.many), self.many)
        named = nodes.filter(nodes.column("source").is_valid())
        for side in ("head", "tail"):
            edges = pa.table(
                {"edge": named.column(side), "place": named.column("place"), "source": named.column("source")}
            )
            found += scattered(
                "edge", edges, column(edges, "edge").view(np.uint64).astype(object) % self.many, self.many
            )
        held = pa.table({"source": named.column("source")})
        return found + scattered("held", held, _by_source(held, self.many), self.many)

    def suspects(self, rows: Sequence[Row]) -> list[Row]:
        """Edges -> nodes that begin or end like others of their source."""
        table = tables(rows, "edge")
        if table is None:
            return []
        _, which, counts = np.unique(column(table, "edge"), return_inverse=True, return_counts=True)
        some = table.filter(pa.array(counts[which.reshape(-1)] >= LEAST)).select(["place", "source"])
        return scattered("suspect", some, shard_of(some.column("place").to_pylist(), self.many), self.many)

    def suspected(self, rows: Sequence[Row]) -> list[Row]:
        """Suspects and texts -> the texts of the suspects, by source."""
        wanted = {one["place"]: one["source"] for one in _records(rows, "suspect")}
        texts = {one["place"]: one["text"] for one in _records(rows, "text") if one["place"] in wanted}
        table = pa.table({
            "place": pa.array(list(texts), pa.binary()), "text": list(texts.values()),
            "source": pa.array([wanted[one] for one in texts], pa.string()),
        })  # fmt: skip
        return scattered("suspected", table, _by_source(table, self.many), self.many)

    def boilerplate(self, rows: Sequence[Row]) -> list[Row]:
        """Suspects of whole sources -> keys and shingle sets without the edges that texts share."""
        some = sorted(_records(rows, "suspected"), key=lambda one: one["place"])
        held = Counter(one["source"] for one in _records(rows, "held"))
        left = shared_edges(
            range(len(some)), lambda i: compared_text(some[i]["text"]), lambda i: some[i]["source"], held
        )
        if not left:
            return []
        chosen = sorted(left)
        own = prints([some[i]["text"] for i in chosen], self.settings, [left[i] for i in chosen])
        places = pa.array([some[i]["place"] for i in chosen], pa.binary())
        sets = pa.table({"place": places, "set": _lists(own.hashes, own.offsets)})
        shards = shard_of(places.to_pylist(), self.many)
        return scattered("rekeyed", _keys(places, own), shards, self.many) + scattered("reset", sets, shards, self.many)

    def keys(self, rows: Sequence[Row]) -> list[Row]:
        """Keys of documents -> keys of nodes, each to its bucket."""
        nodes, table, again = tables(rows, "node"), tables(rows, "keys"), tables(rows, "rekeyed")
        if nodes is None or table is None:
            return []
        if again is not None:
            table = pa.concat_tables([again, table])
        _, ranks = ranked(table.column("place"))
        _, first = np.unique(ranks, return_index=True)  # what was compared anew comes first
        table = table.take(pa.array(first))
        table = table.filter(pc.is_in(table.column("place"), value_set=nodes.column("place").combine_chunks()))
        bands, figures = table.column("bands").combine_chunks(), column(table, "figures")
        places, said = table.column("place").combine_chunks(), table.column("said").combine_chunks()
        found = self._to_buckets("band", bands, places, figures)
        return found + self._to_buckets("said", said, places, np.diff(said.offsets.to_numpy()).astype(np.int64))

    def _to_buckets(self, kind: str, lists: pa.ListArray, places: pa.Array, beside: Ints) -> list[Row]:
        owner = np.repeat(np.arange(len(lists)), np.diff(lists.offsets.to_numpy()))
        keys = lists.flatten().to_numpy()
        # A place stands once in a block, however many keys it has there.
        rows: list[Row] = []
        shards = (keys.view(np.uint64) % np.uint64(self.many)).astype(np.int64)
        order = np.argsort(shards, kind="stable")
        bounds = np.searchsorted(shards[order], np.arange(self.many + 1))
        for shard in np.flatnonzero(np.diff(bounds)).tolist():
            at = order[bounds[shard] : bounds[shard + 1]]
            used, index = np.unique(owner[at], return_inverse=True)
            names = pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), places.take(pa.array(used)))
            rows.append(Row(shard, kind, packed(key=keys[at], place=names, beside=beside[owner[at]])))
        return rows

    def buckets(self, rows: Sequence[Row]) -> list[Row]:
        """Whole buckets -> proposed pairs, each to its later document."""
        found: list[Row] = []
        table = tables(rows, "band")
        if table is not None:
            places, ranks = ranked(table.column("place"))
            codes = band_pairs(
                column(table, "key").view(np.uint64),
                ranks,
                column(table, "beside").view(np.uint64),
                self.settings.bucket,
            )
            found += self._pairs("pair", places, codes)
        table = tables(rows, "said")
        if table is not None:
            places, ranks = ranked(table.column("place"))
            counts = np.zeros(len(places), dtype=np.int64)
            counts[ranks] = column(table, "beside")
            codes = sentence_pairs(
                column(table, "key").view(np.uint64), ranks, self.settings.bucket, self.settings.sentences
            )
            distinct, shared = np.unique(codes, return_counts=True)
            later, earlier = apart(distinct)
            found += self._pairs(
                "alike", places, distinct, shared=shared, least=np.minimum(counts[later], counts[earlier])
            )
        return found

    def _pairs(self, kind: str, places: pa.Array, codes: NDArray[np.uint64], **beside: Any) -> list[Row]:
        later, earlier = apart(codes)
        table = pa.table({"later": places.take(pa.array(later)), "earlier": places.take(pa.array(earlier)), **beside})
        hashes = shard_of(places.to_pylist(), self.many)
        return scattered(kind, table, hashes[later], self.many)

    def pairs(self, rows: Sequence[Row]) -> list[Row]:
        """Proposals from all buckets -> distinct pairs that are worth a look."""
        found = {(one["later"], one["earlier"]) for one in _records(rows, "pair")}
        shared: dict[tuple[bytes, bytes], list[int]] = {}
        for one in _records(rows, "alike"):
            entry = shared.setdefault((one["later"], one["earlier"]), [0, one["least"]])
            entry[0] += one["shared"]
        found |= {pair for pair, (count, least) in shared.items() if 4 * count >= max(least, 1)}
        if not found:
            return []
        later, earlier = zip(*sorted(found), strict=True)
        table = pa.table({"later": pa.array(later, pa.binary()), "earlier": pa.array(earlier, pa.binary())})
        return scattered("candidate", table, shard_of(later, self.many), self.many)

    def needed(self, rows: Sequence[Row], wanted: frozenset[int]) -> list[Row]:
        """Texts -> those of documents that are in a pair (by a hash of their place)."""
        found = []
        for row in rows:
            table = unpacked(row.block)
            keep = [_short(one) in wanted for one in table.column("place").to_pylist()]
            if any(keep):
                part = table.filter(pa.array(keep))
                found.append(
                    Row(row.shard, row.kind, packed(**{n: part.column(n).combine_chunks() for n in part.column_names}))
                )
        return found

    def asked(self, rows: Sequence[Row]) -> list[Row]:
        """Candidates with the later text -> a question to the earlier document; every text for its own questions."""
        texts = _texts(rows)
        found = []
        asks = [one for one in _records(rows, "candidate") if one["later"] in texts]
        if asks:
            told = [texts[one["later"]] for one in asks]
            earlier = [one["earlier"] for one in asks]
            table = pa.table({
                "later": pa.array([one["later"] for one in asks], pa.binary()),
                "earlier": pa.array(earlier, pa.binary()),
                "text": [one["text"] for one in told], "source": pa.array([one["source"] for one in told], pa.string()),
                "set": pa.array([one["set"] for one in told], pa.binary()),
            })  # fmt: skip
            found += scattered("ask", table, shard_of(earlier, self.many), self.many)
        for where, one in texts.items():
            shard = int(shard_of([where], self.many)[0])
            found.append(
                Row(
                    shard,
                    "have",
                    packed(**{name: [value] for name, value in one.items()}, place=pa.array([where], pa.binary())),
                )
            )
        return _joined(found, "have")

    def verified(self, rows: Sequence[Row]) -> list[Row]:
        """Questions and texts -> pairs that reach a threshold, with what they share and whether they agree."""
        texts = {one["place"]: one for one in _records(rows, "have")}
        asks = sorted(_records(rows, "ask"), key=lambda one: (one["later"], one["earlier"]))
        if not asks:
            return []
        sets = [np.frombuffer(one["set"], np.uint64) for one in asks]
        heads = {one["earlier"]: None for one in asks}
        at = {where: len(asks) + i for i, where in enumerate(heads)}
        sets += [np.frombuffer(texts[where]["set"], np.uint64) for where in heads]
        sizes = np.array([len(one) for one in sets], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        later = np.arange(len(asks))
        earlier = np.array([at[one["earlier"]] for one in asks], dtype=np.int64)
        shared = shared_counts(np.concatenate(sets), offsets, later, earlier)
        kept = verified(later, earlier, shared, (sizes[later], sizes[earlier]), self.settings)
        same = [self._agree(texts[asks[i]["earlier"]], asks[i]) for i in kept.later.tolist()]
        chosen = [asks[i] for i in kept.later.tolist()]
        if not chosen:
            return []
        return [Row(0, "link", packed(
            later=pa.array([one["later"] for one in chosen], pa.binary()),
                    earlier=pa.array([one["earlier"] for one in chosen], pa.binary()),
            resemblance=kept.resemblance, contained=kept.contained, agree=same,
        ))]  # fmt: skip

    def _agree(self, one: dict[str, Any], other: dict[str, Any]) -> bool:
        if self.settings.revisions == "collapse":
            return True
        page = one["source"] is None or other["source"] is None or one["source"] == other["source"]
        return agree(one["text"], other["text"], one_page=page)


def _short(where: bytes) -> int:
    return int(shard_of([where], 1 << 62)[0])


def short(places: Sequence[bytes]) -> Ints:
    """Hashes of places, as `Steps.needed` wants them."""
    return shard_of(places, 1 << 62)


def _keys(places: pa.Array, own: Prints) -> pa.Table:
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


def _lists(hashes: NDArray[np.uint64], offsets: Ints) -> pa.Array:
    raw = pa.py_buffer(np.ascontiguousarray(hashes).tobytes())
    return pa.Array.from_buffers(
        pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer((offsets * 8).astype(np.int64).tobytes()), raw]
    ).cast(pa.binary())


def _records(rows: Sequence[Row], kind: str) -> Iterator[dict[str, Any]]:
    for row in rows:
        if row.kind == kind:
            yield from unpacked(row.block).to_pylist()


def _texts(rows: Sequence[Row]) -> dict[bytes, dict[str, Any]]:
    found = {
        one["place"]: {"text": one["text"], "source": one["source"], "set": one["set"]}
        for one in _records(rows, "text")
    }
    for one in _records(rows, "reset"):
        if one["place"] in found:
            found[one["place"]]["set"] = one["set"]
    return found


def _joined(rows: Sequence[Row], kind: str) -> list[Row]:
    """Small blocks of a kind as one a shard."""
    out = [row for row in rows if row.kind != kind]
    for shard in sorted({row.shard for row in rows if row.kind == kind}):
        table = pa.concat_tables(
            [unpacked(row.block) for row in rows if row.kind == kind and row.shard == shard],
            promote_options="permissive",
        )
        out.append(Row(shard, kind, packed(**{n: table.column(n).combine_chunks() for n in table.column_names})))
    return out


def _by_source(table: pa.Table, many: int) -> Ints:
    return shard_of((one.encode("utf-8", "surrogatepass") for one in table.column("source").to_pylist()), many)


def _problem(one: Problem) -> Row:
    return Row(0, "problem", json.dumps(one.to_dict()).encode())
