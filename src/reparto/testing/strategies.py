"""Hypothesis strategies for the nouns of selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reparto.errors import MissingExtraError
from reparto.objectives import Ground
from reparto.testing.objectives import make_ground

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

KINDS = ("plain", "ties", "copies", "patchy", "fields", "lexical")


def grounds(max_size: int = 12) -> SearchStrategy[Ground]:
    """Grounds of 0 to `max_size` entries of every kind of `sample_grounds`; shrinks to few entries."""
    try:
        from hypothesis import strategies as st
    except ImportError as error:
        raise MissingExtraError("reparto.testing.strategies", "testing") from error
    return st.builds(
        lambda seed, n, kind: make_ground(np.random.default_rng(seed), n, kind),
        st.integers(0, 2**32 - 1),
        st.integers(0, max_size),
        st.sampled_from(KINDS),
    )
