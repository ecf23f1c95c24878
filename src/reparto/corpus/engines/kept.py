"""Kept rows: what a step makes is written by the worker that made it, a file a kind, and read again by the next.

A part of a step that was done is known by its receipt, written last. A step that is run again, after a worker or the
driver died, does only the parts without one; a part done twice writes the same files twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reparto.corpus.engines.blocks import Row, Step, packed, unpacked
from reparto.corpus.engines.places import Folder

_COMPRESSED = pa.ipc.IpcWriteOptions(compression="lz4")


@dataclass(frozen=True, slots=True)
class Keeping:
    """A step with a folder for what it makes: rows of a shard in, one receipt out."""

    step: Step
    folder: Folder

    def __call__(self, rows: Sequence[Row]) -> list[Row]:
        """Do the part of a shard unless that was done, and give its receipt."""
        shard = rows[0].shard
        receipt = self.folder.read(f"{shard}.json")
        if receipt is None:
            receipt = json.dumps(self._made(shard, rows)).encode()
            self.folder.write(f"{shard}.json", receipt)
        return [Row(shard, "receipt", receipt)]

    def _made(self, shard: int, rows: Sequence[Row]) -> dict[str, Any]:
        by_kind: dict[str, list[Row]] = {}
        for row in self.step(rows):
            by_kind.setdefault(row.kind, []).append(row)
        files = []
        for kind, some in by_kind.items():
            name, content = f"{kind}-{shard}.arrow", _file(some)
            self.folder.write(name, content)
            files.append({"kind": kind, "file": name, "bytes": len(content), "lines": sum(map(_lines, some))})
        return {"shard": shard, "taken": sum(len(row.block) for row in rows), "files": files}


@dataclass(frozen=True, slots=True)
class Receipts:
    """What a step made: a receipt for each shard, and the folder of the files that they name."""

    folder: Folder
    parts: tuple[dict[str, Any], ...]

    def lines(self, kind: str) -> int:
        """Lines of all blocks of a kind."""
        return sum(int(one["lines"]) for one in self._files(kind))

    def bytes(self, kind: str | None = None) -> int:
        """Bytes on disk, of all kinds or of one."""
        return sum(int(x["bytes"]) for part in self.parts for x in part["files"] if kind in (None, x["kind"]))

    def taken(self) -> int:
        """Bytes that were brought to its shards."""
        return sum(int(part["taken"]) for part in self.parts)

    def skew(self) -> float:
        """Bytes that the fullest shard took, over the mean."""
        taken = [int(part["taken"]) for part in self.parts]
        return round(max(taken) * len(taken) / max(1, sum(taken)), 2) if taken else 1.0

    def of(self, shards: frozenset[int]) -> Receipts:
        """What some shards made."""
        return Receipts(self.folder, tuple(part for part in self.parts if part["shard"] in shards))

    def asked(self, kind: str) -> list[Row]:
        """A row for each file of a kind, for `Loading`."""
        return [
            Row(at, "file", packed(folder=[self.folder.where], file=[one["file"]]))
            for at, one in enumerate(self._files(kind))
        ]

    def rows(self, kind: str) -> Iterator[Row]:
        """The rows of a kind, here, a file at a time, in order of the shard that made them."""
        for one in self._files(kind):
            yield from read(self.folder, str(one["file"]))

    def _files(self, kind: str) -> list[dict[str, Any]]:
        ordered = sorted(self.parts, key=lambda part: int(part["shard"]))
        return [one for part in ordered for one in part["files"] if one["kind"] == kind]


@dataclass(frozen=True, slots=True, eq=False)
class Loading:
    """Files -> their rows; with `wanted` only the lines of documents whose place has one of these hashes."""

    wanted: NDArray[np.int64] | None = None

    def __call__(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of the files."""
        from reparto.corpus.engines.blocks import among

        found: list[Row] = []
        for row in rows:
            for one in unpacked(row.block).to_pylist():
                for kept in read(Folder(one["folder"]), one["file"]):
                    found += [kept] if self.wanted is None else among(kept, self.wanted)
        return found


def read(folder: Folder, name: str) -> Iterator[Row]:
    """The rows of a file."""
    content = folder.read(name)
    if content is None:
        raise FileNotFoundError(f"{folder.where}/{name}")
    kind = name.rpartition("-")[0]
    with pa.ipc.open_stream(content) as stream:
        for batch in stream:
            for shard, block in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                yield Row(shard, kind, block.as_buffer().to_pybytes())


def _file(rows: Sequence[Row]) -> bytes:
    sink = pa.BufferOutputStream()
    schema = pa.schema([("shard", pa.int64()), ("block", pa.large_binary())])
    with pa.ipc.new_stream(sink, schema, options=_COMPRESSED) as writer:
        for row in rows:
            writer.write_batch(
                pa.record_batch([pa.array([row.shard]), pa.array([row.block], pa.large_binary())], schema)
            )
    return bytes(sink.getvalue())


def _lines(row: Row) -> int:
    return 1 if row.kind == "problem" else int(unpacked(row.block).num_rows)
