"""The light store: one SQLite file, from the standard library. What is used where the extra `store` is
absent.

Documents, chunks, vectors and groups are tables; the lexical channel is FTS5 over the project's own terms (so
Han, kana and Thai are found too), the dense one an exact product with all vectors. A write is one transaction
in write-ahead mode: a kill at any moment leaves the state before it or after it, and readers never wait.
Sizes it is meant for: up to some hundred thousand chunks (exact search reads every vector: 50,000 of 512
numbers are 100 MB of memory).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.documents import TEXT_FIELDS, Document, instant
from reparto.errors import CorpusError, Problem
from reparto.stores.base import Carrier, Chunk, Counts, Entry, Hit, Holder, Matrix, Membership, Row, Standing, ordered
from reparto.stores.bm25 import BM25
from reparto.stores.exact import Vectors
from reparto.stores.filters import Filters
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest, missing
from reparto.stores.schema import (
    DOCUMENT_COLUMNS,
    SCHEMA,
    STANDING,
    checksum,
    place_of,
    standing_of,
    standing_values,
)
from reparto.stores.soundness import sqlite_problems
from reparto.stores.sqlite_sql import Transaction, condition, fault, marks, parts_of
from reparto.terms import tokens

FILE = "corpus.sqlite"
CHUNK = 'c.id, c.document, c.start, c."end", c.text, c."by", c.relation, c.resemblance, c.containment, c.within'
FIELDS = ", ".join(f"d.{name}" for name in (*TEXT_FIELDS, "metadata", "instant"))
STANDS = ", ".join(f's."{name}"' for name in STANDING)
FEW = 1000


class SQLiteStore:
    """A `Store` in `DIR/data-NNNN/corpus.sqlite`. Exact, atomic, several readers beside one writer."""

    kind = "sqlite"

    def __init__(self, location: Location, manifest: Manifest) -> None:
        if location.path is None:
            message = f"{location} is not a local directory"
            raise CorpusError(Problem("store_location", message, "use a directory, or --kind lancedb for a URI"))
        if manifest.options.get("stem"):
            message = "a store of kind `sqlite` does not stem"
            raise CorpusError(Problem("stem", message, "leave --stem out, or use --kind lancedb", field="stem"))
        self.location, self.manifest = location, manifest
        self.path: Path = location.path / manifest.folder / FILE
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._snapshot: _Snapshot | None = None
        try:
            self._base = sqlite3.connect(self.path, timeout=30, check_same_thread=False, isolation_level=None)
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = FULL")
            self._base.execute("PRAGMA cell_size_check = ON")
            if not self._base.execute("SELECT 1 FROM sqlite_master WHERE name = 'vocabulary'").fetchone():
                if gone := missing(location, manifest, f"{manifest.folder}/{FILE}"):
                    self._base.close()
                    raise gone
                self._base.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
        except sqlite3.DatabaseError as error:
            raise fault(self.path, error) from error

    def stamps(self) -> dict[str, str]:
        """Digest of every document held, by id."""
        return dict(self._query("SELECT id, digest FROM documents"))

    def unfinished(self) -> list[Document]:
        """None: a write is one step."""
        return []

    def write(self, entries: Sequence[Entry], remove: Sequence[str] = ()) -> None:
        """Put and remove documents in one transaction."""
        with self._transaction():
            self._drop([*remove, *(entry.document.id for entry in entries)])
            marks = ", ".join("?" * len(DOCUMENT_COLUMNS))
            names = ", ".join(DOCUMENT_COLUMNS)
            self._base.executemany(
                f"INSERT INTO documents ({names}) VALUES ({marks})",
                [_document_row(entry) for entry in entries],
            )
            for entry in entries:
                self._add_chunks(entry)
            self._stand({entry.document.id: Standing(entry.document.id) for entry in entries})

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """Documents in ascending order of id."""
        names = ", ".join(DOCUMENT_COLUMNS)
        if ids is None:
            yield from map(_document, self._query(f"SELECT {names} FROM documents ORDER BY id"))
            return
        for part in parts_of(sorted(set(ids))):
            sql = f"SELECT {names} FROM documents WHERE id IN ({marks(part)}) ORDER BY id"
            yield from map(_document, self._query(sql, part))

    def rows(self, ids: Sequence[str] | None = None, vectors: bool = False) -> Iterator[Row]:
        """Chunks with their documents' fields."""
        vector = "v.vector" if vectors else "NULL"
        sql = (
            f"SELECT {CHUNK}, {FIELDS}, {vector} FROM chunks c JOIN documents d ON d.id = c.document "
            "LEFT JOIN vectors v ON v.number = c.number "
        )
        if ids is None:
            yield from map(_row, self._query(sql + "ORDER BY c.id"))
            return
        for part in parts_of(ids):
            found = {row[0]: row for row in self._query(f"{sql} WHERE c.id IN ({marks(part)})", part)}
            yield from (_row(found[id]) for id in part if id in found)

    def of(self, documents: Sequence[str]) -> list[Row]:
        """The chunks of some documents."""
        ids: list[str] = []
        for part in parts_of(documents):
            found = self._query(f"SELECT id FROM chunks WHERE document IN ({marks(part)})", part)
            ids += [id for (id,) in found]
        return list(self.rows(sorted(set(ids)), vectors=True))

    def regroup(self, memberships: Mapping[str, Membership]) -> None:
        """Set groups in one transaction."""
        with self._transaction():
            self._base.executemany(
                'UPDATE chunks SET "by" = ?, relation = ?, resemblance = ?, containment = ?, within = ?, '
                "shown = ?, place = ? WHERE id = ?",
                [(*place_of(id, place), checksum(id, *place_of(id, place)), id) for id, place in memberships.items()],
            )

    def holders(self, leaders: Sequence[str]) -> dict[str, list[Holder]]:
        """The members of each leader's group."""
        members: dict[str, list[Holder]] = {leader: [] for leader in leaders}
        for part in parts_of(sorted(members)):
            sql = (
                f'SELECT c."by", c.id, c.document, {FIELDS} FROM chunks c JOIN documents d '
                f'ON d.id = c.document WHERE c."by" IN ({marks(part)}) ORDER BY c.id'
            )
            for leader, id, document, *fields in self._query(sql, part):
                known = _fields(document, fields)
                members[leader].append(Holder(id, document, known["source"], known["published"], known))
        return members

    def stand(self, standings: Mapping[str, Standing]) -> None:
        """Set the places of documents in one transaction."""
        with self._transaction():
            self._stand(standings)

    def standings(self, ids: Sequence[str] | None = None) -> dict[str, Standing]:
        """Places of documents."""
        sql = f"SELECT s.id, {STANDS} FROM standings s"
        if ids is None:
            return {id: standing_of(row) for id, *row in self._query(f"{sql} ORDER BY s.id")}
        found: dict[str, Standing] = {}
        for part in parts_of(sorted(set(ids))):
            rows = self._query(f"{sql} WHERE s.id IN ({marks(part)}) ORDER BY s.id", part)
            found.update({id: standing_of(row) for id, *row in rows})
        return found

    def carriers(self, leaders: Sequence[str]) -> dict[str, list[Carrier]]:
        """The documents of each leading document's group."""
        members: dict[str, list[Carrier]] = {leader: [] for leader in leaders}
        for part in parts_of(sorted(members)):
            sql = (
                f"SELECT s.id, {STANDS}, {FIELDS} FROM standings s JOIN documents d ON d.id = s.id "
                f'WHERE s."by" IN ({marks(part)}) ORDER BY s.id'
            )
            for id, *values in self._query(sql, part):
                standing = standing_of(values[: len(STANDING)])
                known = _fields(id, values[len(STANDING) :])
                members[standing.by].append(Carrier(id, known["source"], known["published"], standing, known))
        return members

    def lexical(self, query: str, limit: int, filters: Filters) -> list[Hit]:
        """BM25 over the terms of the query, any of them. FTS5 finds the best; `BM25` scores what it found."""
        bm25 = self._bm25(sorted(set(tokens(query))))
        if not bm25.frequency or limit < 1:
            return []
        match = " OR ".join(f'"{term}"' for term in bm25.frequency)
        where, values = condition(filters)
        if filters:
            sql = (
                'SELECT c.id, w.terms, c."by" FROM words w CROSS JOIN chunks c ON c.number = w.rowid '
                f"JOIN documents d ON d.id = c.document WHERE words MATCH ? AND {where} ORDER BY w.rank, c.id LIMIT ?"
            )
            found = list(self._query(sql, [match, *values, limit]))
        else:
            found = self._best(match, limit)
        if any(terms is None for _, terms, _ in found):  # a page of the index that was written over
            raise fault(self.path, ValueError("the full-text index names texts that it does not hold"))
        return ordered((Hit(id, bm25.score(terms.split(" ")), by) for id, terms, by in found), limit)

    def _best(self, match: str, limit: int) -> list[Any]:
        """The best of what is shown. Ranked first and joined afterwards, which halves the time."""
        sql = (
            'SELECT c.id, w.terms, c."by", c.shown '
            "FROM (SELECT rowid AS n FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?) x "
            "JOIN chunks c ON c.number = x.n JOIN words w ON w.rowid = x.n"
        )
        depth = 2 * limit
        while True:
            found = list(self._query(sql, [match, depth]))
            shown = [row[:3] for row in found if row[3]]
            if len(shown) >= limit or len(found) < depth:
                return shown
            depth *= 4

    def nearest(self, vector: Matrix, limit: int, filters: Filters) -> list[Hit]:
        """Exact cosine against every vector that may be returned."""
        vectors, shown = self._now().dense(self)
        if filters:
            where, values = condition(filters)
            sql = f"SELECT c.number FROM chunks c JOIN documents d ON d.id = c.document WHERE {where}"
            numbers = np.fromiter((row[0] for row in self._query(sql, values)), dtype=np.int64)
            shown = np.isin(vectors.numbers, numbers, assume_unique=True)
        best = vectors.nearest(vector, limit, shown)
        named: dict[int, tuple[str, str]] = {}
        for part in parts_of([number for number, _ in best]):
            rows = self._query(f'SELECT number, id, "by" FROM chunks WHERE number IN ({marks(part)})', part)
            named.update({number: (id, leader) for number, id, leader in rows})
        hits = [Hit(named[number][0], score, named[number][1]) for number, score in best if number in named]
        return ordered(hits, limit)

    def counts(self) -> Counts:
        """How much is held."""
        sql = (
            "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks), "
            '(SELECT count(*) FROM chunks WHERE "by" = id), (SELECT count(*) FROM vectors)'
        )
        return Counts(*next(iter(self._query(sql))))

    def settle(self) -> None:
        """Index segments merged, statistics taken, the write-ahead log folded in."""
        self._execute("INSERT INTO words (words) VALUES ('optimize')")
        self._execute("PRAGMA optimize")
        self._execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def check(self, deep: bool = False) -> list[Problem]:
        """SQLite's own integrity check, and with `deep` every row against its checksum."""
        return sqlite_problems(self._base, self.path, deep)

    def close(self) -> None:
        """Close the file."""
        self._snapshot = None
        self._base.close()

    def _add_chunks(self, entry: Entry) -> None:
        for position, chunk in enumerate(entry.chunks):
            values = (chunk.id, chunk.document, chunk.start, chunk.end, chunk.text)
            alone = place_of(chunk.id, Membership(chunk.id))
            terms = tokens(f"{entry.document.title or ''} {chunk.text}")
            number = self._base.execute(
                'INSERT INTO chunks (id, document, start, "end", text, checksum, "by", length, shown, place) '
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)",
                (*values, checksum(*values), chunk.id, len(terms), checksum(chunk.id, *alone)),
            ).lastrowid
            self._base.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (number, " ".join(terms)))
            if entry.vectors is not None:
                raw = np.ascontiguousarray(entry.vectors[position], dtype="<f4").tobytes()
                self._base.execute("INSERT INTO vectors VALUES (?, ?, ?)", (number, raw, checksum(raw)))

    def _drop(self, ids: Sequence[str]) -> None:
        for part in parts_of(ids):
            held = f"SELECT number FROM chunks WHERE document IN ({marks(part)})"
            self._base.execute(f"DELETE FROM words WHERE rowid IN ({held})", part)
            self._base.execute(f"DELETE FROM vectors WHERE number IN ({held})", part)
            self._base.execute(f"DELETE FROM chunks WHERE document IN ({marks(part)})", part)
            self._base.execute(f"DELETE FROM standings WHERE id IN ({marks(part)})", part)
            self._base.execute(f"DELETE FROM documents WHERE id IN ({marks(part)})", part)

    def _stand(self, standings: Mapping[str, Standing]) -> None:
        rows = [(id, *standing_values(one)) for id, one in standings.items()]
        self._base.executemany(
            f"INSERT OR REPLACE INTO standings VALUES ({marks(['id', *STANDING, 'checksum'])})",
            [(*row, checksum(*row)) for row in rows],
        )

    def _bm25(self, terms: Sequence[str]) -> BM25:
        """Statistics of the query's terms. One that most of many chunks have says nothing and costs most: left out."""
        total, mean = self._now().lengths
        frequency: dict[str, int] = {}
        for part in parts_of(terms):
            frequency.update(self._query(f"SELECT term, doc FROM vocabulary WHERE term IN ({marks(part)})", part))
        rare = {term: number for term, number in frequency.items() if number * 2 < total or total < FEW}
        return BM25(rare or frequency, total, mean)

    def _now(self) -> _Snapshot:
        """What is kept in memory between queries, made anew when this process or another one has written."""
        seen = (int(next(iter(self._query("PRAGMA data_version")))[0]), self._base.total_changes)
        if self._snapshot is None or self._snapshot.seen != seen:
            row = next(iter(self._query("SELECT count(*), coalesce(avg(length), 1) FROM chunks")))
            self._snapshot = _Snapshot(seen, row)
        return self._snapshot

    def _query(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        try:
            yield from self._base.execute(sql, values)
        except sqlite3.DatabaseError as error:
            raise fault(self.path, error) from error

    def _execute(self, sql: str) -> None:
        for _ in self._query(sql):
            pass

    def _transaction(self) -> Transaction:
        return Transaction(self._base, self.path)


class _Snapshot:
    """Lengths of the chunks (how many, their mean), and on demand all vectors with a mask of those shown."""

    def __init__(self, seen: tuple[int, int], lengths: tuple[int, float]) -> None:
        self.seen, self.lengths = seen, lengths
        self._dense: tuple[Vectors, NDArray[np.bool_]] | None = None

    def dense(self, store: SQLiteStore) -> tuple[Vectors, NDArray[np.bool_]]:
        """Read at the first dense query: 2 kB a chunk of 512 numbers."""
        if self._dense is None:
            sql = "SELECT v.number, v.vector, c.shown FROM vectors v JOIN chunks c USING (number) ORDER BY v.number"
            found = list(store._query(sql))
            numbers = np.array([row[0] for row in found], dtype=np.int64)
            flat = np.frombuffer(b"".join(row[1] for row in found), dtype="<f4")
            rows = flat.reshape(len(found), -1) if found else flat.reshape(0, 0)
            self._dense = Vectors(numbers, rows), np.array([row[2] for row in found], dtype=bool)
        return self._dense


def _document_row(entry: Entry) -> tuple[Any, ...]:
    one = entry.document
    fields = [getattr(one, name) for name in TEXT_FIELDS]
    metadata = json.dumps(dict(one.metadata), ensure_ascii=False, sort_keys=True)
    return (one.id, entry.digest, one.text, *fields, metadata, one.markup, instant(one.published))


def _document(row: Sequence[Any]) -> Document:
    values = dict(zip(DOCUMENT_COLUMNS, row, strict=True))
    values["metadata"] = json.loads(values["metadata"])
    del values["digest"], values["instant"]
    return Document(**values)


def _fields(document: str, values: Iterable[Any]) -> dict[str, Any]:
    known = dict(zip((*TEXT_FIELDS, "metadata", "instant"), values, strict=True))
    known["metadata"] = json.loads(known["metadata"])
    return {"document": document, **known}


def _row(row: Sequence[Any]) -> Row:
    id, document, start, end, text, by, relation, resemblance, containment, within, *fields, raw = row
    return Row(
        Chunk(id, document, start, end, text),
        _fields(document, fields),
        Membership(by, relation, resemblance, containment, within),
        None if raw is None else np.frombuffer(raw, dtype="<f4"),
    )
