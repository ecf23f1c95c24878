"""LanceDB: candidates from a table of your own (not a store of `reparto index`). Extra `store`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.integrations.mapping import candidate


def pool(
    table: Any,
    query: Any,
    limit: int = 50,
    *,
    id: str = "id",
    text: str = "text",
    vector: str = "vector",
    where: str | None = None,
    fields: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Candidates nearest to a query vector by cosine; `score` is 1 - distance.

    The table's default distance is L2, so cosine is asked for here. `where` is a filter in LanceDB's SQL.
    """
    asked = table.search(query, vector_column_name=vector).distance_type("cosine").limit(limit)
    rows = (asked.where(where, prefilter=True) if where else asked).to_list()
    found = []
    for row in rows:
        score, held = 1.0 - float(row.pop("_distance")), row.pop(vector, None)
        own, body = str(row.pop(id)), row.pop(text, "") or ""
        metadata = {name: value for name, value in row.items() if value is not None and not name.startswith("_")}
        found.append(candidate(own, body, score, metadata, held, fields))
    return found
