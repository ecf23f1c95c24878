"""Whatever numbers and shapes reach the native seating kernels: an answer or a ValueError, never a crash or a hang.

Seconds by default; the `long` variant runs for REPARTO_FUZZ_SECONDS (default 1800).
"""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

native = pytest.importorskip("reparto.kernels._native", reason="the native kernels are not built")

floats = st.floats(width=32, allow_nan=True, allow_infinity=True)
wide = st.floats(allow_nan=True, allow_infinity=True)
small = st.integers(0, 6)
whole = st.integers(-(2**63), 2**63 - 1)


def array(dtype, elements, *shape):
    return hnp.arrays(dtype, shape, elements=elements)


@st.composite
def calls(draw):
    """Arguments whose shapes mostly fit and whose contents are anything."""
    n = draw(small)
    other = draw(st.sampled_from([n, n, n, n + 1]))
    given = {"rows": draw(array(np.float32, floats, n, draw(small)))}
    if draw(st.booleans()):
        given = {"similarity": draw(array(np.float64, wide, n, other))}
    if draw(st.booleans()):
        given["eligible"] = draw(array(np.bool_, st.booleans(), other))
    rules = {}
    if draw(st.booleans()):
        fields = draw(st.integers(0, 2))
        rules["codes"] = draw(array(np.int64, st.integers(-2, n), n, fields))
        rules["caps"] = draw(array(np.int64, whole, draw(st.sampled_from([fields, fields, 1]))))
    if draw(st.booleans()):
        rules |= {"costs": draw(array(np.int64, whole, other)), "limit": draw(whole)}
    if draw(st.booleans()):
        rules["masks"] = draw(array(np.bool_, st.booleans(), draw(small), other))
    if draw(st.booleans()):
        rules["seated"] = draw(st.lists(st.integers(0, n + 1), max_size=3))
    return draw(array(np.float64, wide, n)), draw(st.integers(0, 9)), draw(wide), given, rules


def call_all(relevance, k, lam, given, rules):
    n, eligible = len(relevance), given.get("eligible")
    free = n if eligible is None else int(eligible.sum())
    for kernel, arguments, extra in (
        (native.greedy, (relevance, k, lam), rules),
        (native.dpp, (relevance, relevance, k), {}),
        (native.mmr_path, (relevance, min(k, 4)), {}),
    ):
        try:
            found = kernel(*arguments, **given, **extra)
        except ValueError:
            continue
        indices = found[1] if kernel is native.mmr_path else found[0]
        assert all(0 <= i < n for i in indices)
        if kernel is not native.mmr_path:
            assert len(set(indices.tolist())) == len(indices) <= min(k, free)


@given(call=calls())
@settings(max_examples=1_500)
def test_any_numbers(call):
    call_all(*call)


@pytest.mark.long
def test_any_numbers_for_long():
    end = time.monotonic() + float(os.environ.get("REPARTO_FUZZ_SECONDS", "1800"))

    @given(call=calls())
    @settings(max_examples=10_000, database=None)
    def run(call):
        call_all(*call)

    while time.monotonic() < end:
        run()


@pytest.mark.parametrize("bad", [np.eye(3), np.eye(3, dtype=np.float32)[:, ::2], np.eye(3, dtype=">f4"), "text"])
def test_the_native_door_takes_its_own_types_only(bad):
    with pytest.raises((TypeError, ValueError)):
        native.greedy(np.zeros(3), 1, 0.5, rows=bad)
