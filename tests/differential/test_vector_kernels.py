"""Lists of numbers as vectors: the native kernel against the reference, number for number."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reparto.kernels.reference import vectors as reference

native = pytest.importorskip("reparto.kernels._native", reason="the native kernels are not built here")

ITEMS = st.one_of(
    st.floats(), st.integers(-3, 3), st.booleans(), st.none(), st.floats(width=32).map(np.float64), st.text(max_size=2)
)


@given(st.one_of(st.lists(st.floats()), st.lists(ITEMS, max_size=8)))
def test_lists_are_read_as_the_reference_reads_them(value):
    ours, wanted = native.floats(value), reference.floats(value)
    if wanted is None:
        assert ours is None
        assert any(type(one) is not float for one in value)
    else:
        assert ours.dtype == wanted.dtype
        assert ours.shape == wanted.shape == (len(value),)
        assert all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(ours, value, strict=True))
