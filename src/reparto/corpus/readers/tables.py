"""Rows of CSV, TSV and Parquet: columns named like document fields are those, the others become metadata."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from reparto.corpus.readers.base import Source, skipped
from reparto.documents import Document, document_from
from reparto.errors import CorpusError, MissingExtraError, Problem

ROWS = 1000
LARGEST_ROW_GROUP = 4 * 2**30


class CSV:
    """A header line and a document a row. An empty cell is absent."""

    suffixes = (".csv", ".tsv")

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The documents of the rows; needs columns `id` and `text`."""
        delimiter = "\t" if source.suffix == ".tsv" else ","
        before = csv.field_size_limit(source.limits.line)
        try:
            with source.open() as raw:
                text = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace", newline="")
                try:
                    rows = csv.DictReader(text, delimiter=delimiter)
                    missing = [name for name in ("id", "text") if name not in (rows.fieldnames or ())]
                    if missing:
                        yield skipped(source, f"no column {' and no '.join(missing)} in its first line", 1)
                        return
                    for row in rows:
                        filled = {name: cell for name, cell in row.items() if name and cell}
                        yield from document_of_row(source, filled, rows.line_num)
                finally:
                    text.detach()
        except csv.Error as error:
            yield skipped(source, error)
        finally:
            csv.field_size_limit(before)


class Parquet:
    """Columns `id`, `text` and any other fields, by pyarrow (extra `parquet`). Streamed by row group."""

    suffixes = (".parquet", ".pq")

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The documents of the rows."""
        try:
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
        except ImportError as error:
            raise MissingExtraError("reading Parquet", "parquet") from error
        try:
            with source.open() as raw, ParquetFile(raw) as table:
                sizes = [table.metadata.row_group(i).total_byte_size for i in range(table.num_row_groups)]
                if max(sizes, default=0) > LARGEST_ROW_GROUP:
                    yield skipped(source, f"a row group unpacks to {max(sizes)} bytes", code="too_large")
                    return
                number = 0
                for batch in table.iter_batches(batch_size=ROWS):
                    for row in batch.to_pylist():
                        number += 1
                        yield from document_of_row(source, plain(row), number)
        except ArrowException as error:
            yield skipped(source, error)


def document_of_row(source: Source, row: Mapping[str, Any], line: int) -> Iterator[Document | Problem]:
    """The document of a row, or what is wrong with it."""
    try:
        yield document_from(row, line)
    except CorpusError as error:
        yield from (replace(one, message=f"{source.name}: {one.message}") for one in error.problems)


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Dates as ISO 8601, absent values left out (a struct column has them for every row that lacks a key)."""
    return {name: _value(value) for name, value in row.items() if value is not None}


def _value(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return plain(value)
    return value
