"""Candidates from what Python users hold: dicts, dataclasses, a pandas or polars frame, an Arrow table.

Nothing of these libraries is imported; a table is known by its methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from reparto.intake.values import Fault, kind
from reparto.model import Candidate


def rows_of(table: Any) -> Iterable[Any]:
    """Rows as mappings. Missing cells (NaN in a frame's object columns, NaT) of optional fields are left out."""
    if hasattr(table, "to_pylist") and hasattr(table, "column_names"):  # Arrow
        arrow: Iterable[Any] = table.to_pylist()
        return iter(arrow)
    if hasattr(table, "iter_rows") and hasattr(table, "schema"):  # polars
        named: Iterable[Any] = table.iter_rows(named=True)
        return iter(named)
    if hasattr(table, "to_dict") and hasattr(table, "columns") and hasattr(table, "iloc"):  # pandas
        return [_without_missing(row) for row in table.to_dict("records")]
    if isinstance(table, str | bytes | Mapping) or not isinstance(table, Iterable):
        raise Fault(f"should be a list of candidates, not {kind(table)}", "give a list of objects, or a table")
    return [_as_mapping(one) for one in table]


def _as_mapping(one: Any) -> Any:
    if isinstance(one, dict | Candidate | Mapping):  # the usual ones first
        return one
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        return {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
    return one


def _without_missing(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A frame has no null: a cell unequal to itself stands for one, except as a score, where NaN is a fault."""
    return {
        str(name): value
        for name, value in row.items()
        if name == "score" or value is None or not _differs_from_itself(value)
    }


def _differs_from_itself(value: Any) -> bool:
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # arrays and the like are no missing cells
        return False
