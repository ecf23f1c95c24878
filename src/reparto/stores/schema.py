"""The tables of the SQLite store, and the checksums its rows carry."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, fields, replace
from typing import Any

import xxhash

from reparto.stores.base import Membership, Standing

# The tokenizer `ascii` takes every character above 127 as part of a term: the terms are the project's own,
# already folded and cut, and must come out as they went in.
SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, text TEXT NOT NULL, title TEXT, source TEXT, published TEXT,
    url TEXT, language TEXT, tier TEXT, concept TEXT, version TEXT, metadata TEXT NOT NULL,
    markup TEXT NOT NULL, instant REAL
) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, start INTEGER NOT NULL,
    "end" INTEGER NOT NULL, text TEXT NOT NULL, checksum TEXT NOT NULL, "by" TEXT NOT NULL,
    relation TEXT, resemblance REAL, containment REAL, within REAL,
    length INTEGER NOT NULL, shown INTEGER NOT NULL, place TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS chunks_document ON chunks (document);
CREATE INDEX IF NOT EXISTS chunks_by ON chunks ("by");
CREATE TABLE IF NOT EXISTS standings (
    id TEXT PRIMARY KEY, "by" TEXT NOT NULL, relation TEXT, resemblance REAL, containment REAL,
    copies INTEGER NOT NULL, sources INTEGER NOT NULL, first_published TEXT, revision_of TEXT, wire TEXT,
    wire_by TEXT, canonical_url TEXT, lacks TEXT NOT NULL, checksum TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS standings_by ON standings ("by");
CREATE TABLE IF NOT EXISTS vectors (
    number INTEGER PRIMARY KEY, vector BLOB NOT NULL, checksum TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (terms, tokenize = "ascii");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (words, row);
"""

DOCUMENT_COLUMNS = (
    "id", "digest", "text", "title", "source", "published", "url", "language", "tier", "concept", "version",
    "metadata", "markup", "instant",
)  # fmt: skip
STANDING = tuple(one.name for one in fields(Standing))


def checksum(*parts: Any) -> str:
    """64-bit hash of some values, in hex."""
    joined = "\x1f".join(part.hex() if isinstance(part, bytes) else str(part) for part in parts)
    return xxhash.xxh3_64_hexdigest(joined.encode("utf-8"))


def place_of(id: str, membership: Membership) -> tuple[Any, ...]:
    """The columns of a chunk's place in its group: `by`, relation, resemblance, containment, within, shown."""
    m = membership
    return m.by, m.relation, m.resemblance, m.containment, m.within, int(m.shown(id))


def standing_values(standing: Standing) -> tuple[Any, ...]:
    """The columns `STANDING` of a document's place, `lacks` as JSON."""
    *plain, lacks = astuple(standing)
    return (*plain, json.dumps(lacks, ensure_ascii=False))


def standing_of(values: Sequence[Any]) -> Standing:
    """A document's place from the columns `STANDING`."""
    *plain, lacks = values
    return replace(Standing(*plain), lacks=tuple(json.loads(lacks)))
