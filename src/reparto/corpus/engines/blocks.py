"""Blocks: what travels between the steps of a distributed run.

A row is (shard, kind, block); a block is an Arrow table.

Rows of one shard come together in a step, in any order and in any number of blocks, so a step sorts what it gets.
Documents are named by their *place*: bytes that compare as documents do in order of priority, with the id in them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_TERMINATOR = b"\0\0"


class Row(NamedTuple):
    """A block on its way to a shard."""

    shard: int
    kind: str
    block: bytes


Step = Callable[[Sequence[Row]], list[Row]]


def packed(**columns: Any) -> bytes:
    """Columns of one length as bytes."""
    table = pa.table(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def unpacked(block: bytes) -> pa.Table:
    """The table of a block."""
    return pa.ipc.open_stream(block).read_all()


def tables(rows: Iterable[Row], kind: str) -> pa.Table | None:
    """All blocks of a kind as one table; None where there is none."""
    found = [unpacked(row.block) for row in rows if row.kind == kind]
    return pa.concat_tables(found) if found else None


def sorted_out(shards: Ints, many: int) -> Iterator[tuple[int, Ints]]:
    """The shards that are among some, each with the indices of its lines, ascending. O(lines + many)."""
    small = shards.astype(np.uint16) if many <= 1 << 16 else shards  # numpy sorts small numbers by their digits
    order = np.argsort(small, kind="stable")
    ends = np.cumsum(np.bincount(shards, minlength=many))
    for shard in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
        yield shard, order[ends[shard - 1] if shard else 0 : ends[shard]]


def scattered(kind: str, table: pa.Table, shards: Ints, many: int) -> list[Row]:
    """A table as rows for the shards that its lines belong to."""
    found = []
    for shard, at in sorted_out(shards, many):
        part = table.take(pa.array(at))
        found.append(
            Row(shard, kind, packed(**{name: part.column(name).combine_chunks() for name in part.column_names}))
        )
    return found


def scattered_pairs(
    kind: str, places: pa.Array, later: Ints, earlier: Ints, shards: Ints, many: int, **beside: NDArray[Any]
) -> list[Row]:
    """Pairs of places, by index, as rows for shards; a place stands once in a block, however many pairs it is in."""
    found = []
    for shard, at in sorted_out(shards, many):
        named = {"later": compacted(places, later[at]), "earlier": compacted(places, earlier[at])}
        found.append(Row(shard, kind, packed(**named, **{name: values[at] for name, values in beside.items()})))
    return found


def compacted(places: pa.Array, index: Ints) -> pa.DictionaryArray:
    """Places by index, each of them held once."""
    used, at = np.unique(index, return_inverse=True)
    return pa.DictionaryArray.from_arrays(pa.array(at.reshape(-1).astype(np.int32)), places.take(pa.array(used)))


def among(row: Row, wanted: Ints) -> list[Row]:
    """The lines of a block whose place has one of the hashes, ascending, as a row; no row when there are none."""
    table = unpacked(row.block)
    own = short(table.column("place"))
    at = np.minimum(np.searchsorted(wanted, own), max(0, len(wanted) - 1))
    keep = wanted[at] == own if len(wanted) else np.zeros(len(own), dtype=bool)
    if not keep.any():
        return []
    part = table.filter(pa.array(keep))
    return [Row(row.shard, row.kind, packed(**{n: part.column(n).combine_chunks() for n in part.column_names}))]


def tails(values: pa.Array | pa.ChunkedArray) -> NDArray[np.uint64]:
    """The last eight bytes of each value, as a number. Of a place and of a digest they are a hash of the whole."""
    found = [np.zeros(0, np.uint64)]
    for one in values.chunks if isinstance(values, pa.ChunkedArray) else [values]:
        if len(one):
            ends = np.frombuffer(one.buffers()[1], np.int32)[one.offset + 1 : one.offset + len(one) + 1]
            raw = np.frombuffer(one.buffers()[2], np.uint8)
            found.append(raw[ends.astype(np.int64)[:, None] + np.arange(-8, 0)].view("<u8").reshape(-1))
    return np.concatenate(found)


def homes(values: pa.Array | pa.ChunkedArray, many: int) -> Ints:
    """The shard of each place or digest."""
    return (tails(values) % np.uint64(many)).astype(np.int64)


def short(places: pa.Array | pa.ChunkedArray) -> Ints:
    """Hashes of places, for asking who is among many: one that is wrongly taken for another costs a look."""
    return (tails(places) & np.uint64((1 << 62) - 1)).view(np.int64)


def shard_of(values: Iterable[bytes], many: int) -> Ints:
    """The shard of each value."""
    digest = xxhash.xxh3_64_intdigest
    return np.fromiter((digest(value) % many for value in values), dtype=np.int64)


def place(gold: bool, instant: float, characters: int, id: str, said: bytes) -> bytes:
    """Bytes in order of priority: gold first, published ascending, longer first, id by code point.

    `said` keeps two texts of one id apart; at the end stands a hash of both.
    """
    bits: int = struct.unpack(">Q", struct.pack(">d", instant + 0.0))[0]
    ordered = bits ^ (0xFFFF_FFFF_FFFF_FFFF if bits >> 63 else 1 << 63)
    name = id.encode("utf-8", "surrogatepass").replace(b"\0", b"\0\xff")
    head = struct.pack(">BQQ", not gold, ordered, 0xFFFF_FFFF_FFFF_FFFF - characters)
    return head + name + _TERMINATOR + xxhash.xxh3_64_digest(said + name)


def id_of(where: bytes) -> str:
    """The id in a place."""
    return where[17:-10].replace(b"\0\xff", b"\0").decode("utf-8", "surrogatepass")


def ranked(places: pa.ChunkedArray | pa.Array) -> tuple[pa.Array, Ints]:
    """The distinct places in order, and the rank of each given one among them."""
    distinct, (ranks,) = ranked_together([places])
    return distinct, ranks


def ranked_together(columns: Sequence[pa.ChunkedArray | pa.Array]) -> tuple[pa.Array, list[Ints]]:
    """The distinct places of several columns in order, and ranks column by column.

    Of a dictionary only what it holds is looked at: O(lines), and the places are never written out line by line.
    """
    chunked = [one.chunks if isinstance(one, pa.ChunkedArray) else [one] for one in columns]
    held = [one.dictionary if _coded(one) else one for chunks in chunked for one in chunks]
    distinct, ranks = _distinct(held)
    order = pc.sort_indices(distinct).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    parts = iter([rank[one] for one in ranks])
    return distinct.take(pa.array(order)), [_laid([(one, next(parts)) for one in chunks]) for chunks in chunked]


def indexed(places: pa.ChunkedArray, among: pa.Array) -> Ints:
    """Where each place stands among others, of which it must be one."""
    held = [one.dictionary if _coded(one) else one for one in places.chunks]
    distinct, which = _distinct(held)
    # A dictionary may name places that no line has: they need not be there.
    at = pc.fill_null(pc.index_in(distinct, value_set=among), -1).to_numpy().astype(np.int64)
    return _laid([(one, at[own]) for one, own in zip(places.chunks, which, strict=True)])


def _distinct(held: Sequence[pa.Array]) -> tuple[pa.Array, list[Ints]]:
    """The distinct values of some arrays, and which one each value is: all are hashed once."""
    encoded = pc.dictionary_encode(pa.chunked_array(held, pa.binary())).chunks
    if not encoded:
        return pa.array([], pa.binary()), [np.zeros(0, np.int64) for _ in held]
    which = np.concatenate([one.indices.to_numpy() for one in encoded])
    return encoded[-1].dictionary, np.split(which, np.cumsum([len(one) for one in held])[:-1])


def _laid(parts: Sequence[tuple[pa.Array, Ints]]) -> Ints:
    """Numbers of lines, from the numbers of the values that their chunks hold."""
    found = [own[one.indices.to_numpy()] if _coded(one) else own for one, own in parts]
    return np.concatenate([np.zeros(0, np.int64), *found])


def _coded(one: pa.Array) -> bool:
    return bool(pa.types.is_dictionary(one.type))


def column(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of numbers."""
    return np.ascontiguousarray(table.column(name).to_numpy())
