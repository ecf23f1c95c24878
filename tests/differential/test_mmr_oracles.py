"""MMR and its path against oracles that share nothing with them: exact fractions, plain Python, pyversity."""

from __future__ import annotations

import itertools
import math
import os
from fractions import Fraction

import numpy as np
import pytest

from reparto import kernels
from reparto.kernels.reference.cosine import GRID
from reparto.objectives import Ground
from reparto.objectives.mmr import MMR
from reparto.similarity import Similarity, unit_rows
from reparto.testing.seating import draw_seating

SEED = int(os.environ.get("REPARTO_TEST_SEED", "20")) * 1000


def exact_mmr(similarity, relevance, k, lam):
    """The definition in rational numbers; lists of Fraction in, indices out."""
    picks: list[int] = []
    while len(picks) < min(k, len(relevance)):

        def key(i):
            redundancy = max((similarity[i][j] for j in picks), default=Fraction(0))
            return lam * relevance[i] - (1 - lam) * redundancy, relevance[i], -i

        def first_key(i):
            return relevance[i], -i

        left = [i for i in range(len(relevance)) if i not in picks]
        picks.append(max(left, key=key if picks else first_key))
    return picks


def dyadic_pool(rng, n):
    """Relevance and a symmetric similarity that float arithmetic handles without rounding; many true ties."""
    relevance = np.sort(rng.integers(0, 9, n))[::-1] / 8.0
    upper = np.triu(rng.integers(-4, 17, (n, n)) / 16.0, 1)
    return relevance, upper + upper.T + np.eye(n)


def fractions(values):
    return [Fraction(float(one)) for one in values]


def test_greedy_is_the_definition_where_arithmetic_is_exact():
    rng = np.random.default_rng(SEED)
    for turn in range(4_000):
        n = int(rng.integers(0, 9))
        relevance, similarity = dyadic_pool(rng, n)
        k, lam = int(rng.integers(0, n + 2)), int(rng.integers(0, 17)) / 16
        wanted = exact_mmr([fractions(row) for row in similarity], fractions(relevance), k, Fraction(lam))
        found = kernels.greedy(relevance, k, lam, similarity=similarity).indices.tolist()
        assert found == wanted, f"seed {SEED}, turn {turn}"


def test_path_is_the_exact_one():
    """Every crossing of every two lines is tried: between neighbours the exact selection cannot change."""
    rng = np.random.default_rng(SEED + 1)
    for turn in range(150):
        n = int(rng.integers(1, 6))
        relevance, similarity = dyadic_pool(rng, n)
        k = int(rng.integers(1, n + 1))
        rel, sim = fractions(relevance), [fractions(row) for row in similarity]
        lines = {(rel[i], sim[i][j]) for i in range(n) for j in range(n) if i != j}
        cuts = {Fraction(0), Fraction(1)}
        for (rel_a, red_a), (rel_b, red_b) in itertools.combinations(lines, 2):
            if rel_a + red_a != rel_b + red_b:
                cuts.add((red_a - red_b) / ((rel_a - rel_b) + (red_a - red_b)))
        marks = sorted(cut for cut in cuts if 0 <= cut <= 1)
        starts, picks = [], []
        for low, high in itertools.pairwise(marks):
            chosen = exact_mmr(sim, rel, k, (low + high) / 2)
            if not picks or picks[-1] != chosen:
                starts.append(float(low))
                picks.append(chosen)
        ranking = exact_mmr(sim, rel, k, Fraction(1))
        if picks[-1] != ranking:
            starts.append(1.0)
            picks.append(ranking)
        path = kernels.mmr_path(relevance, k, similarity=similarity)
        assert path.picks.tolist() == picks, f"seed {SEED + 1}, turn {turn}"
        assert np.allclose(path.starts, starts, rtol=0, atol=1e-12), f"seed {SEED + 1}, turn {turn}"


def test_path_against_direct_runs_100_000_times():
    """Direct MMR at random lambdas and in the middle of every piece, but not within 1e-9 of a breakpoint."""
    rng = np.random.default_rng(SEED + 2)
    checks = skipped = 0
    while checks < 100_000:
        rows, relevance, k, _, rules = draw_seating(rng, 16)
        eligible = kernels.Rules(eligible=rules.eligible)
        path = kernels.mmr_path(relevance, k, rows=rows, eligible=rules.eligible)
        ends = np.append(path.starts[1:], 1.0)
        assert path.starts[0] == 0
        assert np.all(path.starts[:-1] < path.starts[1:])
        lams = np.concatenate([rng.random(40), (path.starts + ends) / 2, [0.0, 1.0]])
        for lam in lams.tolist():
            at = int(np.searchsorted(path.starts, lam, side="right")) - 1
            inside = min(lam - path.starts[at], ends[at] - lam) > 1e-9 or lam in (0.0, 1.0)
            if not inside:
                skipped += 1
                continue
            direct = kernels.greedy(relevance, k, lam, rows=rows, rules=eligible)
            assert direct.indices.tolist() == path.picks[at].tolist(), (
                f"seed {SEED + 2}, after {checks} checks, lambda {lam!r}"
            )
            checks += 1
    assert skipped < checks / 20


