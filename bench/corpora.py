"""Duplicates delivered from real corpora, with and without: `python -m bench corpora`, or `python bench/corpora.py`.

Four sets read beside the project (English wire, Spanish law, Spanish news, mailing lists; none of their text is kept),
ten questions each, k = 8, lexical search (`--embedder auto` adds vectors). *Without*: the best k passages as retrieved.
*Top-k of leaders*: copies grouped when the corpus was read, then the best k. *With*: the same pool under the contract's
`survey`. Duplicate rate: share of delivered passages that resemble another one (5-word shingles, Jaccard >= .6).

Writes bench/results/corpora.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from reparto import select
from reparto.corpus.setup import Wanted, prepared
from reparto.documents import Document
from reparto.retrieval.searching import Search
from reparto.stores.base import Membership
from reparto.stores.filters import Filters

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
K = 8
PLAIN = {
    "merge": False, "collapse": False, "canonical": False, "quotas": False, "reserve": False,
    "diversity": {"objective": "relevance"}, "budget": False, "k": K,
}  # fmt: skip
SETS: dict[str, dict[str, Any]] = {
    "reuters21578": {
        "file": "docs.jsonl.gz",
        "fields": {"id": "id", "text": "text", "title": "title", "published": "date"},
        "questions": [
            "questions", "oil prices and OPEC output", "wheat and grain exports to the Soviet Union",
            "Bank of England money market help", "coffee export quotas", "dollar yen exchange rate intervention",
            "quarterly dividend declared", "takeover bid for shares", "Brazil debt talks with banks",
            "crude oil posted prices cut", "trade deficit with Japan",
        ],
    },
    "legal_uy_es": {
        "file": "docs.jsonl.gz",
        "fields": {"id": "id", "text": "text", "title": "title", "published": "date", "url": "url"},
        "questions": [
            "questions", "pensión graciable", "seguro de desempleo extensión del plazo",
            "designación de escuela con el nombre", "convenio internacional aprobación",
            "financiación de los partidos políticos elecciones", "impuesto exoneración",
            "salida del país de efectivos militares", "feriado localidad", "acuerdo de seguridad social",
            "ingreso de tropas extranjeras",
        ],
    },
    "news_es": {
        "file": "docs.jsonl.gz",
        "fields": {"id": "id", "text": "text", "title": "title", "source": "outlet", "url": "url"},
        "questions": [
            "questions", "vacuna contra el coronavirus", "elecciones presidenciales en México", "gasolina precio",
            "reforma educativa", "sismo en la ciudad", "selección mexicana de futbol",
            "inmigrantes en la frontera", "salario mínimo aumento", "hospital saturado por la pandemia",
            "redes sociales noticia falsa",
        ],
    },
    "email_threads": {
        "file": "messages.jsonl.gz",
        "fields": {"id": "id", "text": "text", "title": "subject", "source": "from", "published": "date"},
        "questions": [
            "questions", "how to install the package", "kernel compile error", "spam filter false positives",
            "mailing list unsubscribe", "windows partition mount", "python script to parse headers",
            "bayesian classifier training corpus", "wireless network card driver", "legal opinion on patents",
            "sound card does not work",
        ],
    },
}  # fmt: skip


def documents(name: str) -> Iterator[Document]:
    about = SETS[name]
    with gzip.open(DATA / name / about["file"], "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Document(**{field: str(row[key]) for field, key in about["fields"].items() if row.get(key)})


def run(name: str, embedder: str) -> dict[str, float | int]:
    with (
        tempfile.TemporaryDirectory() as folder,
        prepared(Wanted(folder + "/store", "sqlite", embedder=embedder)) as indexer,
    ):
        began = time.perf_counter()
        held = indexer.index(documents(name)).held
        seconds = time.perf_counter() - began
        search = Search(indexer.store, indexer.embedder)
        grouped = {row.chunk.id: row.membership for row in indexer.store.rows() if row.membership}
        found = {question: search(question, query_class="survey", k=K) for question in SETS[name]["questions"]}
        leaders = [plain(search, question) for question in found]
        indexer.store.regroup({id: Membership(id) for id in grouped})
        every = [plain(search, question) for question in found]
    reports = [answer.selection.report for answer in found.values()]
    counts = [seat.copies.count for answer in found.values() for seat in answer.selection.seats]
    return {
        "documents": held.documents, "chunks": held.chunks, "leaders": held.leaders, "index_seconds": round(seconds, 1),
        "without": mean(report["duplicate_rate_after"] for report in every),
        "top_k_of_leaders": mean(report["duplicate_rate_after"] for report in leaders),
        "with": mean(report["duplicate_rate_after"] for report in reports),
        "documents_without": mean(report["documents"] for report in every),
        "documents_with": mean(report["documents"] for report in reports),
        "seats": mean(report["seats"] for report in reports),
        "copies_stood_for": mean(counts),
        "widened": sum(answer.widened for answer in found.values()),
    }  # fmt: skip


def plain(search: Search, question: str) -> Any:
    vector = search.embedder.query(question) if search.embedder else None
    pool, _ = search.candidates(question, 5 * K, Filters(), vector)
    return select(search.request(question, pool, "survey", K, Filters(), PLAIN)).report


def mean(values: Any) -> float:
    return round(statistics.fmean(values), 4)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--sets", default=",".join(SETS))
    options = parser.parse_args(arguments)
    if not DATA.is_dir():
        print("skipped: needs ../shared/data", file=sys.stderr)
        return 0
    results = {name: run(name, options.embedder) for name in options.sets.split(",")}
    table = Table(
        "corpus",
        "documents",
        "chunks",
        "leaders",
        "dup. without",
        "of leaders",
        "with",
        "docs",
        "docs with",
        "copies/seat",
    )
    for name, one in results.items():
        numbers = (
            "documents",
            "chunks",
            "leaders",
            "without",
            "top_k_of_leaders",
            "with",
            "documents_without",
            "documents_with",
            "copies_stood_for",
        )
        table.add_row(name, *(f"{one[key]:.3f}" if isinstance(one[key], float) else str(one[key]) for key in numbers))
    Console().print(table)
    path = ROOT / "bench" / "results" / "corpora.json"
    path.write_text(
        json.dumps({"k": K, "embedder": options.embedder, "sets": results}, indent=2) + "\n", encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
