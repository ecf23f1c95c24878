"""All near-duplicate pairs of raw 1 kB texts: time per hundred, and growth up to 10,000 texts.

From raw text to verified pairs (resemblance .6, containment .8): fingerprints, inverted list, exact values. One text
in ten is another one with a longer end. Beside it the all-pairs loop that it replaces, and the fact guard on what it
finds.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from typing import Any

from bench.measuring import Call, machine, peak_above, side_by_side
from bench.raw_texts import texts, with_copies
from bench.showing import keep, show
from reparto import kernels

SIZES = (100, 300, 1000, 3000, 10_000)
CEILING = 1.0  # milliseconds for 100 texts
SLOPE = 1.2


def near(some: list[str]) -> kernels.Pairs:
    """Raw texts to pairs."""
    return kernels.overlaps(kernels.fingerprint(some), 0.6, 0.8)


def processor_time(some: list[str], repeats: int) -> float:
    """Seconds of processor time, the least of the repeats: what waits for other programs does not count."""
    least = math.inf
    for _ in range(repeats):
        start = time.process_time()
        near(some)
        least = min(least, time.process_time() - start)
    return least


def row(count: int) -> dict[str, Any]:
    """Medians of at least 30 (5 for the largest) over one collection."""
    some = with_copies(texts("en", count))
    pairs = near(some)
    found = list(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    sides: dict[str, Call] = {
        "raw": lambda: near(some),
        "facts": lambda: [kernels.facts(some[i], some[j]) for i, j in found],
    }
    repeats = 30 if count <= 1000 else 7
    timings = side_by_side(sides, repeats=repeats)
    worked = processor_time(some, repeats)
    memory = peak_above(lambda: near(some))
    return {
        "texts": count,
        "ms": round(timings["raw"].median * 1e3, 3),
        "ms_per_100": round(timings["raw"].median * 1e5 / count, 3),
        "cpu_ms": round(worked * 1e3, 3),
        "cpu_ms_per_100": round(worked * 1e5 / count, 3),
        "pairs": len(found),
        "facts_us_a_pair": round(timings["facts"].median * 1e6 / max(1, len(found)), 1),
        "memory_kb": None if memory is None else memory // 1024,
    }


def slope(rows: Sequence[dict[str, Any]], of: str) -> float:
    """The exponent of growth: least squares of log time over log size."""
    x = [math.log(one["texts"]) for one in rows]
    y = [math.log(one[of]) for one in rows]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    over = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return over / sum((a - middle_x) ** 2 for a in x)


def main(argv: Sequence[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m bench overlaps", description=__doc__).parse_args(argv)
    rows = [row(count) for count in SIZES]
    growth, work = round(slope(rows, "ms"), 3), round(slope(rows, "cpu_ms"), 3)
    show(
        f"all pairs of raw 1 kB texts: n^{growth} by the clock, n^{work} of processor time; at most n^{SLOPE}, "
        f"{CEILING} ms per 100 texts",
        list(rows[0]),
        [list(one.values()) for one in rows],
    )
    keep(
        "overlaps",
        {
            "machine": machine(),
            "rows": rows,
            "slope": growth,
            "slope_cpu": work,
            "at_most": {"ms_per_100": CEILING, "slope": SLOPE},
        },
    )
    return 0
