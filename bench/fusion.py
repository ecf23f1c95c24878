"""How well the pool is ranked: `python -m bench fusion`, or `python bench/fusion.py`.

Questions with one relevant paragraph, English and Spanish in one corpus (xquad_en_es, read beside the project), through
the store's two channels with the offline embedder. Rank of the right paragraph (in the question's language) under
words alone, vectors alone, reciprocal rank fusion, and the relevance that search uses at several weights of the dense
part; the weight is chosen on one half of the questions (by a hash of their ids) and measured on the other.

Writes bench/results/fusion.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from reparto import embedders
from reparto.corpus.chunking.paragraphs import Paragraphs
from reparto.corpus.indexing import Indexer
from reparto.documents import Document
from reparto.retrieval.hybrid import fuse, scored
from reparto.stores.filters import Filters
from reparto.stores.memory import MemoryStore

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "xquad_en_es"
WEIGHTS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
DEPTH = 100


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def tuned_on(id: str) -> bool:
    return int(hashlib.sha256(id.encode()).hexdigest(), 16) % 2 == 0


def rankings(store: MemoryStore, embedder: Any, query: str) -> dict[str, list[str]]:
    vector = embedder.query(query)
    lexical = store.lexical(query, DEPTH, Filters())
    dense = store.nearest(vector, DEPTH, Filters())
    rrf = fuse([lexical, dense], 2 * DEPTH)
    rows = list(store.rows(list(rrf), vectors=True))
    orders = {
        "words": [hit.id for hit in lexical],
        "vectors": [hit.id for hit in dense],
        "rrf": list(rrf),
    }
    for weight in WEIGHTS:
        found = scored(rows, rrf, lexical, vector, embedder.floor, weight)
        orders[f"relevance, dense {weight}"] = [one.row.chunk.id for one in found]
    return orders


def measured(ranks: Sequence[int | None]) -> dict[str, float]:
    return {
        "hit@1": round(statistics.fmean(rank == 1 for rank in ranks), 4),
        "mrr@10": round(statistics.fmean(1 / rank if rank and rank <= 10 else 0.0 for rank in ranks), 4),
        "recall@50": round(statistics.fmean(bool(rank and rank <= 50) for rank in ranks), 4),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=None, help="only the first N of the questions")
    options = parser.parse_args(arguments)
    embedder = embedders.make("auto")
    if not DATA.is_dir() or embedder is None:
        print("skipped: needs ../shared/data/xquad_en_es and the extra `embed`", file=sys.stderr)
        return 0
    store = MemoryStore()
    documents = [Document(one["id"], one["text"], language=one["lang"]) for one in read("passages.jsonl")]
    Indexer(store, Paragraphs(), embedder).index(documents)
    ranks: dict[bool, dict[str, list[int | None]]] = {True: {}, False: {}}
    for one in read("queries.jsonl")[: options.questions]:
        for name, order in rankings(store, embedder, one["query"]).items():
            at = order.index(one["relevant"]) + 1 if one["relevant"] in order else None
            ranks[tuned_on(one["query_id"])].setdefault(name, []).append(at)
    halves = {half: {name: measured(all_) for name, all_ in ranks[half].items()} for half in ranks}
    key: Callable[[str], float] = lambda name: halves[True][name]["mrr@10"]  # noqa: E731
    chosen = max((name for name in halves[True] if name.startswith("relevance")), key=key)
    table = Table("ranking", "hit@1", "MRR@10", "recall@50", title=f"held-out half; chosen on the other: {chosen}")
    for name, one in halves[False].items():
        table.add_row(name, *(f"{one[measure]:.3f}" for measure in ("hit@1", "mrr@10", "recall@50")))
    Console().print(table)
    out = {"questions": {str(half): len(next(iter(ranks[half].values()))) for half in ranks}, "chosen": chosen}
    path = ROOT / "bench" / "results" / "fusion.json"
    path.write_text(json.dumps({**out, "tuning": halves[True], "held_out": halves[False]}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
