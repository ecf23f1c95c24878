"""Bands: MinHash slots of a shingle set, hashed a few at a time, so that texts alike share a key.

Slot p holds the least value of ((h >> 32) xor b_p) * a_p modulo 2^32 over the shingle hashes h, which are uniform
already;
two sets agree in a slot with a probability of about their Jaccard (Broder 1997). `rows` slots make a band, and a pair
is proposed when a band agrees whole: Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.4.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from reparto.kernels import native
from reparto.kernels.reference.shingles import mix

Hashes = NDArray[np.uint64]
_GOLDEN = 0x9E37_79B9_7F4A_7C15
_CHUNK = 1 << 21  # hashes at a time


@cache
def coefficients(slots: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Odd multipliers and masks of the slots, (slots,) each."""
    state = np.uint64(seed & ((1 << 64) - 1)) + np.arange(1, slots + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    drawn = mix(state)
    return (drawn.astype(np.uint32) | np.uint32(1)), (drawn >> np.uint64(32)).astype(np.uint32)


def band_keys(hashes: Hashes, offsets: NDArray[np.int64], bands: int, rows: int, seed: int = 0) -> Hashes:
    """Keys of n shingle sets, (n, bands); a row of zeros for an empty set. O(hashes x slots)."""
    multipliers, masks = coefficients(bands * rows, seed)
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    n = len(offsets) - 1
    module = native()
    if module is not None:
        keys: Hashes = module.band_keys(np.ascontiguousarray(hashes), offsets, multipliers, masks, rows)
        return keys.reshape(n, bands)
    slots = np.zeros((bands * rows, n), dtype=np.uint32)
    filled = np.flatnonzero(np.diff(offsets) > 0)
    for part in np.array_split(filled, max(1, len(hashes) // _CHUNK)):
        if not len(part):
            continue
        low, high = offsets[part[0]], offsets[part[-1] + 1]
        short = (hashes[low:high] >> np.uint64(32)).astype(np.uint32)
        at = offsets[part] - low
        for p in range(bands * rows):
            slots[p, part] = np.minimum.reduceat((short ^ masks[p]) * multipliers[p], at)
    keys = np.zeros((n, bands), dtype=np.uint64)
    for band in range(bands):
        key = np.full(n, (band + 1) * _GOLDEN & ((1 << 64) - 1), dtype=np.uint64)
        for p in range(band * rows, (band + 1) * rows):
            key = mix(key ^ slots[p].astype(np.uint64))
        keys[:, band] = key
    keys[np.diff(offsets) == 0] = 0
    return keys
