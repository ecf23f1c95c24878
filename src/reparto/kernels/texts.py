"""Kernels of texts: comparison forms, sketches, overlaps, groups, facts. The native module, or the reference."""

from __future__ import annotations

import numpy as np

from reparto.kernels.reference.facts import Disagreement, Verdict, facts, figures_agree
from reparto.kernels.reference.form import compare_form
from reparto.kernels.reference.length import estimate_tokens
from reparto.kernels.reference.overlaps import Pairs, overlaps, star
from reparto.kernels.reference.shingles import COLLAPSE, MEASURE, Window
from reparto.kernels.reference.sketch import Sketches, Spec, fingerprint, from_bytes

__all__ = [
    "COLLAPSE", "MEASURE", "Disagreement", "Pairs", "Sketches", "Spec", "Verdict", "Window", "compare_form",
    "estimate_tokens", "facts", "figures_agree", "fingerprint", "from_bytes", "overlaps", "resemblance", "star",
]  # fmt: skip


def resemblance(a: str, b: str, window: Window = MEASURE) -> float:
    """Jaccard of the exact shingle sets of two texts, 0..1; 0 where either is empty. O(characters)."""
    both = fingerprint([a, b], Spec(window, scale=1))
    shared = len(np.intersect1d(both.of(0), both.of(1), assume_unique=True))
    return shared / max(1, int(both.sizes.sum()) - shared)
