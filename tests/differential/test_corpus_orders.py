"""Orders of documents and names of groups: native and plain, the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reparto.corpus import leaders, outcome
from reparto.kernels import native

pytestmark = pytest.mark.skipif(not hasattr(native(), "text_order"), reason="the native kernels are not built here")
rows = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from([-1.5, -0.0, 0.0, 7.0, np.inf]), st.integers(0, 3),
        st.lists(st.sampled_from(["a", "b", "aaaaaaaa", "é", "\0", "東", "\U0001f600", "\ud800"]), max_size=3).map("".join),
    ),
    max_size=30,
)  # fmt: skip


@given(rows)
def test_native_orders_are_the_plain_ones(some):
    gold, moments, characters, ids = [list(column) for column in zip(*some, strict=True)] or [[]] * 4
    columns = np.array(gold, dtype=bool), np.array(moments, dtype=float), np.array(characters, dtype=np.int64), ids
    every = np.arange(len(ids))[::2]
    quick = leaders.priority(*columns), outcome._sorted_by(every, ids), outcome._group_ids(ids)
    with pytest.MonkeyPatch.context() as patch:
        for module in (leaders, outcome):
            patch.setattr(module, "native", lambda: None)
        slow = leaders.priority(*columns), outcome._sorted_by(every, ids), outcome._group_ids(ids)
    assert [list(one) for one in quick] == [list(one) for one in slow]
