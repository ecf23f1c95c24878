"""Random inputs for the seating kernels: ties, copies, denormals, near-equal values, rules, n = 0, k > n.

Native and reference must agree on all of them, bit for bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reparto.kernels import Rules
from reparto.model import Floats
from reparto.similarity import unit_rows

LAMBDAS = (0.0, 1.0, 0.5, 0.7, 1e-300, 1 - 2**-53)
VECTORS = ("spread", "few", "near", "copies", "tiny")
RELEVANCES = ("spread", "ties", "near", "denormal")


class SeatingInput(NamedTuple):
    """Arguments of a greedy run."""

    rows: NDArray[np.float32]
    relevance: Floats
    k: int
    lam: float
    rules: Rules


def draw_seating(rng: np.random.Generator, largest: int = 13) -> SeatingInput:
    """One input of 0 to `largest` entries."""
    n = int(rng.integers(0, largest + 1))
    rows = _vectors(rng, n, VECTORS[rng.integers(0, len(VECTORS))])
    relevance = _relevance(rng, n, RELEVANCES[rng.integers(0, len(RELEVANCES))])
    lam = float(rng.random()) if rng.random() < 0.4 else LAMBDAS[rng.integers(0, len(LAMBDAS))]
    return SeatingInput(rows, relevance, int(rng.integers(0, n + 3)), lam, _rules(rng, n))


def _vectors(rng: np.random.Generator, n: int, kind: str) -> NDArray[np.float32]:
    """Draw unit rows: spread, on few directions, all but equal, copies, or made from denormal numbers."""
    width = int(rng.integers(1, 40))
    wide = rng.normal(size=(n, width))
    if kind == "few":
        wide = rng.integers(-1, 2, size=(n, width)).astype(float)
    elif kind == "near":
        wide = wide[:1] + wide * 1e-7
    elif kind == "copies" and n:
        wide = wide[rng.integers(0, max(1, n // 3), n)]
    elif kind == "tiny":
        wide = wide * float(10.0 ** -rng.integers(301, 321))
    rows = unit_rows(list(wide))[0]
    return rows if n else np.zeros((0, width), dtype=np.float32)


def _relevance(rng: np.random.Generator, n: int, kind: str) -> Floats:
    """Mostly in rank order: spread, tied, one rounding step apart, or denormal."""
    values: NDArray[np.floating[Any]] = rng.random(n)
    if kind == "ties":
        values = rng.integers(0, 3, n) / 2.0
    elif kind == "near":
        values = 0.5 + rng.integers(0, 4, n) * 2.0**-53
    elif kind == "denormal":
        values = rng.integers(0, 4, n) * 5e-324
    return np.ascontiguousarray(np.sort(values)[::-1] if rng.random() < 0.9 else values, dtype=np.float64)


def _rules(rng: np.random.Generator, n: int) -> Rules:
    """Any mixture of eligibility, caps on several fields, budget, masks and seats already held."""
    found: dict[str, Any] = {}
    if rng.random() < 0.4:
        found["eligible"] = rng.random(n) < 0.7
    if n and rng.random() < 0.4:
        fields = int(rng.integers(1, 3))
        found["codes"] = rng.integers(-1, min(n, 4), size=(n, fields))
        found["caps"] = rng.integers(0, 4, size=fields)
    if rng.random() < 0.3:
        found |= {"costs": rng.integers(0, 10, n), "limit": int(rng.integers(0, 30))}
    if rng.random() < 0.3:
        found["masks"] = rng.random((int(rng.integers(0, 4)), n)) < 0.4
    if n and rng.random() < 0.3:
        found["seated"] = tuple(int(i) for i in rng.permutation(n)[: rng.integers(0, n)])
    return Rules(**found)
