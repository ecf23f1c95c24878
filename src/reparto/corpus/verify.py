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
    """Pairs sorted by (later, earlier) that reach a threshold: the later may join the earlier.

    `contained` is the share of the later's shingles that the earlier has.
    """

    later: Ints
    earlier: Ints
    resemblance: Floats
    contained: Floats

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.later)


def shared_counts(hashes: Hashes, offsets: Ints, a: Ints, b: Ints) -> Ints:
    """How many hashes sets a[i] and b[i] share, (p,). Sets are ascending and distinct. O(hashes of the pairs)."""
    module = native()
    if module is not None:
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
    resemblance = shared / np.maximum(own + other - shared, 1)
    contained = shared / np.maximum(own, 1)
    keep = np.zeros(len(later), dtype=bool)
    if settings.resemblance is not None:
        keep |= resemblance >= settings.resemblance
    if settings.containment is not None:
        keep |= contained >= settings.containment
    return Verified(later[keep], earlier[keep], resemblance[keep], contained[keep])


def verify(codes: Hashes, hashes: Hashes, offsets: Ints, settings: Settings) -> Verified:
    """Verify proposed pairs, as codes in order, against shingle sets in order of rank."""
    later, earlier = apart(codes)
    shared = shared_counts(hashes, offsets, later, earlier)
    sizes = np.diff(offsets)
    return verified(later, earlier, shared, (sizes[later], sizes[earlier]), settings)


def together(parts: Sequence[Verified]) -> Verified:
    """Verified pairs one after the other as one."""
    none: Ints = np.zeros(0, np.int64)
    blank = Verified(none, none, np.zeros(0), np.zeros(0))
    return Verified(
        *(np.concatenate([getattr(one, field.name) for one in (blank, *parts)]) for field in fields(Verified))
    )
