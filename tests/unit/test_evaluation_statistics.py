"""Intervals and tests over queries, held against scipy where it is installed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reparto.evaluation.statistics import bootstrap, holm, randomisation, wilson

VALUES = np.random.default_rng(3).normal(0.1, 0.4, 40)


def test_bootstrap_is_seeded_and_contains_the_mean() -> None:
    first, again = bootstrap(VALUES, seed=5), bootstrap(VALUES, seed=5)
    assert first == again
    assert first.mean == pytest.approx(VALUES.mean())
    assert first.low < first.mean < first.high


def test_bootstrap_of_one_value_or_equal_ones_has_no_spread() -> None:
    assert bootstrap([0.4]) == bootstrap([0.4, 0.4, 0.4])
    assert math.isnan(bootstrap([]).mean)


def test_bootstrap_agrees_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is an optional test dependency")
    theirs = stats.bootstrap((VALUES,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1))
    ours = bootstrap(VALUES, samples=20_000)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.006)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.006)


def test_bootstrap_does_not_depend_on_the_chunk_it_is_drawn_in() -> None:
    long = np.tile(VALUES, 30_000)  # more numbers than one chunk holds
    found = bootstrap(long, samples=20)
    assert found.low <= found.mean <= found.high


@pytest.mark.parametrize("n", [2, 5, 13, 40])
def test_randomisation_agrees_with_scipy(n: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is an optional test dependency")
    data = VALUES[:n]
    theirs = stats.permutation_test(
        (data, np.zeros(n)), lambda a, b, axis: np.abs((a - b).mean(axis=axis)), permutation_type="samples",
        n_resamples=20_000, alternative="greater", vectorized=True, rng=np.random.default_rng(1),
    )  # fmt: skip
    assert randomisation(data, samples=20_000) == pytest.approx(theirs.pvalue, abs=0.01)


def test_randomisation_without_a_difference_is_one() -> None:
    assert randomisation([0.0, 0.0]) == 1.0
    assert randomisation([]) == 1.0


def test_randomisation_never_says_zero() -> None:
    assert randomisation([1.0] * 40, samples=100) == pytest.approx(1 / 101)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_never_lowers(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(b >= a for a, b in zip(p_values, adjusted, strict=True))
    order = np.argsort(p_values, kind="stable")
    assert all(adjusted[a] <= adjusted[b] for a, b in pairwise(order))


def test_wilson_by_the_book() -> None:
    """Newcombe 1998, table I: 81 of 263 gives .2553 to .3662."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(0, 300), st.integers(1, 300))
def test_wilson_contains_the_share_and_stays_within_bounds(hits: int, trials: int) -> None:
    hits = min(hits, trials)
    low, high = wilson(hits, trials)
    assert 0.0 <= low <= hits / trials + 1e-12
    assert hits / trials - 1e-12 <= high <= 1.0
