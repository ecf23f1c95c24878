"""Greedy MAP of a determinantal point process against pyversity, under the same weights.

Weights are pyversity's, exp(beta z(relevance)) with diversity .5, so the picks can be compared. BLAS has one thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyversity
from threadpoolctl import threadpool_limits

from bench.measuring import machine, peak_above, side_by_side
from bench.showing import keep, show
from bench.vectors import crowded, spread
from reparto import kernels

SEED = 5
ROWS = ((100, 384, 10, None), (1_000, 384, 50, 4), (1_000, 768, 50, None), (5_000, 384, 50, None))


def row(n: int, width: int, k: int, floor: int | None, shape: str) -> dict[str, Any]:
    """Medians, ratio, agreement of the picks, fraction of dot products done, memory."""
    rows, relevance = {"crowded": crowded, "spread": spread}[shape](np.random.default_rng(SEED), n, width)
    z = (relevance - relevance.mean()) / (relevance.std() + np.finfo(np.float32).eps)
    weight = np.exp(z)

    def ours() -> kernels.Picks:
        return kernels.dpp(weight, relevance, k, rows=rows)

    def theirs() -> Any:
        return pyversity.dpp(rows, relevance, k, diversity=0.5)

    timings = side_by_side({"reparto": ours, "pyversity": theirs})
    picks = ours()
    memory = [peak_above(one) for one in (ours, theirs)]
    return {
        "n": n,
        "d": width,
        "k": k,
        "pool": shape,
        **{f"{name}_us": round(one.us, 1) for name, one in timings.items()},
        "times": round(timings["pyversity"].median / timings["reparto"].median, 1),
        "at_least": floor,
        "same_picks": picks.indices.tolist() == theirs().indices.tolist(),
        "dots_done": round(picks.dots / (n * (k - 1)), 4),
        "memory_kb": None if memory[0] is None else memory[0] // 1024,
        "peer_memory_kb": None if memory[1] is None else memory[1] // 1024,
    }


def main(argv: Sequence[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m bench dpp", description=__doc__).parse_args(argv)
    with threadpool_limits(limits=1):
        rows = [row(*one, shape) for one in ROWS for shape in ("crowded", "spread")]
        where = machine()
    show("DPP against pyversity (medians of 30)", list(rows[0]), [list(one.values()) for one in rows])
    keep("dpp", {"machine": where, "seed": SEED, "repeats": 30, "rows": rows}, "pyversity")
    return int(not all(one["same_picks"] for one in rows))
