"""A store to Parquet and back, for moves, upgrades and backups.

One row a document: its fields, and the vectors of its chunks end to end. The file's metadata says with which
chunker and embedder they were made, so that they are taken over only where those are the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reparto.corpus.held import vectors_held
from reparto.corpus.indexing import Indexer
from reparto.documents import TEXT_FIELDS, Document
from reparto.errors import CorpusError, MissingExtraError, Problem
from reparto.stores.base import Matrix, Store
from reparto.stores.manifest import Manifest

ROWS = 500
MARK = b"reparto"
COLUMNS = ("id", "text", *TEXT_FIELDS, "metadata", "markup")


def export(store: Store, file: Path) -> int:
    """Write every document of a store; returns how many. The file appears whole or not at all."""
    pa, parquet = _pyarrow()
    schema = _schema(pa, store.manifest)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    number = 0
    try:
        with parquet.ParquetWriter(temporary, schema, compression="zstd") as writer:
            for part in _parts(store.documents()):
                held = vectors_held(store, [one.id for one in part])
                rows = [_row(one, held.get(one.id)) for one in part]
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
                number += len(part)
        temporary.replace(file)
    except OSError as error:
        message = f"{file}: {error.strerror}"
        raise CorpusError(Problem("unwritable", message, "name a place that can be written")) from error
    finally:
        temporary.unlink(missing_ok=True)
    return number


@dataclass(frozen=True, slots=True)
class Imported:
    """The documents of an exported file, and of any Parquet file with columns `id` and `text`."""

    file: Path

    def made_with(self) -> Manifest | None:
        """The marker of the store it came from; None where the file is no export."""
        metadata = self._open(lambda table: table.schema_arrow.metadata or {})
        if MARK not in metadata:
            return None
        try:
            return Manifest(**json.loads(metadata[MARK]))
        except (ValueError, TypeError) as error:
            message = f"{self.file}: what it says of its origin cannot be read"
            raise CorpusError(Problem("not_export", message, "export the store again")) from error

    def __iter__(self) -> Iterator[Document | Problem]:
        """The documents."""
        if self.made_with() is None:
            from reparto.corpus.readers import Inputs

            yield from Inputs([str(self.file)], reader="parquet")
            return
        pa, parquet = _pyarrow()
        try:
            with parquet.ParquetFile(self.file) as table:
                for batch in table.iter_batches(ROWS, columns=list(COLUMNS)):
                    for row in batch.to_pylist():
                        yield Document(**{**row, "metadata": json.loads(row["metadata"])})
        except (OSError, pa.ArrowException, ValueError, TypeError) as error:
            raise CorpusError(Problem("not_export", f"{self.file}: {error}", "export the store again")) from error

    def vectors(self, indexer: Indexer) -> Callable[[Sequence[str]], dict[str, Matrix]] | None:
        """Vectors by document id, where the file's are the ones `indexer` would make; None where they are
        not.
        """
        from reparto.corpus.chunking import described
        from reparto.embedders import described as embedder_of

        made = self.made_with()
        same = made and made.embedder and dict(made.embedder) == embedder_of(indexer.embedder)
        if not same or made is None or dict(made.chunker) != described(indexer.chunker):
            return None
        return self._vectors

    def _vectors(self, ids: Sequence[str]) -> dict[str, Matrix]:
        made = self.made_with()
        dimension = int(made.embedder["dimension"]) if made and made.embedder else 0
        _, parquet = _pyarrow()
        rows = parquet.read_table(self.file, columns=["id", "vectors"], filters=[("id", "in", list(ids))]).to_pylist()
        return {row["id"]: np.array(row["vectors"], np.float32).reshape(-1, dimension) for row in rows}

    def _open(self, read: Callable[[Any], Any]) -> Any:
        pa, parquet = _pyarrow()
        try:
            with parquet.ParquetFile(self.file) as table:
                return read(table)
        except (OSError, pa.ArrowException) as error:
            raise CorpusError(Problem("not_parquet", f"{self.file}: {error}", "name a Parquet file")) from error


def _schema(pa: Any, manifest: Manifest) -> Any:
    fields = [pa.field(name, pa.string()) for name in COLUMNS]
    origin = {name: getattr(manifest, name) for name in ("kind", "chunker", "embedder", "grouping", "options")}
    return pa.schema(
        [*fields, pa.field("vectors", pa.list_(pa.float32()))], metadata={MARK: json.dumps(origin).encode()}
    )


def _row(document: Document, vectors: Matrix | None) -> dict[str, Any]:
    fields = {name: getattr(document, name) for name in COLUMNS}
    fields["metadata"] = json.dumps(dict(document.metadata), ensure_ascii=False, sort_keys=True)
    return {**fields, "vectors": None if vectors is None else vectors.ravel()}


def _parts(documents: Iterator[Document]) -> Iterator[list[Document]]:
    part: list[Document] = []
    for one in documents:
        part.append(one)
        if len(part) == ROWS:
            yield part
            part = []
    if part:
        yield part


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("export and import", "parquet") from error
    return pyarrow, pyarrow.parquet
