"""The default store: LanceDB (extra `store`), on a directory or an object-store URI.

Two tables. `documents` is the truth; `chunks` holds what is searched. Their commits are separate, so a write
goes in three steps: the document's row without its digest, its chunks (one conditional merge, which also
drops the chunks it no longer has), then the digest. A document without digest is one whose chunks a kill may
have left half done: it is not counted as held, and the next run writes it again from its own row.

Against the store's habits: ids are declared primary keys, since plain upserts duplicate rows under two
writers; the distance is cosine, not the default L2; the full-text index uses the `icu` tokenizer, which also
finds Han; a handle looks for the newest version before it reads, since it does not see others' commits by
itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from reparto.documents import Document
from reparto.errors import CorpusError, MissingExtraError, Problem
from reparto.stores.base import Carrier, Counts, Entry, Hit, Holder, Matrix, Membership, Row, Standing, ordered
from reparto.stores.filters import Filters
from reparto.stores.lance_held import Held
from reparto.stores.lance_rows import (
    CHUNK,
    DOCUMENT,
    FIELDS,
    chunk_rows,
    chunk_schema,
    condition,
    document_from_row,
    document_rows,
    document_schema,
    fields_of,
    place_schema,
    quoted,
    rows_from,
    standing_from_row,
    standing_rows,
)
from reparto.stores.lance_sound import REMEDY, lance_problems
from reparto.stores.location import Location, pending
from reparto.stores.manifest import Manifest, missing
from reparto.stores.schema import STANDING
from reparto.stores.sums import broken, seal
from reparto.terms import fold

PART = 500
EXACT_UP_TO = 200_000  # chunks; above it an approximate index answers
KEPT = timedelta(minutes=10)  # old versions, for readers that still hold them


class LanceStore:
    """A `Store` on LanceDB. Many readers beside one writer, in as many processes as one likes."""

    kind = "lancedb"

    def __init__(self, location: Location, manifest: Manifest) -> None:
        try:
            import lancedb
        except ImportError as error:
            raise MissingExtraError("a store of kind `lancedb`", "store") from error
        self.location, self.manifest = location, manifest
        self._memory: Held | None = None
        self._asked = False
        self._dimension = int(manifest.embedder["dimension"]) if manifest.embedder else 0
        try:
            self._base: Any = lancedb.connect(location.child(manifest.folder))
            self._documents = self._table("documents", document_schema())
            self._chunks = self._table("chunks", chunk_schema(self._dimension))
        except CorpusError:
            raise
        except Exception as error:  # as in `_try`
            raise self._fault(error) from error

    def stamps(self) -> dict[str, str]:
        """Digest of every document held whole, by id."""
        rows = self._read(self._documents, ["id", "digest"], "digest != ''")
        return {row["id"]: row["digest"] for row in rows}

    def unfinished(self) -> list[Document]:
        """Documents that a kill may have left with half of their chunks."""
        rows = self._read(self._documents, DOCUMENT, "digest = ''")
        return sorted(map(document_from_row, rows), key=lambda one: one.id)

    def write(self, entries: Sequence[Entry], remove: Sequence[str] = ()) -> None:
        """Put and remove documents. Readers see each document's chunks change at once."""
        for at in range(0, len(entries), PART):
            part = entries[at : at + PART]
            names = f"document IN ({quoted(entry.document.id for entry in part)})"
            self._merge(self._documents, document_rows(part, stamped=False))
            self._merge(self._chunks, chunk_rows(part, self._dimension), gone=names)
            self._merge(self._documents, document_rows(part, stamped=True))
        for at in range(0, len(remove), PART):
            names = quoted(remove[at : at + PART])
            self._delete(self._documents, f"id IN ({names})")
            self._delete(self._chunks, f"document IN ({names})")

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """Documents in ascending order of id."""
        named = sorted(self.stamps()) if ids is None else sorted(set(ids))
        for at in range(0, len(named), PART):
            where = f"id IN ({quoted(named[at : at + PART])})"
            rows = self._read(self._documents, DOCUMENT, where)
            yield from map(document_from_row, sorted(rows, key=lambda row: row["id"]))

    def rows(self, ids: Sequence[str] | None = None, vectors: bool = False) -> Iterator[Row]:
        """Chunks with their documents' fields."""
        columns = [*CHUNK, *FIELDS, *(["vector"] if vectors and self._dimension else [])]
        if ids is None:
            ids = sorted(row["id"] for row in self._read(self._chunks, ["id"]))
        for at in range(0, len(ids), PART):
            part = ids[at : at + PART]
            found = self._fresh(self._chunks).search().select(columns).where(f"id IN ({quoted(part)})").limit(None)
            held = {row.chunk.id: row for row in rows_from(self._try(found.to_arrow), self._dimension)}
            yield from (held[id] for id in part if id in held)

    def of(self, documents: Sequence[str]) -> list[Row]:
        """The chunks of some documents."""
        ids: set[str] = set()
        for at in range(0, len(documents), PART):
            where = f"document IN ({quoted(documents[at : at + PART])})"
            ids |= {row["id"] for row in self._read(self._chunks, ["id"], where)}
        return list(self.rows(sorted(ids), vectors=True))

    def regroup(self, memberships: Mapping[str, Membership]) -> None:
        """Set groups in one commit."""
        import pyarrow

        rows = [
            {
                "id": id,
                "by": place.by,
                "shown": place.shown(id),
                "relation": place.relation,
                "resemblance": place.resemblance,
                "containment": place.containment,
                "within": place.within,
            }
            for id, place in memberships.items()
        ]
        table = pyarrow.Table.from_pylist(rows, schema=place_schema())
        self._try(lambda: self._chunks.merge_insert("id").when_matched_update_all().execute(table))

    def holders(self, leaders: Sequence[str]) -> dict[str, list[Holder]]:
        """The members of each leader's group."""
        members: dict[str, list[Holder]] = {leader: [] for leader in leaders}
        for at in range(0, len(leaders), PART):
            where = f'"by" IN ({quoted(leaders[at : at + PART])})'
            for row in self._read(self._chunks, ["id", "document", "by", *FIELDS], where):
                known = fields_of(row)
                holder = Holder(row["id"], row["document"], known["source"], known["published"], known)
                members[row["by"]].append(holder)
        return {leader: sorted(found, key=lambda one: one.id) for leader, found in members.items()}

    def stand(self, standings: Mapping[str, Standing]) -> None:
        """Set the places of documents in one commit."""
        table = standing_rows(standings)
        self._try(lambda: self._documents.merge_insert("id").when_matched_update_all().execute(table))

    def standings(self, ids: Sequence[str] | None = None) -> dict[str, Standing]:
        """Places of documents."""
        columns = ["id", *STANDING]
        if ids is None:
            rows = self._read(self._documents, columns)
        else:
            named = sorted(set(ids))
            parts = (named[at : at + PART] for at in range(0, len(named), PART))
            rows = [row for part in parts for row in self._read(self._documents, columns, f"id IN ({quoted(part)})")]
        return {row["id"]: standing_from_row(row) for row in sorted(rows, key=lambda row: str(row["id"]))}

    def carriers(self, leaders: Sequence[str]) -> dict[str, list[Carrier]]:
        """The documents of each leading document's group."""
        members: dict[str, list[Carrier]] = {leader: [] for leader in leaders}
        for at in range(0, len(leaders), PART):
            where = f'"by" IN ({quoted(leaders[at : at + PART])})'
            for row in self._read(self._documents, ["id", *STANDING, *FIELDS], where):
                known, standing = fields_of(row), standing_from_row(row)
                members[standing.by].append(Carrier(row["id"], known["source"], known["published"], standing, known))
        return {leader: sorted(found, key=lambda one: one.id) for leader, found in members.items()}

    def lexical(self, query: str, limit: int, filters: Filters) -> list[Hit]:
        """BM25 of the full-text index, any of the query's words."""
        import lancedb.query

        match: Any = lancedb.query.MatchQuery
        text = fold(query) if not self.manifest.options.get("stem") else query
        if limit < 1 or not any(char.isalnum() for char in text) or not self._has_words():
            return []
        found = self._fresh(self._chunks).search(match(text, "words"), query_type="fts")
        found = found.select(["id", "by", "_score"]).limit(limit).where(condition(filters))
        rows = self._try(lambda: found.to_arrow().to_pylist())
        return ordered((Hit(row["id"], float(row["_score"]), row["by"]) for row in rows), limit)

    def nearest(self, vector: Matrix, limit: int, filters: Filters) -> list[Hit]:
        """Cosine, exact up to 200,000 chunks: scanned the first time, from memory afterwards; above by an index."""
        if limit < 1 or not self._dimension:
            return []
        if vector.shape != (self._dimension,):
            message = f"a query vector of {vector.shape} numbers against stored ones of {self._dimension}"
            raise CorpusError(Problem("vector_length", message, "use the embedder the store was made with"))
        table = self._fresh(self._chunks)
        held = self._held(table)
        if held is not None:
            allowed = None
            if filters:
                allowed = {row["id"] for row in self._read(table, ["id"], condition(filters))}
            return held.nearest(vector, limit, allowed)
        found = table.search(vector.astype(np.float32), vector_column_name="vector")
        found = found.distance_type("cosine").select(["id", "by", "_distance"]).limit(limit)
        rows = self._try(lambda: found.where(condition(filters)).to_arrow().to_pylist())
        hits = (Hit(row["id"], float(np.clip(1 - row["_distance"], -1, 1)), row["by"]) for row in rows)
        return ordered((hit for hit in hits if np.isfinite(hit.score)), limit)

    def counts(self) -> Counts:
        """How much is held."""
        chunks = self._try(lambda: self._fresh(self._chunks).count_rows())
        return Counts(
            self._try(lambda: self._fresh(self._documents).count_rows("digest != ''")),
            chunks,
            self._try(lambda: self._chunks.count_rows('"by" = id')),
            self._try(lambda: self._chunks.count_rows("vector IS NOT NULL")) if self._dimension else 0,
        )

    def settle(self) -> None:
        """Orphans of a cut-off removal dropped, indexes brought up to date, old versions given back."""
        documents = {row["id"] for row in self._read(self._documents, ["id"])}
        orphans = {row["document"] for row in self._read(self._chunks, ["document"])} - documents
        if orphans:
            self._delete(self._chunks, f"document IN ({quoted(sorted(orphans))})")
        if self._chunks.count_rows():
            self._try(self._index)
        for table in (self._documents, self._chunks):
            self._try(lambda table=table: table.optimize(cleanup_older_than=KEPT))
        if self.location.path:
            seal(self.location.path / self.manifest.folder)

    def check(self, deep: bool = False) -> list[Problem]:
        """The agreement of tables and indexes, and with `deep` every row against its checksum."""
        problems = lance_problems(self, self._fresh(self._documents), self._fresh(self._chunks), deep)
        if deep and self.location.path and not pending(self.location):
            folder = self.location.path / self.manifest.folder
            problems += [Problem("store_damaged", f"{folder}: {text}", REMEDY) for text in broken(folder)]
        return problems

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _held(self, table: Any) -> Held | None:
        """The vectors in memory, of the newest version; None at the first query and for a store too large."""
        version = int(table.version)
        if self._memory is not None and self._memory.version == version:
            return self._memory
        if not self._asked or self._try(table.count_rows) > EXACT_UP_TO:
            self._asked = True
            return None
        columns = table.search().select(["id", "by", "shown", "vector"]).limit(None)
        self._memory = Held(version, self._try(columns.to_arrow), self._dimension)
        return self._memory

    def _index(self) -> None:
        from lancedb.index import FTS, BTree, IvfFlat

        known = {one.name for one in self._chunks.list_indices()}
        if "words_idx" not in known:
            stem = self.manifest.options.get("stem")
            config = FTS(
                base_tokenizer="icu",
                language=str(stem or "english").capitalize(),
                stem=bool(stem),
                remove_stop_words=False,
                ascii_folding=True,
                max_token_length=64,
            )
            self._chunks.create_index("words", config=config)
        for column in ("id", "by", "document"):
            if f"{column}_idx" not in known:
                self._chunks.create_index(column, config=BTree())
        indexed = {one.name for one in self._documents.list_indices()}
        for column in ("id", "by"):
            if f"{column}_idx" not in indexed:
                self._documents.create_index(column, config=BTree())
        if self._dimension and self._chunks.count_rows() > EXACT_UP_TO and "vector_idx" not in known:
            self._chunks.create_index("vector", config=IvfFlat(distance_type="cosine"))

    def _has_words(self) -> bool:
        return any(one.name == "words_idx" for one in self._try(self._chunks.list_indices))

    def _table(self, name: str, schema: Any) -> Any:
        if name in self._base.list_tables().tables:
            return self._base.open_table(name)
        if gone := missing(self.location, self.manifest, f"{self.manifest.folder}/{name}"):
            raise gone
        table = self._base.create_table(name, schema=schema, exist_ok=True)
        table.set_unenforced_primary_key("id")
        return table

    def _fresh(self, table: Any) -> Any:
        self._try(table.checkout_latest)
        return table

    def _read(self, table: Any, columns: Sequence[str], where: str | None = None) -> list[dict[str, Any]]:
        found = self._fresh(table).search().select(list(columns))
        found = found.where(where) if where else found
        rows: list[dict[str, Any]] = self._try(lambda: found.limit(None).to_arrow().to_pylist())
        return rows

    def _merge(self, table: Any, rows: Any, gone: str | None = None) -> None:
        merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        if gone:
            merge = merge.when_not_matched_by_source_delete(gone)
        self._try(lambda: merge.execute(rows))

    def _delete(self, table: Any, where: str) -> None:
        self._try(lambda: table.delete(where))

    def _try(self, call: Any) -> Any:
        try:
            return call()
        # A damaged file makes the library panic (its own exception class, exported nowhere) as well as raise.
        except Exception as error:
            raise self._fault(error) from error

    def _fault(self, error: BaseException) -> CorpusError:
        message = f"{self.location}: {str(error).splitlines()[0][:300] if str(error) else type(error).__name__}"
        remedy = "see `reparto doctor --deep --store DIR`; free disk space, or restore a backup"
        return CorpusError(Problem("store_fault", message, remedy))
