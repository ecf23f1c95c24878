"""The exact lambda path of one pool: time, number of selections, and 100,000 checks against direct MMR.

The peer is what one does without it: MMR run anew at 101 lambdas, with this project's own fast kernel.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench.measuring import machine, peak_above, side_by_side
from bench.showing import keep, show
from bench.vectors import crowded, spread
from reparto import kernels
from reparto.kernels.reference.cosine import cosines
from reparto.kernels.reference.path import mmr_path

SEED = 7
CHECKS = 100_000
ROWS = ((50, 10, 500.0), (200, 20, 12_000.0))
GRID = np.linspace(0, 1, 101)


def row(n: int, k: int, ceiling: float, shape: str) -> dict[str, Any]:
    """Medians of 30 over one pool, and how many selections a path has."""
    rows, relevance = {"crowded": crowded, "spread": spread}[shape](np.random.default_rng(SEED), n, 384)

    def ours() -> kernels.Path:
        return kernels.mmr_path(relevance, k, rows=rows)

    timings = side_by_side(
        {
            "path": ours,
            "numpy": lambda: mmr_path(lambda i: cosines(rows, rows[i]), relevance, k),
            "grid": lambda: [kernels.greedy(relevance, k, lam, rows=rows) for lam in GRID.tolist()],
        }
    )
    path = ours()
    memory = peak_above(ours)
    return {
        "n": n,
        "k": k,
        "pool": shape,
        "path_us": round(timings["path"].us, 1),
        "at_most_us": ceiling,
        "reference_us": round(timings["numpy"].us, 1),
        "grid_of_101_us": round(timings["grid"].us, 1),
        "selections": len(path.starts),
        "sets": len({frozenset(one) for one in path.picks.tolist()}),
        "memory_kb": None if memory is None else memory // 1024,
    }


def checks(wanted: int = CHECKS) -> dict[str, int]:
    """Direct MMR at random lambdas over many pools; lambdas within 1e-9 of a breakpoint are not asked."""
    rng = np.random.default_rng(SEED)
    done = mismatches = 0
    while done < wanted:
        rows, relevance = crowded(rng, int(rng.integers(2, 60)), 32)
        k = int(rng.integers(1, 12))
        path = kernels.mmr_path(relevance, k, rows=rows)
        for lam in rng.random(100).tolist():
            if np.abs(path.starts - lam).min() > 1e-9:
                at = int(np.searchsorted(path.starts, lam, side="right")) - 1
                direct = kernels.greedy(relevance, k, lam, rows=rows).indices
                mismatches += int(not np.array_equal(direct, path.picks[at]))
                done += 1
    return {"checks": done, "mismatches": mismatches}


def main(argv: Sequence[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m bench path_kernel", description=__doc__).parse_args(argv)
    with threadpool_limits(limits=1):
        rows = [row(*one, shape) for one in ROWS for shape in ("crowded", "spread")]
        where = machine()
        checked = checks()
    show("Lambda path (medians of 30)", list(rows[0]), [list(one.values()) for one in rows])
    print(f"{checked['checks']} checks against direct MMR, {checked['mismatches']} mismatches")
    keep("path_kernel", {"machine": where, "seed": SEED, "repeats": 30, "rows": rows, **checked})
    return int(checked["mismatches"] > 0)
