"""Hot loops behind one door: the native module where it is built, else the numpy reference. Same answers.

The environment variable `REPARTO_KERNELS` decides, read once: `auto` (default: native where it imports),
`native` (an error where it does not) or `numpy`. `active()` says which runs and why.

Exported functions live in one file a subject: arguments are brought into shape there and handed to the chosen
implementation.
"""

from __future__ import annotations

from reparto.kernels._choice import Active, active, native
from reparto.kernels.reference.greedy import Picks, Rules
from reparto.kernels.reference.path import Path
from reparto.kernels.seating import Batch, cosine_matrix, cosines, dpp, greedy, greedy_batch, mmr_path
from reparto.kernels.texts import (
    COLLAPSE,
    MEASURE,
    Pairs,
    Sketches,
    Spec,
    Window,
    compare_form,
    estimate_tokens,
    facts,
    figures_agree,
    figures_apart,
    fingerprint,
    from_bytes,
    overlaps,
    resemblance,
    revisions,
    star,
    term_sums,
    terms,
)
from reparto.kernels.vectors import floats, unit_rows

__all__ = [
    "COLLAPSE",
    "MEASURE",
    "Active",
    "Batch",
    "Pairs",
    "Path",
    "Picks",
    "Rules",
    "Sketches",
    "Spec",
    "Window",
    "active",
    "compare_form",
    "cosine_matrix",
    "cosines",
    "dpp",
    "estimate_tokens",
    "facts",
    "figures_agree",
    "figures_apart",
    "fingerprint",
    "floats",
    "from_bytes",
    "greedy",
    "greedy_batch",
    "mmr_path",
    "native",
    "overlaps",
    "resemblance",
    "revisions",
    "star",
    "term_sums",
    "terms",
    "unit_rows",
]
