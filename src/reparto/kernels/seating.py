"""Kernels of seating: arguments brought into shape, then the native module or the reference.

Similarity comes either as `rows`, unit vectors (n, d), or as `similarity`, an (n, n) matrix within [-1, 1]
whose row i is the similarity to entry i. Rows that are C-contiguous float32 are read in place; float16,
float64 and strided ones are copied once. Entries come in rank order: relevance descending, then id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reparto.kernels._choice import native
from reparto.kernels.reference import cosine as _cosine
from reparto.kernels.reference import dpp as _dpp
from reparto.kernels.reference import greedy as _greedy
from reparto.kernels.reference import path as _path
from reparto.kernels.reference.greedy import Bools, Floats, Ints, Picks, Row, Rules
from reparto.kernels.reference.path import Path

NO_RULES = Rules()


class Batch(NamedTuple):
    """Selections of m pools, packed: row r is pool r's, `seats[r]` of its places are filled, the rest is -1 and 0.

    `indices`, `values` and `redundancies` are (m, w), w the longest selection; `seats` and `dots` are (m,).
    """

    indices: Ints
    values: Floats
    redundancies: Floats
    seats: Ints
    dots: Ints


def cosines(rows: ArrayLike, row: ArrayLike) -> Floats:
    """Cosine of each unit row (n, d) with one unit vector (d,); (n,) within [-1, 1]. O(n d).

    Values are multiples of 2**-20, summed in one order on every machine.
    """
    matrix, vector = _floats32(rows), _floats32(row)
    module = native()
    if module is None:
        return _cosine.cosines(matrix, vector)
    found: Floats = module.cosines(matrix, vector)
    return found


def cosine_matrix(rows: ArrayLike) -> Floats:
    """Cosines of all pairs of unit rows (n, d); (n, n), symmetric, as `cosines` gives them. O(n^2 d)."""
    matrix = _floats32(rows)
    module = native()
    if module is None:
        return _cosine.cosine_matrix(matrix)
    found: Floats = module.cosine_matrix(matrix)
    return found


def greedy(
    relevance: ArrayLike,
    k: int,
    lam: float,
    *,
    rows: ArrayLike | None = None,
    similarity: ArrayLike | None = None,
    rules: Rules = NO_RULES,
) -> Picks:
    """Up to k picks by lam * relevance - (1 - lam) * largest similarity to the seated, under `rules`.

    `lam` in 0..1 (1 is relevance only), relevance (n,) finite. The first of an empty selection is the highest
    relevance allowed; ties go by value, relevance, lower index. At most k n similarities of O(d); the native
    one does only those that can still decide a seat (`Picks.dots`). Raises `ValueError` for shapes and ranges
    that do not fit.
    """
    scores = _checked(relevance, k)
    _check_lambda(lam)
    _check_rules(rules, len(scores))
    module = native()
    vectors, matrix = _source(rows, similarity, len(scores))
    if module is None:
        return _greedy.greedy(_row(vectors, matrix), scores, k, lam, rules)
    return Picks(
        *module.greedy(
            scores,
            k,
            lam,
            rows=vectors,
            similarity=matrix,
            eligible=rules.eligible,
            codes=rules.codes,
            caps=rules.caps,
            costs=rules.costs,
            limit=rules.limit,
            masks=rules.masks,
            seated=list(rules.seated),
        )
    )


def greedy_batch(
    relevance: Sequence[ArrayLike],
    k: int,
    lam: float,
    *,
    rows: Sequence[ArrayLike],
    codes: Sequence[Ints] | None = None,
    caps: Ints | None = None,
    threads: int = 0,
) -> Batch:
    """`greedy` over m pools, in parallel on `threads` threads (0: one a core); see `Batch` for what comes back.

    `rows[r]`, `relevance[r]` and `codes[r]` are pool r's. The threads end with the call.
    """
    _check_lambda(lam)
    if k < 0:
        raise ValueError(f"k must not be negative, got {k}")
    scores = [np.ascontiguousarray(one, dtype=np.float64) for one in relevance]
    vectors = [_floats32(one) for one in rows]
    if not len(scores) == len(vectors) == (len(scores) if codes is None else len(codes)):
        raise ValueError("relevance, rows and codes must have one item a pool")
    module = native()
    if module is not None:
        return Batch(*module.greedy_batch(vectors, scores, k, lam, codes, caps, threads))
    each_codes = codes if codes is not None else [None] * len(scores)
    found = [
        greedy(one, k, lam, rows=own, rules=Rules(codes=code, caps=caps))
        for one, own, code in zip(scores, vectors, each_codes, strict=True)
    ]
    width = max((len(one.indices) for one in found), default=0)
    batch = Batch(
        np.full((len(found), width), -1, dtype=np.int64),
        np.zeros((len(found), width)),
        np.zeros((len(found), width)),
        np.array([len(one.indices) for one in found], dtype=np.int64),
        np.array([one.dots for one in found], dtype=np.int64),
    )
    for place, one in enumerate(found):
        for packed, own in zip(batch[:3], one[:3], strict=True):
            packed[place, : len(own)] = own
    return batch


def mmr_path(
    relevance: ArrayLike,
    k: int,
    *,
    rows: ArrayLike | None = None,
    similarity: ArrayLike | None = None,
    eligible: Bools | None = None,
) -> Path:
    """Find every distinct MMR selection over lambda in [0, 1], and where it changes; see `Path`.

    For N=50, K=10 some 65 selections. Breakpoints are correct to rounding, about 1e-15.
    """
    scores = _checked(relevance, k)
    vectors, matrix = _source(rows, similarity, len(scores))
    module = native()
    if module is None:
        return _path.mmr_path(_row(vectors, matrix), scores, k, eligible)
    starts, picks, length = module.mmr_path(scores, k, rows=vectors, similarity=matrix, eligible=eligible)
    return Path(starts, picks.reshape(len(starts), length))


def dpp(
    weight: ArrayLike,
    relevance: ArrayLike,
    k: int,
    *,
    rows: ArrayLike | None = None,
    similarity: ArrayLike | None = None,
    eligible: Bools | None = None,
) -> Picks:
    """Greedy MAP of the DPP with kernel diag(q) S diag(q), weight = q**2 >= 0 (n,); see `reference.dpp`.

    Values are weight * residual; ties and vanished residuals go by relevance, then lower index. O(k n (d +
    k)).
    """
    scores, weights = _checked(relevance, k), np.ascontiguousarray(weight, dtype=np.float64)
    if weights.shape != scores.shape or bool((weights < 0).any()):
        raise ValueError("weight must be (n,) and not negative")
    vectors, matrix = _source(rows, similarity, len(scores))
    module = native()
    if module is None:
        return _dpp.dpp(_row(vectors, matrix), weights, scores, k, eligible)
    return Picks(*module.dpp(weights, scores, k, rows=vectors, similarity=matrix, eligible=eligible))


def _floats32(values: ArrayLike) -> NDArray[np.float32]:
    """C-contiguous float32: the same array when it is that already, else one copy."""
    return np.ascontiguousarray(values, dtype=np.float32)


def _checked(relevance: ArrayLike, k: int) -> Floats:
    scores = np.ascontiguousarray(relevance, dtype=np.float64)
    if scores.ndim != 1:
        raise ValueError(f"relevance must be (n,), not of shape {scores.shape}")
    if k < 0:
        raise ValueError(f"k must not be negative, got {k}")
    if not np.isfinite(scores).all():
        raise ValueError("relevance must be finite")
    return scores


def _check_lambda(lam: float) -> None:
    if not 0.0 <= lam <= 1.0:
        raise ValueError(f"lambda must be within 0..1, got {lam}")


def _check_rules(rules: Rules, n: int) -> None:
    if rules.codes is not None and rules.codes.size and not -1 <= rules.codes.min() <= rules.codes.max() < n:
        raise ValueError("codes must be dense: -1, or 0 up to the number of entries")
    if rules.costs is not None and bool((rules.costs < 0).any()):
        raise ValueError("costs must not be negative")
    if len(set(rules.seated)) != len(rules.seated) or not all(0 <= i < n for i in rules.seated):
        raise ValueError("seated must be distinct indices of entries")


def _source(
    rows: ArrayLike | None, similarity: ArrayLike | None, n: int
) -> tuple[NDArray[np.float32] | None, Floats | None]:
    if (rows is None) == (similarity is None):
        raise ValueError("give either rows or similarity")
    if rows is not None:
        vectors = _floats32(rows)
        if vectors.ndim != 2 or len(vectors) != n:
            raise ValueError(f"rows must be ({n}, d), not of shape {vectors.shape}")
        return vectors, None
    matrix = np.ascontiguousarray(similarity, dtype=np.float64)
    if matrix.shape != (n, n):
        raise ValueError(f"similarity must be ({n}, {n}), not of shape {matrix.shape}")
    return None, matrix


def _row(vectors: NDArray[np.float32] | None, matrix: Any) -> Row:
    """Rows of similarity for the reference."""
    if vectors is not None:
        return lambda i: _cosine.cosines(vectors, vectors[i])
    return lambda i: np.clip(matrix[i], -1.0, 1.0) + 0.0
