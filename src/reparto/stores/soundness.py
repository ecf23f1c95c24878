"""Is a SQLite store sound? Its pages, the agreement of its tables, and every row against its checksum."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from reparto.documents import Document, instant
from reparto.errors import Problem
from reparto.stores.schema import DOCUMENT_COLUMNS, checksum
from reparto.terms import tokens

REMEDY = "restore a backup, or index the sources anew into another directory"
AGREEMENT = {
    "chunks without their document": "chunks WHERE document NOT IN (SELECT id FROM documents)",
    "chunks without search terms": "chunks WHERE number NOT IN (SELECT rowid FROM words)",
    "search terms without a chunk": "words WHERE rowid NOT IN (SELECT number FROM chunks)",
    "vectors without a chunk": "vectors WHERE number NOT IN (SELECT number FROM chunks)",
    "documents without their place": "documents WHERE id NOT IN (SELECT id FROM standings)",
    "places without their document": "standings WHERE id NOT IN (SELECT id FROM documents)",
    "documents whose leader is not in their group": (
        'standings s WHERE NOT EXISTS (SELECT 1 FROM standings l WHERE l.id = s."by" AND l."by" = l.id)'
    ),
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
            found += [*_chunks(base), *_documents(base), *_standings(base), *_vectors(base)]
    except (sqlite3.DatabaseError, UnicodeDecodeError, ValueError) as error:
        found = [str(error)]
    return [Problem("store_damaged", f"{path}: {text}", REMEDY) for text in dict.fromkeys(found)]


def _chunks(base: sqlite3.Connection) -> list[str]:
    """Texts, offsets, places in groups, and the words they are found by."""
    sql = (
        'SELECT c.id, document, start, "end", c.text, checksum, "by", relation, resemblance, containment, within, '
        "shown, place, length, d.title, w.terms FROM chunks c JOIN documents d ON d.id = document "
        "JOIN words w ON w.rowid = c.number"
    )
    bad = []
    for row in base.execute(sql):
        length, title, words = row[13:]
        terms = tokens(f"{title or ''} {row[4]}")
        whole = checksum(*row[:5]) == row[5] and checksum(row[0], *row[6:12]) == row[12]
        if not whole or length != len(terms) or words != " ".join(terms):
            bad.append(f"chunk {row[0]!r} is not what was written")
    return bad


def _documents(base: sqlite3.Connection) -> list[str]:
    bad = []
    for row in base.execute(f"SELECT {', '.join(DOCUMENT_COLUMNS)} FROM documents"):
        values = dict(zip(DOCUMENT_COLUMNS, row, strict=True))
        digest, moment = values.pop("digest"), values.pop("instant")
        values["metadata"] = json.loads(values["metadata"])
        if Document(**values).digest() != digest or instant(values["published"]) != moment:
            bad.append(f"document {values['id']!r} is not what was written")
    return bad


def _standings(base: sqlite3.Connection) -> list[str]:
    rows = base.execute("SELECT * FROM standings")
    return [f"the place of document {row[0]!r} is not what was written" for *row, sum in rows if checksum(*row) != sum]


def _vectors(base: sqlite3.Connection) -> list[str]:
    rows = base.execute("SELECT number, vector, checksum FROM vectors")
    return [f"the vector of chunk {row[0]} is not what was written" for row in rows if checksum(row[1]) != row[2]]
