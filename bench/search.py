"""Search over 50,000 chunks: `python -m bench search`, or `python bench/search.py [--chunks N] [--queries N]`.

Synthetic news: stories told by several outlets, a third of them word for word. For each kind of store: time to index
(without embedding), then per query the least, the median and the 95th percentile of retrieval (hybrid: words and
vectors), of reading the request and of selection; the query's embedding is timed apart. Beside it, in the same run
and on the same table, what the store gives by itself: LanceDB's own hybrid query with RRF, which counts no copies and
shares out no seats.

Writes bench/results/search.json.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from reparto import kernels
from reparto.corpus.chunking.paragraphs import Paragraphs
from reparto.corpus.indexing import Indexer
from reparto.corpus.multiplicity import grouping
from reparto.corpus.settings import Settings
from reparto.documents import Document
from reparto.intake import read_request
from reparto.pipeline import select
from reparto.retrieval.searching import Search
from reparto.stores.filters import Filters
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest
from reparto.stores.opening import attach
from reparto.terms import tokens

ROOT = Path(__file__).resolve().parents[1]
DIMENSION = 512
COLUMNS = ("least_ms", "median_ms", "p95_ms")
OUTLETS = [f"outlet{n:02}" for n in range(40)]
SYLLABLES = re.findall("..", "babecodadielfagohiinjokalumaneorpaqurisateunvawoxiyazu")


class TableOfWords:
    """A fixed random direction a word, kept in a table: so quick that embedding is not what counts."""

    name, version, dimension, floor = "table-of-words", "1", DIMENSION, 0.0

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.table: dict[str, np.ndarray] = {}

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(texts), DIMENSION), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in tokens(text):
                if word not in self.table:
                    self.table[word] = self.rng.standard_normal(DIMENSION).astype(np.float32)
                row += self.table[word]
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def query(self, text: str) -> np.ndarray:
        return self.passages([text])[0]


def words(rng: random.Random, number: int) -> list[str]:
    return ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(number)]


def feed(number: int, seed: int = 1) -> Iterator[Document]:
    """`number` one-chunk documents: stories of 1 to 12 tellings; a third of the tellings are copies."""
    rng = random.Random(seed)
    common, rare = words(rng, 3000), words(rng, 60000)
    made = 0
    while made < number:
        theme = rng.choices(rare, k=12)

        def telling(theme: list[str] = theme) -> str:
            body = rng.choices(common, k=90) + rng.choices(theme, k=25)
            rng.shuffle(body)
            return ". ".join(" ".join(body[at : at + 12]).capitalize() for at in range(0, len(body), 12)) + "."

        wire = telling()
        for _ in range(min(rng.randint(1, 12), number - made)):
            text = wire if rng.random() < 1 / 3 else telling()
            day = f"2026-{rng.randint(1, 11):02}-{rng.randint(1, 28):02}"
            yield Document(f"d{made:06}", text, source=rng.choice(OUTLETS), published=day)
            made += 1


def questions(documents: list[Document], number: int) -> list[str]:
    rng = random.Random(2)
    return [" ".join(rng.sample(sorted(set(tokens(rng.choice(documents).text))), 6)) for _ in range(number)]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    value = call()
    return (time.perf_counter() - start) * 1000, value


def one_query(search: Search, query: str) -> dict[str, float]:
    embedding, vector = timed(lambda: search.embedder.query(query))
    bare = replace(search, embedder=None)
    retrieval, (found, _) = timed(lambda: search.candidates(query, 50, Filters(), vector))
    building, wire = timed(lambda: bare.request(query, found, "survey", 8, Filters()))
    reading, request = timed(lambda: read_request(wire))
    selection, _ = timed(lambda: select(request))
    total = retrieval + building + reading + selection
    return {
        "embedding": embedding, "retrieval": retrieval, "multiplicity": building, "reading": reading,
        "selection": selection, "total": total,
    }  # fmt: skip


def figures(rows: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    return {
        name: {
            "median_ms": round(statistics.median(row[name] for row in rows), 2),
            "p95_ms": round(float(np.percentile([row[name] for row in rows], 95)), 2),
            "least_ms": round(min(row[name] for row in rows), 2),
        }
        for name in rows[0]
    }


def peer(store: Any, embedder: TableOfWords, queries: list[str]) -> dict[str, float]:
    """LanceDB's own hybrid query on the same table, 50 rows with text."""
    from lancedb.rerankers import RRFReranker

    times = []
    for query in queries:
        vector = embedder.query(query)
        search = store._chunks.search(query_type="hybrid", vector_column_name="vector", fts_columns="words")
        search = search.vector(vector).text(query).distance_type("cosine").where("shown")
        search = search.rerank(RRFReranker(return_score="all")).limit(50)
        times.append(timed(search.to_arrow)[0])
    return figures([{"all": time} for time in times])["all"]


def run(kind: str, documents: list[Document], queries: list[str], embedder: TableOfWords) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        made = {"name": embedder.name, "version": embedder.version, "dimension": DIMENSION}
        manifest = Manifest(kind, embedder=made, grouping=grouping(Settings()))
        store = attach(Location(folder), manifest)
        rows = embedder.passages([one.text for one in documents])
        known = dict(zip((one.id for one in documents), rows[:, None, :], strict=True))
        indexing, summary = timed(
            lambda: Indexer(store, Paragraphs(), embedder).index(
                documents, vectors=lambda ids: {id: known[id] for id in ids}
            )
        )
        search = Search(store, embedder)
        for query in queries[:5]:
            search(query, query_class="survey", k=8)
        result: dict[str, Any] = {
            "index_seconds": round(indexing / 1000, 1),
            "chunks": summary.held.chunks,
            "leaders": summary.held.leaders,
            "query": figures([one_query(search, query) for query in queries]),
        }
        widened = [search(query, query_class="survey", k=8).widened for query in queries[:50]]
        result["widened_share"] = sum(widened) / len(widened)
        if kind == "lancedb":
            result["peer_hybrid_rrf"] = peer(store, embedder, queries)
        store.close()
        return result


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--kinds", default="lancedb,sqlite")
    options = parser.parse_args(arguments)
    documents = list(feed(options.chunks))
    queries, embedder = questions(documents, options.queries), TableOfWords()
    results = {kind: run(kind, documents, queries, embedder) for kind in options.kinds.split(",")}
    table = Table(
        "store", "part", "least ms", "median ms", "p95 ms", title=f"search over {options.chunks:,} chunks, k = 8"
    )
    for kind, result in results.items():
        for part, one in result["query"].items():
            table.add_row(kind, part, *(f"{one[name]:.1f}" for name in COLUMNS))
        table.add_row(kind, "index, seconds", "", f"{result['index_seconds']:.0f}", "")
        if "peer_hybrid_rrf" in result:
            other = result["peer_hybrid_rrf"]
            table.add_row("lancedb alone", "its hybrid query", *(f"{other[name]:.1f}" for name in COLUMNS))
    Console().print(table)
    about = {
        "python": platform.python_version(), "machine": platform.machine(), "kernels": kernels.active().name,
        "chunks": options.chunks, "queries": options.queries, "pool": 50, "k": 8,
    }  # fmt: skip
    out = ROOT / "bench" / "results" / "search.json"
    out.write_text(json.dumps({"about": about, "stores": results}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
