"""Verify: what two texts share, counted on their whole shingle sets. What is written to a result was counted here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.candidates import apart
from reparto.corpus.settings import Settings
from reparto.kernels import native

Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Verified:
    """Pairs sorted by (later, earlier) that reach a threshold.

    `contained` is the share of the later's shingles that the earlier has, `containing` the share of the earlier's that
    the later has; `joins` marks pairs in which the later may join the earlier.
    """

    later: Ints
    earlier: Ints
    resemblance: Floats
    contained: Floats
    containing: Floats
    joins: NDArray[np.bool_]

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.later)


def shared_counts(hashes: Hashes, offsets: Ints, a: Ints, b: Ints) -> Ints:
    """How many hashes sets a[i] and b[i] share, (p,). Sets are ascending and distinct. O(hashes of the pairs)."""
    module = native()
    if module is not None and hasattr(module, "shared_counts"):
        counts: Ints = module.shared_counts(
            hashes, offsets, np.ascontiguousarray(a, np.int64), np.ascontiguousarray(b, np.int64)
        )
        return counts
    shared = np.zeros(len(a), dtype=np.int64)
    for at, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        both = np.concatenate([hashes[offsets[i] : offsets[i + 1]], hashes[offsets[j] : offsets[j + 1]]])
        both.sort()
        shared[at] = int((both[1:] == both[:-1]).sum())
    return shared


def verified(later: Ints, earlier: Ints, shared: Ints, sizes: tuple[Ints, Ints], settings: Settings) -> Verified:
    """The pairs that reach a threshold, from how much they share; `sizes` are those of the later and of the earlier."""
    own, other = sizes
    with np.errstate(invalid="ignore", divide="ignore"):
        resemblance = np.where(own + other > shared, shared / (own + other - shared), 1.0 * (own > 0))
        contained, containing = shared / np.maximum(own, 1), shared / np.maximum(other, 1)
    joins, fuller = np.zeros(len(later), dtype=bool), np.zeros(len(later), dtype=bool)
    if settings.resemblance is not None:
        joins |= resemblance >= settings.resemblance
    if settings.containment is not None:
        joins |= contained >= settings.containment
        fuller = containing >= settings.containment
    keep = joins | fuller
    return Verified(
        later[keep], earlier[keep], resemblance[keep], contained[keep], containing[keep], joins[keep]
    )


def verify(codes: Hashes, hashes: Hashes, offsets: Ints, settings: Settings) -> Verified:
    """Verify proposed pairs, as codes in order, against shingle sets in order of rank."""
    later, earlier = apart(codes)
    shared = shared_counts(hashes, offsets, later, earlier)
    sizes = np.diff(offsets)
    return verified(later, earlier, shared, (sizes[later], sizes[earlier]), settings)


def together(parts: Sequence[Verified]) -> Verified:
    """Verified pairs one after the other as one."""
    if not parts:
        none = np.zeros(0)
        return Verified(none.astype(np.int64), none.astype(np.int64), none, none, none, none.astype(bool))
    return Verified(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Verified)))
