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


@pytest.mark.parametrize("width", [1, 2, 31, 32, 33, 384])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_unit_rows_are_those_of_the_reference_bit_for_bit(width, kind):
    """Ordinary, tiny, huge, denormal and zero vectors, strided ones among them."""
    rng = np.random.default_rng(width)
    rows = rng.normal(size=(40, width)).astype(kind)
    with np.errstate(over="ignore", under="ignore"):
        rows[1:5] *= np.array([1e30, 1e-30, 1e-42, 0.0], dtype=kind)[:, None]
        if kind is np.float64:
            rows[5:9] *= np.array([1e200, 1e-200, 1e300, 5e-310])[:, None]
    given_rows = [*rows, *rng.normal(size=(6, 2 * width)).astype(kind)[:, ::2]]
    ours, wanted = native.unit_rows(given_rows), reference.unit_rows(given_rows)
    assert ours.dtype == wanted.dtype == np.float32
    assert (ours.view(np.uint32) == wanted.view(np.uint32)).all()
    assert np.linalg.norm(ours[0].astype(float)) == pytest.approx(1.0, abs=1e-6)
    assert not ours[4].any()


def test_other_kinds_of_vectors_are_left_to_the_reference():
    assert native.unit_rows([np.ones(3), np.ones(3, dtype=np.float16)]) is None
    assert native.unit_rows([np.ones(3), [1.0, 2.0, 3.0]]) is None
    with pytest.raises(ValueError, match="one length"):
        native.unit_rows([np.ones(3), np.ones(4)])
