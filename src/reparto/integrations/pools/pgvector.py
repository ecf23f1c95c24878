"""PostgreSQL with pgvector: a pool by cosine distance, with vectors and all columns. Extra `pgvector`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reparto.errors import MissingExtraError
from reparto.integrations.mapping import candidate

try:
    from pgvector.psycopg import register_vector
    from psycopg import Connection, sql
    from psycopg.rows import dict_row
except ImportError as error:
    raise MissingExtraError("the pgvector adapter", "pgvector") from error


def pool(
    connection: Connection[Any],
    table: str,
    query: Sequence[float],
    limit: int = 50,
    *,
    id: str = "id",
    text: str = "text",
    vector: str = "embedding",
    where: Mapping[str, Any] | None = None,
    fields: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Candidates nearest to a query vector; `score` is the cosine similarity, 1 - (embedding <=> query).

    `where` are equal conditions on columns. Names are quoted as identifiers and values are parameters, so neither can
    carry SQL. Other columns become metadata, and the usual ones (document, source, published …) candidate fields.
    """
    register_vector(connection)
    conditions = [sql.SQL("{} = %s").format(sql.Identifier(name)) for name in where or ()]
    statement = sql.SQL(
        "SELECT *, 1 - ({v} <=> %s) AS reparto_score FROM {t} {w} ORDER BY {v} <=> %s, {i} LIMIT %s"
    ).format(
        v=sql.Identifier(vector),
        t=sql.Identifier(*table.split(".")),
        w=sql.SQL("WHERE ") + sql.SQL(" AND ").join(conditions) if conditions else sql.SQL(""),
        i=sql.Identifier(id),
    )
    asked = np.asarray(query, dtype=np.float32)
    with connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute(statement, [asked, *(where or {}).values(), asked, limit])
        return [_candidate(row, id, text, vector, fields) for row in cursor]


def _candidate(
    row: dict[str, Any], id: str, text: str, vector: str, fields: Mapping[str, str] | None
) -> dict[str, Any]:
    score = float(row.pop("reparto_score"))
    held, own, body = row.pop(vector), row.pop(id), row.pop(text) or ""
    metadata = {name: _plain(value) for name, value in row.items() if value is not None}
    numbers = held.to_numpy() if hasattr(held, "to_numpy") else held
    return candidate(str(own), body, score, metadata, numbers, fields)


def _plain(value: Any) -> Any:
    """Dates as ISO 8601; what JSON has is left as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else value
