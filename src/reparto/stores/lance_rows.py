"""Rows of the LanceDB store: schemas, and the way from documents and chunks to them and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reparto.documents import TEXT_FIELDS, Document, instant
from reparto.stores.base import Chunk, Entry, Matrix, Membership, Row, Standing
from reparto.stores.filters import Filters
from reparto.stores.filters import text_of as text_of_value
from reparto.stores.schema import STANDING, checksum, standing_of, standing_values
from reparto.terms import fold

FIELDS = (*TEXT_FIELDS, "metadata", "instant")
CHUNK = ("id", "document", "start", "end", "text", "by", "relation", "resemblance", "containment", "within")
DOCUMENT = ("id", "text", *TEXT_FIELDS, "metadata", "markup")


def document_schema() -> Any:
    """Columns of `documents`; an empty digest marks a document whose chunks are being written."""
    import pyarrow as pa

    text = [pa.field(name, pa.string()) for name in ("digest", "text", *TEXT_FIELDS, "metadata", "markup")]
    return pa.schema([*standing_schema(), *text, pa.field("instant", pa.float64())])


def standing_schema() -> Any:
    """The columns of `documents` that say to which group a document belongs."""
    import pyarrow as pa

    kinds = {"resemblance": pa.float64(), "containment": pa.float64(), "copies": pa.int64(), "sources": pa.int64()}
    columns = [pa.field(name, kinds.get(name, pa.string())) for name in STANDING]
    return pa.schema([pa.field("id", pa.string(), nullable=False), *columns])


def standing_rows(standings: Mapping[str, Standing]) -> Any:
    """The rows of places of documents."""
    import pyarrow as pa

    rows = [{"id": id, **_standing(one)} for id, one in standings.items()]
    return pa.Table.from_pylist(rows, schema=standing_schema())


def standing_from_row(row: Mapping[str, Any]) -> Standing:
    """A document's place from its row."""
    return standing_of([row[name] for name in STANDING])


def _standing(standing: Standing) -> dict[str, Any]:
    return dict(zip(STANDING, standing_values(standing), strict=True))


