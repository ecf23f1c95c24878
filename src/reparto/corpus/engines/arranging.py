"""The last step, and the result: stretches sorted by workers, written one after the other by the driver."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reparto.corpus.engines.blocks import Row, packed, tables, unpacked
from reparto.corpus.engines.places import filesystem, is_remote
from reparto.corpus.outcome import COLUMNS, Grouped
from reparto.corpus.writing import PARQUET, ROWS, check_out, lines, parquet_writer, schema
from reparto.errors import CorpusError, MissingExtraError, Problem

LANCE = ".lance"


@dataclass(frozen=True, slots=True)
class Arranging:
    """Sort stretches; `form` is the suffix of the result."""

    form: str

    def arranged(self, rows: Sequence[Row]) -> list[Row]:
        """Rows of a stretch -> the same in order of id, ready to be written, and their figures."""
        table = tables(rows, "row")
        if table is None:
            return []
        table = table.take(pc.sort_indices(table.column("doc_id"))).combine_chunks()
        relations = Counter(table.column("relation").to_pylist())
        most = pc.max(table.column("copies")).as_py()
        figures = packed(
            documents=[len(table)], leading=[relations[None]], revisions=[relations["revision"]], most=[most]
        )
        columns = {name: table.column(name) for name in COLUMNS}
        if self.form in (*PARQUET, LANCE):
            done = packed(**{name: values.combine_chunks() for name, values in columns.items()})
        else:
            told = lines(Grouped({name: values.to_pylist() for name, values in columns.items()}))
            done = packed(text=pa.array(["".join(told).encode("utf-8", "surrogatepass")], pa.large_binary()))
        return [Row(0, "sorted", done), Row(0, "figures", figures)]


def form_of(out: str) -> str:
    """The suffix that decides how a result is written."""
    return Path(out).suffix.lower()


def check(out: str) -> None:
    """Refuse a result that could not be written, before hours of work."""
    if form_of(out) == LANCE:
        _lancedb()
    elif is_remote(out):
        filesystem(out)
    else:
        check_out(Path(out))


def write_result(stretches: Iterable[Row], out: str) -> None:
    """Write stretches in their order; the result is there whole or not at all. Holds one stretch at a time."""
    blocks = (unpacked(row.block) for row in stretches)
    if form_of(out) == LANCE:
        parent, _, name = out.rpartition("/")
        batches = pa.RecordBatchReader.from_batches(schema(), _batches(blocks))
        _lancedb().connect(parent).create_table(name.removesuffix(LANCE), batches, mode="overwrite")
        return
    with _whole(out) as making:
        if form_of(out) in PARQUET:
            with parquet_writer(making) as writer:
                for table in _cut(blocks):
                    writer.write_table(table)
        else:
            with making.open("wb") as stream:
                for block in blocks:
                    stream.write(block.column("text")[0].as_buffer())


def _batches(blocks: Iterable[pa.Table]) -> Iterator[pa.RecordBatch]:
    for block in blocks:
        yield from block.cast(schema()).to_batches()


def _cut(blocks: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Tables of `ROWS` rows, as the local engine writes them."""
    held = schema().empty_table()
    some = False
    for block in blocks:
        held = pa.concat_tables([held, block.cast(schema())])
        while len(held) >= ROWS:
            some = True
            yield held.slice(0, ROWS).combine_chunks()
            held = held.slice(ROWS)
    if len(held) or not some:
        yield held.combine_chunks()


@contextmanager
def _whole(out: str) -> Iterator[Path]:
    """A file to write; on leaving it is put in its place in one step."""
    if not is_remote(out):
        path = Path(out)
        path.parent.mkdir(parents=True, exist_ok=True)
        making = path.with_name(f"{path.name}.tmp")
        yield making
        making.replace(path)
        return
    system, name = filesystem(out)
    with tempfile.TemporaryDirectory() as folder:
        making = Path(folder) / "result"
        yield making
        with making.open("rb") as made, system.open_output_stream(name) as stream:
            shutil.copyfileobj(made, stream, 1 << 20)


def _lancedb() -> Any:
    try:
        import lancedb
    except ImportError as error:
        raise MissingExtraError("tables of Lance", "store") from error
    return lancedb


def lance_table(where: str) -> Any:
    """The Lance table at a path or URI that ends in .lance."""
    parent, _, name = where.rstrip("/").rpartition("/")
    try:
        return _lancedb().connect(parent or ".").open_table(name.removesuffix(LANCE))
    except (ValueError, OSError, RuntimeError) as error:
        raise CorpusError(Problem("no_table", f"{where}: {error}", "give a folder that Lance wrote")) from error
