"""Candidates across shards: keys to their buckets, buckets to pairs, pairs to the shard of the later document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reparto.corpus.candidates import apart, band_pairs, code, sentence_pairs
from reparto.corpus.engines.blocks import (
    Row,
    column,
    compacted,
    homes,
    packed,
    ranked,
    ranked_together,
    scattered,
    scattered_pairs,
    short,
    sorted_out,
    tables,
    tails,
)  # fmt: skip
from reparto.corpus.settings import Settings

Ints = NDArray[np.int64]


def _nobody() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Proposing:
    """Settings and how many shards there are; `changed` are hashes of places whose earlier verdicts no longer hold."""

    settings: Settings
    many: int
    changed: Ints = field(default_factory=_nobody)

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
        places = table.column("place").combine_chunks()
        bands, said = table.column("bands").combine_chunks(), table.column("said").combine_chunks()
        many_said = np.diff(said.offsets.to_numpy()).astype(np.int64)
        found = self._to_buckets("band", bands, _beside(places, column(table, "figures")))
        return found + self._to_buckets("said", said, _beside(places, many_said))

    def _to_buckets(self, kind: str, lists: pa.ListArray, names: pa.Array) -> list[Row]:
        owner = np.repeat(np.arange(len(lists)), np.diff(lists.offsets.to_numpy()))
        values = lists.flatten().to_numpy()
        rows: list[Row] = []
        shards = (values.view(np.uint64) % np.uint64(self.many)).astype(np.int64)
        for shard, at in sorted_out(shards, self.many):
            new = np.diff(owner[at], prepend=-1) > 0  # owners ascend
            index = pa.array((np.cumsum(new) - 1).astype(np.int32))
            name = pa.DictionaryArray.from_arrays(index, names.take(pa.array(owner[at][new])))
            rows.append(Row(shard, kind, packed(key=values[at], name=name)))
        return rows

    def buckets(self, rows: Sequence[Row]) -> list[Row]:
        """Whole buckets -> proposed pairs, each to its later document, and how large the largest bucket is."""
        found: list[Row] = []
        table = _shared(tables(rows, "band"))
        if table is not None:
            found.append(Row(0, "size", packed(most=[_largest(column(table, "key"))])))
        if table is not None and len(table):
            values = column(table, "key").view(np.uint64)
            names, ranks = ranked(table.column("name"))
            places, figures = _apart(names)
            codes = band_pairs(values, ranks, figures.view(np.uint64)[ranks], self.settings.bucket)
            found += self._pairs("pair", places, codes)
        table = _shared(tables(rows, "said"))
        if table is not None and len(table):
            names, ranks = ranked(table.column("name"))
            places, counts = _apart(names)
            codes = sentence_pairs(
                column(table, "key").view(np.uint64), ranks, self.settings.bucket, self.settings.sentences
            )
            distinct, shared = np.unique(codes, return_counts=True)
            later, earlier = apart(distinct)
            least = np.minimum(counts[later], counts[earlier])
            found += self._pairs(
                "alike", places, distinct, shared=shared.astype(np.int32), least=least.astype(np.int32)
            )
        return found

    def _pairs(self, kind: str, places: pa.Array, codes: NDArray[np.uint64], **beside: Ints) -> list[Row]:
        later, earlier = apart(codes)
        return scattered_pairs(kind, places, later, earlier, homes(places, self.many)[later], self.many, **beside)

    def pairs(self, rows: Sequence[Row]) -> list[Row]:
        """Proposals from all buckets, and verdicts of earlier runs -> candidates, the texts they need, known links."""
        tabled = {kind: tables(rows, kind) for kind in ("pair", "alike", "known")}
        sides = [one.column(name) for one in tabled.values() if one is not None for name in ("later", "earlier")]
        if not sides:
            return []
        places, ranks = ranked_together(sides)
        codes = {kind: np.zeros(0, np.uint64) for kind in tabled}
        kinds = [kind for kind, one in tabled.items() if one is not None]
        for at, kind in enumerate(kinds):
            codes[kind] = code(ranks[2 * at], ranks[2 * at + 1])
        found = np.unique(np.concatenate([codes["pair"], _telling(codes["alike"], tabled["alike"])]))
        carried: list[Row] = []
        if tabled["known"] is not None:
            found, carried = self._known(rows[0].shard, places, found, codes["known"], tabled["known"])
        if not len(found):
            return carried
        later, earlier = apart(found)
        home = np.array([rows[0].shard])  # that of all later documents here
        used = np.unique(np.concatenate([later, earlier]))
        where = places.take(pa.array(used))
        want = pa.table({"place": where, "at": np.repeat(home, len(used))})
        return [
            *carried,
            *scattered_pairs("candidate", places, later, earlier, np.repeat(home, len(later)), self.many),
            *scattered("want", want, homes(where, self.many), self.many),
            Row(0, "used", packed(hash=np.unique(short(where)))),
        ]

    def _known(
        self, home: int, places: pa.Array, found: NDArray[np.uint64], known: NDArray[np.uint64], table: pa.Table
    ) -> tuple[NDArray[np.uint64], list[Row]]:
        """Candidates without a verdict; verdicts that still hold, and those of them that are links now."""
        later, earlier = apart(known)
        stale = np.isin(short(places), self.changed)
        holds = ~(stale[later] | stale[earlier])
        table, known = table.filter(pa.array(holds)), known[holds]
        rows = [Row(home, "known", packed(**{n: table.column(n).combine_chunks() for n in table.column_names}))]
        links = table.filter(pc.and_(pa.array(np.isin(known, found)), table.column("agree").is_valid()))
        if len(links):
            rows.append(Row(0, "link", packed(**{n: links.column(n).combine_chunks() for n in links.column_names})))
        return np.setdiff1d(found, known), rows if len(known) else []


def _telling(codes: NDArray[np.uint64], table: pa.Table | None) -> NDArray[np.uint64]:
    """Pairs whose shared sentences, over all buckets, are a quarter of the shorter text's at least."""
    if table is None:
        return np.zeros(0, np.uint64)
    distinct, first, which = np.unique(codes, return_index=True, return_inverse=True)
    shared = np.bincount(which.reshape(-1), weights=column(table, "shared"), minlength=len(distinct))
    chosen: NDArray[np.uint64] = distinct[4 * shared >= np.maximum(column(table, "least")[first], 1)]
    return chosen


