"""MMR over unit vectors against pyversity and LangChain.

Same vectors, same relevance, same process, sides in turn; BLAS held to one thread, because the kernel uses one.
`pyversity` is called as its users call it; `as is` tells it that the vectors are unit already.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyversity
from langchain_core.vectorstores.utils import maximal_marginal_relevance
from threadpoolctl import threadpool_limits

from bench.measuring import machine, peak_above, side_by_side
from bench.showing import keep, show
from bench.vectors import crowded, spread
from reparto import kernels

SEED = 3
ROWS = (
    # n, width, k, what at least against pyversity
    (100, 384, 10, 7),
    (1_000, 384, 10, 6),
    (1_000, 768, 10, 6),
    (5_000, 768, 50, 4),
    (100_000, 384, 10, 6),
)
SHAPES = {"crowded": crowded, "spread": spread}


def against_pyversity(n: int, width: int, k: int, floor: float, shape: str, lam: float) -> dict[str, Any]:
    """One row: medians, ratios, whether the picks agree, the fraction of dot products done, memory."""
    rows, relevance = SHAPES[shape](np.random.default_rng(SEED), n, width)
    picks = kernels.greedy(relevance, k, lam, rows=rows)
    theirs = pyversity.mmr(rows, relevance, k, diversity=1 - lam)
    timings = side_by_side(
        {
            "reparto": lambda: kernels.greedy(relevance, k, lam, rows=rows),
            "pyversity": lambda: pyversity.mmr(rows, relevance, k, diversity=1 - lam),
            "as_is": lambda: pyversity.mmr(rows, relevance, k, diversity=1 - lam, normalize=False),
        }
    )
    return {
        "n": n,
        "d": width,
        "k": k,
        "pool": shape,
        "lambda": lam,
        **{f"{name}_us": round(one.us, 1) for name, one in timings.items()},
        "times": round(timings["pyversity"].median / timings["reparto"].median, 1),
        "times_as_is": round(timings["as_is"].median / timings["reparto"].median, 1),
        "at_least": floor,
        "same_picks": picks.indices.tolist() == theirs.indices.tolist(),
        "dots_done": round(picks.dots / (n * (k - 1)), 4),
        "memory_kb": _kb(peak_above(lambda: kernels.greedy(relevance, k, lam, rows=rows))),
        "peer_memory_kb": _kb(peak_above(lambda: pyversity.mmr(rows, relevance, k, diversity=1 - lam))),
    }


def against_langchain(n: int = 1_000, width: int = 384, k: int = 50, lam: float = 0.5) -> dict[str, Any]:
    """LangChain takes the cosine to the query as relevance; so does our side here."""
    rng = np.random.default_rng(SEED)
    rows, _ = crowded(rng, n, width)
    query = (rows[0] + 0.3 * rng.normal(size=width) / width**0.5).astype(np.float32)
    query /= np.linalg.norm(query)
    relevance = kernels.cosines(rows, query)
    order = np.argsort(-relevance, kind="stable")
    rows, relevance = rows[order], relevance[order]
    as_list = list(rows)
    picks = kernels.greedy(relevance, k, lam, rows=rows)
    theirs = maximal_marginal_relevance(query, as_list, lambda_mult=lam, k=k)
    timings = side_by_side(
        {
            "reparto": lambda: kernels.greedy(kernels.cosines(rows, query), k, lam, rows=rows),
            "langchain": lambda: maximal_marginal_relevance(query, as_list, lambda_mult=lam, k=k),
        }
    )
    return {
        "n": n,
        "d": width,
        "k": k,
        "lambda": lam,
        **{f"{name}_us": round(one.us, 1) for name, one in timings.items()},
        "times": round(timings["langchain"].median / timings["reparto"].median, 1),
        "at_least": 100,
        "same_picks": picks.indices.tolist() == theirs,
        "dots_done": round(picks.dots / (n * (k - 1)), 4),
    }


def main(argv: Sequence[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m bench mmr", description=__doc__).parse_args(argv)
    with threadpool_limits(limits=1):
        rows = [
            against_pyversity(*row, shape, lam)
            for row in ROWS
            for shape, lam in (("crowded", 0.5), ("crowded", 0.7), ("spread", 0.5))
        ]
        langchain = against_langchain()
        where = machine()
    for title, table in (("MMR against pyversity", rows), ("MMR against LangChain", [langchain])):
        show(f"{title} (medians of 30)", list(table[0]), [list(row.values()) for row in table])
    keep("mmr", {"machine": where, "seed": SEED, "repeats": 30, "rows": rows, "langchain": langchain},
         "pyversity", "langchain-core")  # fmt: skip
    wrong = [row for row in [*rows, langchain] if not row["same_picks"]]
    return int(bool(wrong))


def _kb(size: int | None) -> int | None:
    return None if size is None else size // 1024
