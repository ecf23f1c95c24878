"""SQL of the SQLite store: conditions, transactions, and what its errors mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from reparto.errors import CorpusError, Problem
from reparto.stores.filters import Filters

BATCH = 500
REMEDIES = {
    "SQLITE_BUSY": ("store_busy", "another process is writing: try again"),
    "SQLITE_LOCKED": ("store_busy", "another process is writing: try again"),
    "SQLITE_FULL": ("disk_full", "free disk space and run it again: what was written before is kept"),
    "SQLITE_IOERR": ("disk_error", "check the disk and run it again: what was written before is kept"),
    "SQLITE_READONLY": ("read_only", "the directory must be writable, for readers too (write-ahead log)"),
    "SQLITE_CANTOPEN": ("unreadable", "check that the file exists and may be read"),
}
DAMAGED = (
    "store_damaged",
    "restore a backup or index the sources anew; `reparto doctor --deep --store DIR` says more",
)


def fault(path: Path, error: BaseException) -> CorpusError:
    """What an error of SQLite means, and what to do about it."""
    name = "_".join(str(getattr(error, "sqlite_errorname", "")).split("_")[:2])
    code, remedy = REMEDIES.get(name, DAMAGED)
    return CorpusError(Problem(code, f"{path}: {error}", remedy))


class Transaction:
    """`BEGIN IMMEDIATE` … `COMMIT`, rolled back on any error."""

    def __init__(self, base: sqlite3.Connection, path: Path) -> None:
        self.base, self.path = base, path

    def __enter__(self) -> None:
        try:
            self.base.execute("BEGIN IMMEDIATE")
        except sqlite3.DatabaseError as error:
            raise fault(self.path, error) from error

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            self.base.execute("ROLLBACK" if kind else "COMMIT")
        except sqlite3.DatabaseError as late:
            if self.base.in_transaction:
                self.base.execute("ROLLBACK")
            raise fault(self.path, error or late) from late
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.ProgrammingError):
            raise fault(self.path, error) from error


def condition(filters: Filters) -> tuple[str, list[Any]]:
    """SQL of the filters; without any, what is shown."""
    if not filters:
        return "c.shown", []
    parts: list[str] = []
    values: list[Any] = []
    for name, allowed in filters.fields:
        if name.startswith("metadata."):
            path = name.removeprefix("metadata.")
            column = "coalesce({}, {})".format(*(_json_text(key) for key in (_quoted(path), _nested(path))))
            values += [_quoted(path)] * 2 + [_nested(path)] * 2
        else:
            column = "d.id" if name == "document" else f"d.{name}"
        parts.append(f"{column} IN ({marks(allowed)})")
        values += allowed
    for bound, sign in ((filters.since, ">="), (filters.until, "<=")):
        if bound is not None:
            parts.append(f"d.instant {sign} ?")
            values.append(bound)
    return " AND ".join(parts), values


def _json_text(key: str) -> str:
    """JSON truth values come out of SQLite as 1 and 0; everything else as its text."""
    del key
    return (
        "CASE json_type(d.metadata, ?) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' "
        "ELSE CAST(json_extract(d.metadata, ?) AS TEXT) END"
    )


def _quoted(path: str) -> str:
    return '$."' + path.replace('"', "") + '"'


def _nested(path: str) -> str:
    return "$." + ".".join('"' + part.replace('"', "") + '"' for part in path.split("."))


def parts_of(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Parts of a list, short enough for the placeholders of one statement."""
    for at in range(0, len(values), BATCH):
        yield list(values[at : at + BATCH])


def marks(values: Sequence[Any]) -> str:
    """A placeholder for each value."""
    return ", ".join("?" * len(values))