def _shared(table: pa.Table | None) -> pa.Table | None:
    """Lines whose key another line has, each chunk with the names that are left: most keys are one document's."""
    if table is None:
        return None
    values = column(table, "key")
    order = np.argsort(values)
    same = values[order][1:] == values[order][:-1]
    keep = np.zeros(len(values), dtype=bool)
    keep[order[1:]] |= same
    keep[order[:-1]] |= same
    starts = np.cumsum([0, *map(len, table.column("name").chunks)])
    parts = []
    for low, one in zip(starts.tolist(), table.column("name").chunks, strict=False):
        index = one.indices.to_numpy()[keep[low : low + len(one)]]
        parts.append(compacted(one.dictionary, index))
    return pa.table({"key": values[keep], "name": pa.chunked_array(parts)})


def _largest(shared: Ints) -> int:
    """How often the most frequent key stands, of those that stand more than once: 1 where there is none."""
    ordered = np.sort(shared)
    ends = np.flatnonzero(np.concatenate([ordered[1:] != ordered[:-1], [True]])) if len(ordered) else [0]
    return int(np.diff(ends, prepend=-1).max())


def _beside(places: pa.Array, numbers: Ints) -> pa.Array:
    """Places with a number after each: none is the beginning of another, so their order stays."""
    offsets = pa.py_buffer((np.arange(len(numbers) + 1) * 8).astype(np.int32).tobytes())
    tails = pa.Array.from_buffers(pa.binary(), len(numbers), [None, offsets, pa.py_buffer(numbers.tobytes())])
    return pc.binary_join_element_wise(places, tails, pa.scalar(b"", pa.binary()))


def _apart(names: pa.Array) -> tuple[pa.Array, Ints]:
    """Places and numbers of what `_beside` made."""
    numbers = tails(names).view(np.int64)
    return pc.binary_slice(names, 0, -8), numbers
