"""The same feed through the index: written to a temporary store, found again by its words, shared out."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reparto.contract import Contract
from reparto.demo import documents
from reparto.selection import Selection


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """One search in the indexed feed: `summary` of the indexing, `pool` passages retrieved, the selection."""

    kind: str
    summary: Mapping[str, Any]
    pool: int
    selection: Selection

    def to_dict(self) -> dict[str, Any]:
        """Make the wire form."""
        return {
            "kind": self.kind,
            "summary": dict(self.summary),
            "pool": self.pool,
            "selection": self.selection.to_dict(),
        }


def stored(query: str, query_class: str, contract: Contract | None = None) -> Stored:
    """Index the feed's documents into a temporary store and search it by words alone.

    The store is removed. Raises `RepartoError` where no store can be made.
    """
    from reparto.corpus.readers import Inputs
    from reparto.corpus.setup import Wanted, prepared
    from reparto.retrieval.searching import Search
    from reparto.stores.opening import open_store

    with tempfile.TemporaryDirectory(prefix="reparto-demo-") as folder:
        file = Path(folder, "documents.jsonl")
        lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in documents())
        file.write_text("".join(lines), encoding="utf-8")
        where = str(Path(folder, "store"))
        with prepared(Wanted(where, kind="sqlite", chunker="paragraphs", embedder="none")) as indexer:
            summary = indexer.index(Inputs((str(file),), None, None, False))
        store = open_store(where)
        try:
            answer = Search(store, None, contract)(query, query_class=query_class)
        finally:
            store.close()
        return Stored("sqlite", summary.to_dict(), len(answer.pool), answer.selection)
