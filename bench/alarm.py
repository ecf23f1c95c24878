"""Does the alarm ring, and only then? `python -m bench.alarm [--clean 10000]`.

A news corpus (news_es, when present) is cut into passages, indexed by TF-IDF over words and served through
`reparto.select`; each selection becomes a log record, as `reparto select --log` writes it. Queries are article titles,
drawn at random. After 1,000 clean queries to learn on come 10,000 clean ones (false alarms are counted, the detector
starting anew after each), then, each on its own, three accidents:

* re-import: 10 % of the documents are loaded a second time under new ids;
* overlap: passages are cut with 50 % overlap in place of none;
* normalisation: the corpus holds copies that differ in case and white space, which index-time de-duplication by a
  normalised text had removed; the step is dropped and they come through.

For each the number of queries to the alarm, and what it says is to blame. Writes bench/results/alarm.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import reparto
from bench.showing import DATA, keep, need, show
from reparto.log import record_of
from reparto.monitoring.detector import Baseline, Detector
from reparto.monitoring.monitor import monitor
from reparto.monitoring.observation import STREAMS, Observation, observe

POOL, K = 30, 8
WORDS = 80  # a passage's length
LEARN, LIMIT = 1_000, 200
HORIZON = 100_000.0
Chunk = dict[str, Any]


def documents() -> list[dict[str, str]]:
    with gzip.open(need(DATA / "news_es" / "docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        {"id": row["id"], "source": row["outlet"] or "", "title": row["title"], "text": row["text"]} for row in rows
    ]


def chunks(docs: Sequence[dict[str, str]], overlap: float = 0.0, version: str = "chunker-1") -> list[Chunk]:
    found = []
    for doc in docs:
        words = list(re.finditer(r"\S+", doc["text"]))
        step = max(1, int(WORDS * (1.0 - overlap)))
        for place, first in enumerate(range(0, max(len(words), 1), step)):
            part = words[first : first + WORDS]
            if not part or (first and first + WORDS - step >= len(words)):
                continue
            found.append({
                "id": f"{doc['id']}#{version}#{place}", "text": doc["text"][part[0].start() : part[-1].end()],
                "document": doc["id"], "source": doc["source"] or None,
                "start": part[0].start(), "end": part[-1].end(),
                "metadata": {"chunker": version, "load": doc.get("load", "first")},
            })  # fmt: skip
    return found


class Index:
    """TF-IDF by words, cosine; enough of a ranker to have a corpus served."""

    def __init__(self, found: Sequence[Chunk]) -> None:
        self.chunks = found
        self.vocabulary: dict[str, int] = {}
        postings: list[list[tuple[int, float]]] = []
        for row, chunk in enumerate(found):
            counts: dict[int, int] = {}
            for word in re.findall(r"\w+", chunk["text"].casefold()):
                column = self.vocabulary.setdefault(word, len(self.vocabulary))
                if column == len(postings):
                    postings.append([])
                counts[column] = counts.get(column, 0) + 1
            for column, count in counts.items():
                postings[column].append((row, 1.0 + np.log(count)))
        n = len(found)
        self.idf = np.array([np.log(n / len(one)) for one in postings])
        self.rows = [np.array([row for row, _ in one]) for one in postings]
        self.weights = [
            np.array([weight for _, weight in one]) * idf for one, idf in zip(postings, self.idf, strict=True)
        ]
        norms = np.zeros(n)
        for row, weight in zip(self.rows, self.weights, strict=True):
            norms[row] += weight**2
        self.norms = np.sqrt(np.maximum(norms, 1e-12))

    def search(self, query: str) -> list[Chunk]:
        scores = np.zeros(len(self.chunks))
        for word in set(re.findall(r"\w+", query.casefold())):
            column = self.vocabulary.get(word)
            if column is not None:
                scores[self.rows[column]] += self.weights[column] * self.idf[column]
        scores /= self.norms
        top = np.argsort(-scores, kind="stable")[:POOL]
        best = max(float(scores[top[0]]), 1e-12)
        return [{**self.chunks[int(i)], "score": float(scores[i] / best)} for i in top if scores[i] > 0]


class Served:
    """Queries answered by an index, an observation each; a query asked twice is answered from memory."""

    def __init__(self, index: Index) -> None:
        self.index, self.known = index, {}  # type: ignore[var-annotated]

    def __call__(self, query: str) -> Observation:
        if query not in self.known:
            request = reparto.read_request(
                {"query": query, "query_class": "survey", "k": K, "candidates": self.index.search(query)}
            )
            record = record_of(request, reparto.select(request))
            self.known[query] = observe(json.loads(json.dumps(record)))
        return self.known[query]


def noisy(doc: dict[str, str], chance: random.Random) -> dict[str, str]:
    """The same document as another system would write it: other case, other white space."""
    text = doc["text"].upper() if chance.random() < 0.5 else re.sub(r" ", "  ", doc["text"]).swapcase()
    return {**doc, "id": doc["id"] + "~", "text": text, "load": "as-written"}


def false_alarms(known: Sequence[Observation], clean: Sequence[Observation]) -> int:
    """Alarms on clean queries over all streams; a detector that rang starts anew behind its alarm."""
    found = 0
    for stream in STREAMS:
        detector = Detector(Baseline.of([one.values[stream] for one in known]).ceiling, HORIZON * len(STREAMS))
        values = [one.values[stream] for one in clean]
        while (alarm := detector.first_alarm(values)) is not None:
            found += 1
            values = values[alarm.at + 1 :]
    return found


def main(argv: list[str] | None = None) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--clean", type=int, default=10_000)
    arguments.add_argument("--seeds", type=int, default=5, help="orders of queries each accident is tried in")
    wanted = arguments.parse_args(argv)
    start = time.perf_counter()
    docs = documents()
    titles = sorted({doc["title"] for doc in docs if doc["title"]})
    chance = random.Random(0)
    again = [{**doc, "id": f"{doc['id']}/2", "load": "second"} for doc in chance.sample(docs, len(docs) // 10)]
    dropped = [noisy(doc, chance) for doc in chance.sample(docs, len(docs) // 10)]
    accidents: dict[str, Callable[[], list[Chunk]]] = {
        "re-import of 10 % of the documents": lambda: chunks([*docs, *again]),
        "chunk overlap 0 -> 50 %": lambda: chunks(docs, 0.5, "chunker-2"),
        "a normalisation step dropped": lambda: chunks([*docs, *dropped]),
    }
    served = Served(Index(chunks(docs)))
    asked = chance.choices(titles, k=LEARN + wanted.clean)
    seen = [served(query) for query in asked]
    known, clean = seen[:LEARN], seen[LEARN:]
    false = false_alarms(known, clean)
    rows, kept, failed = [], {}, int(false > 1)
    for name, build in accidents.items():
        after = Served(Index(build()))
        delays, blamed = [], []
        for seed in range(wanted.seeds):
            order = random.Random(seed)
            log = [*clean[:500], *(after(query) for query in order.choices(titles, k=LIMIT))]
            found = monitor(log, {}, known, horizon=HORIZON)
            delays.append(min((one.seen for one in found.changes), default=10**9) - 500)
            blamed.append(found.changes[0].origins[0].sentence() if found.changes and found.changes[0].origins else "-")
        failed += max(delays) > LIMIT
        rows.append([name, f"{min(delays)}-{max(delays)}", blamed[0]])
        kept[name] = {"queries_to_alarm": delays, "blamed": blamed[0]}
    show(
        "Queries from the accident to the alarm",
        ["accident", f"queries ({wanted.seeds} orders)", "first origin named"],
        rows,
    )
    show("Clean queries", ["queries", "false alarms"], [[len(clean), false]])
    keep("alarm", {"clean": len(clean), "false_alarms": false, "accidents": kept, "horizon": HORIZON,
                   "seconds": round(time.perf_counter() - start, 1)})  # fmt: skip
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
