"""Blocks: what travels between the steps of a distributed run.

A row is (shard, kind, block); a block is an Arrow table.

Rows of one shard come together in a step, in any order and in any number of blocks, so a step sorts what it gets.
Documents are named by their *place*: bytes that compare as documents do in order of priority, with the id in them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
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
    return pa.concat_tables(found).unify_dictionaries() if found else None


def scattered(kind: str, table: pa.Table, shards: Ints, many: int) -> list[Row]:
    """A table as rows for the shards that its lines belong to."""
    order = np.argsort(shards, kind="stable")
    bounds = np.searchsorted(shards[order], np.arange(many + 1))
    found = []
    for shard in np.flatnonzero(np.diff(bounds)).tolist():
        part = table.take(pa.array(order[bounds[shard] : bounds[shard + 1]]))
        found.append(
            Row(shard, kind, packed(**{name: part.column(name).combine_chunks() for name in part.column_names}))
        )
    return found


def shard_of(values: Iterable[bytes], many: int) -> Ints:
    """The shard of each value."""
    digest = xxhash.xxh3_64_intdigest
    return np.fromiter((digest(value) % many for value in values), dtype=np.int64)


def place(gold: bool, instant: float, characters: int, id: str, said: bytes) -> bytes:
    """Bytes in order of priority: gold first, published ascending, longer first, id by code point.

    `said` keeps two texts of one id apart.
    """
    bits: int = struct.unpack(">Q", struct.pack(">d", instant + 0.0))[0]
    ordered = bits ^ (0xFFFF_FFFF_FFFF_FFFF if bits >> 63 else 1 << 63)
    name = id.encode("utf-8", "surrogatepass").replace(b"\0", b"\0\xff")
    head = struct.pack(">BQQ", not gold, ordered, 0xFFFF_FFFF_FFFF_FFFF - characters)
    return head + name + _TERMINATOR + said[:8]


def id_of(where: bytes) -> str:
    """The id in a place."""
    return where[17:-10].replace(b"\0\xff", b"\0").decode("utf-8", "surrogatepass")


def ranked(places: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """The distinct places in order, and the rank of each given one among them."""
    if pa.types.is_dictionary(places.type):
        places = places.cast(pa.binary())
    distinct = pc.unique(places)
    distinct = distinct.take(pc.sort_indices(distinct))
    return distinct, pc.index_in(places, value_set=distinct).to_numpy().astype(np.int64)


def column(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of numbers."""
    return np.ascontiguousarray(table.column(name).to_numpy())
