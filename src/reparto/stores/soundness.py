"""Is a SQLite store sound? Its pages, the agreement of its tables, and every row against its checksum."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from reparto.corpus.documents import Document
from reparto.errors import Problem
from reparto.stores.schema import DOCUMENT_COLUMNS, checksum

REMEDY = "restore a backup, or index the sources anew into another directory"
AGREEMENT = {
    "chunks without their document": "chunks WHERE document NOT IN (SELECT id FROM documents)",
    "chunks without search terms": "chunks WHERE number NOT IN (SELECT rowid FROM words)",
    "search terms without a chunk": "words WHERE rowid NOT IN (SELECT number FROM chunks)",
    "vectors without a chunk": "vectors WHERE number NOT IN (SELECT number FROM chunks)",
    "chunks whose leader is not in their group": (
        'chunks c WHERE NOT EXISTS (SELECT 1 FROM chunks l WHERE l.id = c."by" AND l."by" = l.id)'
    ),
}


def sqlite_problems(base: sqlite3.Connection, path: Path, deep: bool) -> list[Problem]:
    """Every fault found; an empty list means sound. `deep` reads the whole file."""
    try:
        found = [text for (text,) in base.execute("PRAGMA quick_check(20)") if text != "ok"]
        for what, sql in AGREEMENT.items():
            number = base.execute(f"SELECT count(*) FROM {sql}").fetchone()[0]
            found += [f"{number} {what}"] if number else []
        if deep:
            found += [text for (text,) in base.execute("PRAGMA integrity_check(20)") if text != "ok"]
            base.execute("INSERT INTO words (words) VALUES ('integrity-check')")
            found += [*_chunks(base), *_documents(base), *_vectors(base)]
    except (sqlite3.DatabaseError, UnicodeDecodeError, ValueError) as error:
        found = [str(error)]
    return [Problem("store_damaged", f"{path}: {text}", REMEDY) for text in dict.fromkeys(found)]


def _chunks(base: sqlite3.Connection) -> list[str]:
    rows = base.execute('SELECT id, document, start, "end", text, checksum FROM chunks')
    return [f"chunk {row[0]!r} is not what was written" for row in rows if checksum(*row[:5]) != row[5]]


def _documents(base: sqlite3.Connection) -> list[str]:
    import json

    bad = []
    for row in base.execute(f"SELECT {', '.join(DOCUMENT_COLUMNS)} FROM documents"):
        values = dict(zip(DOCUMENT_COLUMNS, row, strict=True))
        digest = values.pop("digest")
        values.pop("instant")
        values["metadata"] = json.loads(values["metadata"])
        if Document(**values).digest() != digest:
            bad.append(f"document {values['id']!r} is not what was written")
    return bad


def _vectors(base: sqlite3.Connection) -> list[str]:
    rows = base.execute("SELECT number, vector, checksum FROM vectors")
    return [f"the vector of chunk {row[0]} is not what was written" for row in rows if checksum(row[1]) != row[2]]