def place_schema() -> Any:
    """The columns of `chunks` that say to which group a chunk belongs."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("by", pa.string()),
            pa.field("shown", pa.bool_()),
            pa.field("relation", pa.string()),
            pa.field("resemblance", pa.float64()),
            pa.field("containment", pa.float64()),
            pa.field("within", pa.float64()),
        ]
    )


def chunk_schema(dimension: int) -> Any:
    """Columns of `chunks`. `words` is what full-text search reads, `labels` the metadata as
    `metadata.NAME=VALUE`.
    """
    import pyarrow as pa

    columns = [
        *place_schema(),
        *(pa.field(name, pa.string()) for name in ("document", "text", "words", "checksum")),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
        *(pa.field(name, pa.string()) for name in (*TEXT_FIELDS, "metadata")),
        pa.field("instant", pa.float64()),
        pa.field("labels", pa.list_(pa.string())),
    ]
    if dimension:
        columns.append(pa.field("vector", pa.list_(pa.float32(), dimension)))
    return pa.schema(columns)


def document_rows(entries: Sequence[Entry], stamped: bool) -> Any:
    """The rows of documents, with or without their digests."""
    import pyarrow as pa

    rows = [
        {
            "id": entry.document.id,
            "digest": entry.digest if stamped else "",
            "text": entry.document.text,
            **{name: getattr(entry.document, name) for name in TEXT_FIELDS},
            "metadata": _json(entry.document.metadata),
            "markup": entry.document.markup,
            "instant": instant(entry.document.published),
            **_standing(Standing(entry.document.id)),
        }
        for entry in entries
    ]
    return pa.Table.from_pylist(rows, schema=document_schema())


def chunk_rows(entries: Sequence[Entry], dimension: int) -> Any:
    """The rows of the chunks of documents, each its own leader until it is grouped."""
    import pyarrow as pa

    schema = chunk_schema(dimension)
    rows = [row for entry in entries for row in _chunk_rows(entry)]
    columns = {
        name: pa.array([row[name] for row in rows], type=schema.field(name).type)
        for name in schema.names
        if name != "vector"
    }
    if dimension:
        blocks = [entry.vectors for entry in entries if entry.vectors is not None and len(entry.chunks)]
        flat = np.concatenate(blocks).astype(np.float32).ravel() if blocks else np.zeros(0, np.float32)
        columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), dimension)
    return pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)


def _chunk_rows(entry: Entry) -> Iterable[dict[str, Any]]:
    one = entry.document
    shared = {
        **{name: getattr(one, name) for name in TEXT_FIELDS},
        "metadata": _json(one.metadata),
        "instant": instant(one.published),
        "labels": labels(one.metadata),
        "document": one.id,
        "shown": True,
        "relation": None,
        "resemblance": None,
        "containment": None,
        "within": None,
    }
    for chunk in entry.chunks:
        yield {
            **shared,
            "id": chunk.id,
            "by": chunk.id,
            "text": chunk.text,
            "words": fold(f"{one.title or ''}\n{chunk.text}"),
            "start": chunk.start,
            "end": chunk.end,
            "checksum": checksum(chunk.id, one.id, chunk.start, chunk.end, chunk.text),
        }


def labels(metadata: Mapping[str, Any], prefix: str = "metadata") -> list[str]:
    """`metadata.NAME=VALUE` of every scalar, nested names joined by dots: what `--where` asks for."""
    found: list[str] = []
    for name, value in metadata.items():
        if isinstance(value, Mapping):
            found += labels(value, f"{prefix}.{name}")
        elif isinstance(value, str | int | float):
            found.append(f"{prefix}.{name}={text_of_value(value)}")
    return found


def condition(filters: Filters) -> str:
    """The filters in SQL; without any, what is shown."""
    if not filters:
        return "shown"
    parts = []
    for name, allowed in filters.fields:
        if name.startswith("metadata."):
            any_of = [f"array_has(labels, {quoted([f'{name}={value}'])})" for value in allowed]
            parts.append(f"({' OR '.join(any_of)})")
        else:
            parts.append(f'"{name}" IN ({quoted(allowed)})')
    for bound, sign in ((filters.since, ">="), (filters.until, "<=")):
        if bound is not None:
            parts.append(f"instant {sign} {bound!r}")
    return " AND ".join(parts)


def quoted(values: Iterable[str]) -> str:
    """Values as SQL literals, separated by commas."""
    return ", ".join("'" + str(value).replace("'", "''") + "'" for value in values)


def document_from_row(row: Mapping[str, Any]) -> Document:
    """A document from its row."""
    return Document(**{**{name: row[name] for name in DOCUMENT}, "metadata": json.loads(row["metadata"])})


def fields_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a document from its row, or from that of one of its chunks."""
    known = {name: row[name] for name in FIELDS}
    return {"document": row.get("document", row["id"]), **known, "metadata": json.loads(row["metadata"])}


def rows_from(table: Any, dimension: int) -> list[Row]:
    """Chunks from an Arrow table; vectors come out of the column without a Python number each."""
    vectors = None
    if "vector" in table.column_names:
        vectors = matrix(table.column("vector"), dimension)
        table = table.drop_columns(["vector"])
    return [
        Row(
            Chunk(row["id"], row["document"], row["start"], row["end"], row["text"]),
            fields_of(row),
            Membership(row["by"], row["relation"], row["resemblance"], row["containment"], row["within"]),
            None if vectors is None else vectors[number],
        )
        for number, row in enumerate(table.to_pylist())
    ]


def matrix(column: Any, dimension: int) -> Matrix:
    """A column of vectors as an array of shape (rows, dimension)."""
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    flat = np.concatenate(parts) if parts else np.zeros(0, np.float32)
    return np.asarray(flat, dtype=np.float32).reshape(-1, dimension)


def _json(metadata: Mapping[str, Any]) -> str:
    return json.dumps(dict(metadata), ensure_ascii=False, sort_keys=True)
