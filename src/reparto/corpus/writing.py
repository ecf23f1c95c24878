"""Results on disk: Parquet where the name says so, else JSON Lines. Written whole under another name, then renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from reparto.corpus.outcome import COLUMNS, Grouped
from reparto.errors import CorpusError, MissingExtraError, Problem

PARQUET = (".parquet", ".pq")
_FLOATS, _INTS = ("resemblance", "containment"), ("copies", "sources")
_FEW = ("relation", *_INTS, "first_published", "wire", "wire_by")  # columns of the same values again and again
ROWS = 1 << 17  # of a row group


def check_out(out: Path) -> None:
    """Refuse a result that could not be written, before hours of work."""
    if out.suffix.lower() in PARQUET:
        _pyarrow()
    if out.is_dir():
        raise CorpusError(Problem("out_is_folder", f"{out} is a folder", "name a file: GROUPS.parquet or GROUPS.jsonl"))


def write_groups(grouped: Grouped, out: Path) -> None:
    """Write a result. Rows are in order of `doc_id`; the same result is the same bytes."""
    out.parent.mkdir(parents=True, exist_ok=True)
    making = out.with_name(f"{out.name}.tmp")
    if out.suffix.lower() in PARQUET:
        _write_parquet(grouped, making)
    else:
        with making.open("w", encoding="utf-8", newline="\n") as stream:
            for line in lines(grouped):
                stream.write(line)
    os.replace(making, out)


def lines(grouped: Grouped) -> Iterator[str]:
    """A result as JSON Lines."""
    form = f"{{{', '.join(f'{json.dumps(name)}: %s' for name in COLUMNS)}}}\n"
    for low in range(0, len(grouped), ROWS):
        some = (_encoded(grouped.columns[name][low : low + ROWS]) for name in COLUMNS)
        for values in zip(*some, strict=True):
            yield form % values


def _encoded(values: list[Any]) -> list[str]:
    """Values as JSON; columns are strings, whole numbers and finite fractions, or None."""
    string = json.encoder.encode_basestring
    return [string(one) if type(one) is str else "null" if one is None else repr(one) for one in values]


def read_groups(path: Path) -> Grouped:
    """Read a result back."""
    if path.suffix.lower() in PARQUET:
        table = _pyarrow().parquet.read_table(path)
        return Grouped({name: table.column(name).to_pylist() for name in COLUMNS})
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            for name in COLUMNS:
                columns[name].append(row[name])
    return Grouped(columns)


def schema() -> Any:
    """The Arrow schema of a result."""
    pa = _pyarrow()
    kinds = {**dict.fromkeys(_FLOATS, pa.float64()), **dict.fromkeys(_INTS, pa.int64())}
    return pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])


def parquet_writer(where: Path) -> Any:
    """A writer of results; every engine's, so that their bytes are the same."""
    return _pyarrow().parquet.ParquetWriter(where, schema(), compression="zstd", use_dictionary=list(_FEW))


def _write_parquet(grouped: Grouped, making: Path) -> None:
    pa = _pyarrow()
    with (
        parquet_writer(making) as writer,
        ThreadPoolExecutor(1) as pool,  # packs one table while the next is made
    ):
        waiting = None
        for low in range(0, max(1, len(grouped)), ROWS):
            some = {name: values[low : low + ROWS] for name, values in grouped.columns.items()}
            table = pa.table(some, schema=schema())
            if waiting is not None:
                waiting.result()
            waiting = pool.submit(writer.write_table, table)
        if waiting is not None:
            waiting.result()


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("Parquet output", "dedupe") from error
    return pyarrow
