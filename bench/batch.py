"""A batch of 10,000 requests of 100 candidates: throughput on 1 and 2 threads, and against a loop in Python.

Every request has its own vectors, 1.5 GB in all, so that they come from memory and not from a cache.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from bench.measuring import machine, peak_above, side_by_side
from bench.showing import keep, show
from bench.vectors import crowded
from reparto import kernels

SEED = 11
N, WIDTH, K, LAM = 100, 384, 10, 0.7


def spin(threads: int) -> None:
    """Arithmetic in the cache on each of some threads: what a second one gains here, whatever is computed."""

    def work() -> None:
        square = np.ones((256, 256))
        for _ in range(60):
            square @ square

    running = [threading.Thread(target=work) for _ in range(threads)]
    for one in running:
        one.start()
    for one in running:
        one.join()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench batch", description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    requests = parser.parse_args(argv).requests
    rng = np.random.default_rng(SEED)
    pools = [crowded(rng, N, WIDTH) for _ in range(requests)]
    rows, relevance = [one[0] for one in pools], [one[1] for one in pools]

    def batch(threads: int) -> kernels.Batch:
        return kernels.greedy_batch(relevance, K, LAM, rows=rows, threads=threads)

    def loop() -> list[kernels.Picks]:
        return [kernels.greedy(own, K, LAM, rows=vectors) for vectors, own in pools]

    same = all(np.array_equal(one, two.indices) for one, two in zip(batch(2).indices, loop(), strict=True))
    with threadpool_limits(limits=1):
        timings = side_by_side({"1 thread": lambda: batch(1), "2 threads": lambda: batch(2), "Python loop": loop})
        plain = side_by_side({"one": lambda: spin(1), "two": lambda: spin(2)})
        where = machine()
    memory = peak_above(lambda: batch(2))
    one, two = timings["1 thread"], timings["2 threads"]
    table = [
        {
            "side": name,
            "seconds": round(timing.median, 4),
            "requests_per_second": round(requests / timing.median),
            "gb_per_second": round(requests * N * WIDTH * 4 / timing.median / 1e9, 2),
        }
        for name, timing in timings.items()
    ]
    result = {
        "scaling_median": round(one.median / two.median, 2),
        "scaling_of_the_best_runs": round(one.least / two.least, 2),
        "at_least": 1.7,
        "scaling_of_plain_arithmetic": round(2 * plain["one"].median / plain["two"].median, 2),
        "same_picks": same,
        "memory_kb": None if memory is None else memory // 1024,
    }
    show(
        f"{requests} requests of {N} candidates (medians of 30)", list(table[0]), [list(row.values()) for row in table]
    )
    print(", ".join(f"{name} {value}" for name, value in result.items()))
    keep("batch", {"machine": where, "seed": SEED, "repeats": 30, "requests": requests, "rows": table, **result})
    return int(not same)
