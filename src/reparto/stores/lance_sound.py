"""Is a LanceDB store sound? Its tables against each other, its index, and every row against its checksum."""

from __future__ import annotations

from typing import Any

from reparto.errors import Problem
from reparto.stores.lance_rows import DOCUMENT, document_from_row
from reparto.stores.schema import checksum

REMEDY = "run `reparto index` on it again; if that does not help, restore a backup or index the sources anew"
BATCH = 1000


def lance_problems(store: Any, documents: Any, chunks: Any, deep: bool) -> list[Problem]:
    """Every fault found; an empty list means sound. `deep` reads both tables in full."""
    try:
        found = _agreement(documents, chunks)
        if deep:
            found += [*_documents(documents), *_chunks(chunks)]
    except Exception as error:  # the library panics on some damage, with a class of its own
        found = [str(error).splitlines()[0][:300] if str(error) else type(error).__name__]
    return [Problem("store_damaged", f"{store.location}: {text}", REMEDY) for text in found]


def _agreement(documents: Any, chunks: Any) -> list[str]:
    stamps = documents.search().select(["id", "digest", "by"]).limit(None).to_arrow().to_pylist()
    rows = chunks.search().select(["id", "document", "by"]).limit(None).to_arrow().to_pylist()
    known, leaders = {row["id"] for row in stamps}, {row["id"] for row in rows if row["by"] == row["id"]}
    heads = {row["id"] for row in stamps if row["by"] == row["id"]}
    unindexed = _unindexed(chunks)
    counted = {
        "documents half written": sum(not row["digest"] for row in stamps),
        "documents held twice": len(stamps) - len(known),
        "chunks held twice": len(rows) - len({row["id"] for row in rows}),
        "chunks without their document": sum(row["document"] not in known for row in rows),
        "documents whose leader is not in their group": sum(row["by"] not in heads for row in stamps),
        "chunks whose leader is not in their group": sum(row["by"] not in leaders for row in rows),
        "chunks not yet in the full-text index": unindexed,
    }
    return [f"{number} {what}" for what, number in counted.items() if number]


def _unindexed(chunks: Any) -> int:
    if not any(one.name == "words_idx" for one in chunks.list_indices()):
        return int(chunks.count_rows())
    return int(chunks.index_stats("words_idx").num_unindexed_rows)


def _documents(documents: Any) -> list[str]:
    bad = []
    for batch in documents.search().select(["digest", *DOCUMENT]).limit(None).to_batches(BATCH):
        rows = [row for row in batch.to_pylist() if row["digest"]]
        wrong = [row["id"] for row in rows if document_from_row(row).digest() != row["digest"]]
        bad += [f"document {id!r} is not what was written" for id in wrong]
    return bad


def _chunks(chunks: Any) -> list[str]:
    columns = ["id", "document", "start", "end", "text", "checksum"]
    bad = []
    for batch in chunks.search().select(columns).limit(None).to_batches(BATCH):
        rows = batch.to_pylist()
        wrong = [row["id"] for row in rows if checksum(*(row[name] for name in columns[:5])) != row["checksum"]]
        bad += [f"chunk {id!r} is not what was written" for id in wrong]
    return bad
