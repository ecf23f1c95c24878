"""The whole survey policy on a pool of raw texts, vectors and dicts, and on stored signatures; and how it grows.

Texts of about 1 kB in sentences, one in ten another one with a longer end; 384-d unit vectors around n / 20 stories.
Beside it what LangChain's MMR alone takes on the same vectors. Everything from the request to the finished selection
is timed: intake, collapse with the fact guard, coverage, quotas and reserve, decisions, report.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import reparto
from bench.measuring import Call, machine, peak_above, side_by_side
from bench.raw_texts import texts, with_copies
from bench.showing import keep, show
from bench.vectors import crowded
from reparto.kernels import active, fingerprint

SEED = 3
SIZES = (50, 100, 500, 1000, 5000)
QUERY = "what happened in the town"


def prose(count: int) -> list[str]:
    """Texts of 1 kB in sentences of 8 to 24 words."""
    rng = random.Random(SEED)
    found = []
    for text in texts("en", count):
        words, sentences = text.split(" "), []
        while words:
            length = rng.randint(8, 24)
            sentences.append(" ".join(words[:length]).capitalize() + ".")
            words = words[length:]
        found.append(" ".join(sentences))
    return with_copies(found)


def pool(count: int) -> list[dict[str, Any]]:
    """Candidates as a Python caller has them: dicts with a text and a numpy vector."""
    rows, relevance = crowded(np.random.default_rng(SEED), count, 384)
    return [
        {
            "id": f"c{i}", "text": text, "score": float(relevance[i]), "vector": rows[i],
            "document": f"d{i // 3}", "source": f"s{i % 17}",
        }
        for i, text in enumerate(prose(count))
    ]  # fmt: skip


def survey(candidates: Sequence[Mapping[str, Any]], **policy: Any) -> Callable[[], reparto.Selection]:
    request = {"query": QUERY, "query_class": "survey", "candidates": candidates}
    return lambda: reparto.select(request, policy=policy or None)


def signed(candidates: Sequence[Mapping[str, Any]], keep_text: bool) -> list[dict[str, Any]]:
    """The same candidates with signatures as an index stores them."""
    sketches = fingerprint([one["text"] for one in candidates])
    return [
        {
            **{name: value for name, value in one.items() if keep_text or name != "text"},
            "signature": sketches.to_bytes(i),
        }
        for i, one in enumerate(candidates)
    ]


def processor_ms(call: Call, repeats: int) -> float:
    """Milliseconds of processor time, the least of the repeats: what waits for other programs does not count."""
    least = math.inf
    for _ in range(repeats):
        start = time.thread_time()
        call()
        least = min(least, time.thread_time() - start)
    return round(least * 1e3, 3)


def sides() -> dict[str, Call]:
    """What stands side by side at 100 candidates."""
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    some = pool(100)
    listed = [{**one, "vector": one["vector"].tolist()} for one in some]
    arrays, lists = [one["vector"] for one in some], [one["vector"] for one in listed]

    def langchain(vectors: list[Any]) -> Call:
        return lambda: maximal_marginal_relevance(arrays[0], vectors, 0.7, 8)

    return {
        "survey: texts, numpy vectors": survey(some),
        "survey: texts, vectors as lists": survey(listed),
        "survey with mmr: texts, numpy vectors": survey(some, diversity={"objective": "mmr"}),
        "survey: texts and signatures, numpy vectors": survey(signed(some, keep_text=True)),
        "survey: signatures alone, numpy vectors": survey(signed(some, keep_text=False)),
        "LangChain's MMR alone, numpy vectors": langchain(arrays),
        "LangChain's MMR alone, vectors as lists": langchain(lists),
    }


def growth() -> list[dict[str, Any]]:
    """Processor time at each size, and the exponent from the size before."""
    rows: list[dict[str, Any]] = []
    for count in SIZES:
        call = survey(pool(count))
        call()
        spent = processor_ms(call, 15 if count <= 500 else 3)
        row = {"candidates": count, "cpu_ms": spent, "exponent": None}
        if rows:
            before = rows[-1]
            row["exponent"] = round(math.log(spent / before["cpu_ms"]) / math.log(count / before["candidates"]), 2)
        rows.append(row)
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m bench survey", description=__doc__).parse_args(argv)
    with threadpool_limits(limits=1):
        calls = sides()
        timings = side_by_side(calls)
        table = [
            {"side": name, "median_ms": round(timing.median * 1e3, 3), "cpu_ms": processor_ms(calls[name], 30)}
            for name, timing in timings.items()
        ]
        where, grown = machine(), growth()
    memory = peak_above(next(iter(calls.values())))
    kernels = active().name
    show(f"100 candidates, {kernels} kernels", list(table[0]), [list(row.values()) for row in table])
    show("growth", list(grown[0]), [list(row.values()) for row in grown])
    name = "survey" if kernels == "native" else "survey_numpy"
    record = {"machine": where, "seed": SEED, "repeats": 30, "rows": table, "growth": grown}
    keep(name, {**record, "memory_kb": None if memory is None else memory // 1024}, "langchain-core")
    return 0