def plain_mmr(vectors, relevance, k, lam):
    """Plain Python in double precision; also the narrowest margin by which a seat was decided."""
    unit = [[float(x) / math.sqrt(math.fsum(float(y) ** 2 for y in one)) for x in one] for one in vectors]
    picks, margin = [], math.inf
    while len(picks) < min(k, len(relevance)):
        values = {}
        for i in range(len(relevance)):
            if i not in picks:
                cosines = [math.fsum(a * b for a, b in zip(unit[i], unit[j], strict=True)) for j in picks]
                values[i] = lam * relevance[i] - (1 - lam) * max(cosines, default=0.0)
        best = max(values, key=lambda i: values[i])
        margin = min([margin, *(values[best] - values[i] for i in values if i != best)])
        picks.append(best)
    return picks, margin


def ground_of(rows, relevance):
    n = len(relevance)
    similarity = Similarity(n, {"v": (rows, np.ones(n, dtype=bool))})
    return Ground([f"c{i:03d}" for i in range(n)], [""] * n, relevance, similarity)


def seat(objective, ground, k):
    """The bare greedy loop."""
    run, picks = objective.start(ground), []
    for _ in range(min(k, len(ground.ids))):
        gains = run.gains().copy()
        gains[picks] = -np.inf
        picks.append(int(gains.argmax()))
        run.take(picks[-1])
    return picks


def test_objective_and_kernel_against_plain_python():
    rng = np.random.default_rng(SEED + 3)
    decided = 0
    for turn in range(400):
        n, d = int(rng.integers(1, 15)), int(rng.integers(2, 12))
        vectors = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, (n, 1))
        relevance = np.sort(rng.random(n))[::-1].copy()
        lam, k = float(rng.uniform(0.05, 1)), int(rng.integers(1, n + 1))
        wanted, margin = plain_mmr(vectors.tolist(), relevance.tolist(), k, lam)
        if margin < 4 / GRID:
            continue  # decided by less than the grid of similarities
        decided += 1
        rows = unit_rows(list(vectors))[0]
        assert kernels.greedy(relevance, k, lam, rows=rows).indices.tolist() == wanted, f"turn {turn}"
        assert seat(MMR(lam), ground_of(rows, relevance), k) == wanted, f"turn {turn}"
    assert decided > 350


def test_pyversity_agrees_where_definitions_do():
    """Cosines not negative (it clips them at 0), no ties."""
    pyversity = pytest.importorskip("pyversity", reason="pyversity is not installed (extra `compare`)")
    rng = np.random.default_rng(SEED + 4)
    for turn in range(200):
        n, k = int(rng.integers(2, 60)), int(rng.integers(1, 20))
        rows = unit_rows(list(np.abs(rng.normal(size=(n, 24)))))[0]
        relevance = (np.sort(rng.permutation(4 * n)[:n])[::-1] / (4 * n)).astype(np.float64)
        lam = float(rng.uniform(0.1, 0.95))
        found = kernels.greedy(relevance, k, lam, rows=rows)
        theirs = pyversity.mmr(rows, relevance, k, diversity=1 - lam)
        assert found.indices.tolist() == theirs.indices.tolist(), f"turn {turn}"
        assert np.allclose(found.values, theirs.selection_scores, atol=1e-5)


def test_dpp_agrees_with_pyversity():
    """Its weights, exp(beta z), handed to the kernel; fewer seats than dimensions keep residuals off 0."""
    pyversity = pytest.importorskip("pyversity", reason="pyversity is not installed (extra `compare`)")
    rng = np.random.default_rng(SEED + 5)
    for turn in range(200):
        n, k = int(rng.integers(2, 60)), int(rng.integers(1, 12))
        rows = unit_rows(list(rng.normal(size=(n, 24))))[0]
        relevance = np.sort(rng.random(n))[::-1].copy()
        diversity = float(rng.uniform(0.1, 1))
        z = (relevance - relevance.mean()) / (relevance.std() + np.finfo(np.float32).eps)
        found = kernels.dpp(np.exp(2 * (1 - diversity) * z), relevance, k, rows=rows)
        theirs = pyversity.dpp(rows, relevance, k, diversity=diversity)
        assert found.indices.tolist() == theirs.indices.tolist(), f"turn {turn}"
        assert np.allclose(found.values, theirs.selection_scores, rtol=1e-3, atol=1e-4)
