"""Native against reference: the same picks, values and redundancies, bit for bit, on every instruction set.

100,000 inputs in the four runs below. `REPARTO_TEST_SEED` shifts the seed, which a failure prints.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from reparto import kernels
from reparto.kernels.reference.cosine import cosine_matrix, cosines
from reparto.kernels.reference.dpp import dpp
from reparto.kernels.reference.greedy import greedy
from reparto.kernels.reference.path import mmr_path
from reparto.testing.seating import draw_seating

native = pytest.importorskip("reparto.kernels._native", reason="the native kernels are not built")
SEED = int(os.environ.get("REPARTO_TEST_SEED", "20")) * 1000


def same(found, wanted):
    return all(np.array_equal(one, other) for one, other in zip(found[:3], wanted[:3], strict=True))


def spread(rules):
    names = ("eligible", "codes", "caps", "costs", "limit", "masks")
    return {name: getattr(rules, name) for name in names} | {"seated": list(rules.seated)}


def row_of(rows):
    done = {}
    return lambda i: done[i] if i in done else done.setdefault(i, cosines(rows, rows[i]))


@pytest.mark.parametrize("part", range(4))
def test_greedy_and_dpp_agree(part):
    rng = np.random.default_rng(SEED + part)
    isas = native.instruction_sets()
    for turn in range(25_000):
        rows, relevance, k, lam, rules = draw_seating(rng, 9)
        isa = isas[turn % len(isas)]
        row = row_of(rows)
        wanted = greedy(row, relevance, k, lam, rules)
        found = native.greedy(relevance, k, lam, rows=rows, isa=isa, **spread(rules))
        assert same(found, wanted), f"seed {SEED + part}, turn {turn}, {isa}: {found} is not {wanted}"
        if turn % 4 == 0:
            weight = np.exp(lam * relevance) if turn % 8 else np.zeros(len(relevance))
            wanted = dpp(row, weight, relevance, k, rules.eligible)
            found = native.dpp(weight, relevance, k, rows=rows, eligible=rules.eligible, isa=isa)
            assert same(found, wanted), f"seed {SEED + part}, turn {turn}, {isa}: dpp {found} is not {wanted}"


def test_paths_agree():
    rng = np.random.default_rng(SEED + 10)
    for turn in range(4_000):
        rows, relevance, k, _, rules = draw_seating(rng)
        wanted = mmr_path(row_of(rows), relevance, k, rules.eligible)
        starts, picks, length = native.mmr_path(relevance, k, rows=rows, eligible=rules.eligible)
        context = f"seed {SEED + 10}, turn {turn}"
        assert np.array_equal(starts, wanted.starts), context
        assert np.array_equal(picks.reshape(len(starts), length), wanted.picks), context


@pytest.mark.parametrize("width", [0, 1, 31, 32, 33, 63, 64, 100, 384, 1024])
def test_cosines_are_the_same_bits_on_every_instruction_set(width):
    rng = np.random.default_rng(SEED + width)
    rows = (rng.normal(size=(40, width)) / max(1, width) ** 0.5).astype(np.float32)
    rows[3] *= np.float32(1e-40)  # denormal
    for isa in native.instruction_sets():
        for i in range(0, 40, 7):
            assert np.array_equal(native.cosines(rows, rows[i], isa), cosines(rows, rows[i])), isa
        assert np.array_equal(native.cosine_matrix(rows, isa), cosine_matrix(rows)), isa


def test_large_pools_agree_and_skip_most_similarities():
    rng = np.random.default_rng(SEED + 11)
    for n, k in ((400, 30), (2_000, 10)):
        centres = rng.normal(size=(n // 20, 64))
        rows = centres[rng.integers(0, len(centres), n)] + rng.normal(size=(n, 64)) * 0.3
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        relevance = np.sort(rng.random(n))[::-1].copy()
        wanted = greedy(row_of(rows), relevance, k, 0.7, kernels.Rules())
        found = native.greedy(relevance, k, 0.7, rows=rows)
        assert same(found, wanted)
        assert found[3] < wanted.dots / 2
        weight = np.exp(relevance)
        assert same(native.dpp(weight, relevance, k, rows=rows), dpp(row_of(rows), weight, relevance, k))


def test_a_batch_is_its_requests_one_by_one():
    rng = np.random.default_rng(SEED + 12)
    pools = [draw_seating(rng, 30) for _ in range(300)]
    for threads in (1, 2, 3, 0):
        found = kernels.greedy_batch(
            [one.relevance for one in pools], 7, 0.6, rows=[one.rows for one in pools], threads=threads
        )
        assert found.seats.tolist() == [min(7, len(one.relevance)) for one in pools]
        for place, (one, seats) in enumerate(zip(pools, found.seats, strict=True)):
            own = [packed[place, :seats] for packed in found[:3]]
            assert same(own, greedy(row_of(one.rows), one.relevance, 7, 0.6, kernels.Rules()))
        assert np.all(found.indices[found.seats < 7, -1] == -1)


def test_a_batch_refuses_what_does_not_fit():
    rows, relevance = np.eye(3, dtype=np.float32), [0.9, 0.8, 0.7]
    for bad, message in (([[0.9, np.nan, 0.7]], "finite"), ([relevance, relevance], "one item a pool")):
        with pytest.raises(ValueError, match=message):
            kernels.greedy_batch(bad, 2, 0.5, rows=[rows])
    with pytest.raises(ValueError, match="rows"):
        kernels.greedy_batch([[0.9, 0.8]], 2, 0.5, rows=[rows])
    assert kernels.greedy_batch([], 2, 0.5, rows=[]).indices.shape == (0, 0)


def test_a_matrix_serves_as_well_as_rows():
    rng = np.random.default_rng(SEED + 13)
    for _ in range(2_000):
        rows, relevance, k, lam, rules = draw_seating(rng)
        n = len(relevance)
        row = row_of(rows)
        matrix = np.stack([row(i) for i in range(n)]) if n else np.zeros((0, 0))
        wanted = greedy(row, relevance, k, lam, rules)
        assert same(native.greedy(relevance, k, lam, similarity=matrix, **spread(rules)), wanted)
        assert same(kernels.greedy(relevance, k, lam, similarity=matrix, rules=rules), wanted)
