"""Candidates: which earlier documents a document is compared with. Never all pairs of a bucket.

Rows are (key, rank), one for each key of each document; ranks are the order of priority. A band key proposes the first
`bucket` documents that have it, whoever is in them, so the proposals do not depend on which of them turn out to lead.
A bucket with more is split by the figures its documents state, and each part proposes its own first documents: a form
letter filled in a thousand ways has a thousand parts. A sentence key proposes while at most `sentences` documents
have it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reparto.kernels import native
from reparto.kernels.reference.shingles import mix

Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]
_EACH = 8  # of a part of a split bucket
_SPLIT = np.uint64(0x3C79_AC49_2BA7_B653)


def split_keys(keys: Hashes, figures: Hashes) -> Hashes:
    """Keys of the parts of a bucket: by the figures of its documents."""
    parts: Hashes = mix(keys ^ mix(figures ^ _SPLIT))
    return parts


def band_pairs(keys: Hashes, ranks: Ints, figures: Hashes, bucket: int) -> Hashes:
    """Codes of the pairs that band keys propose, ascending and distinct. O(rows log rows + pairs)."""
    module = native()
    if module is not None:
        codes: Hashes = module.band_pairs(keys, ranks, figures, bucket, min(bucket, _EACH))
        return codes
    codes, crowded = _firsts(keys, ranks, bucket)
    if crowded.any():
        parts = split_keys(keys[crowded], figures[crowded])
        more, _ = _firsts(parts, ranks[crowded], min(bucket, _EACH))
        codes = np.concatenate([codes, more])
    return ascending(codes)


def sentence_pairs(keys: Hashes, ranks: Ints, bucket: int, most: int) -> Hashes:
    """Codes of the pairs that sentences propose, ascending, one a sentence shared."""
    module = native()
    if module is not None:
        found: Hashes = module.sentence_pairs(keys, ranks, bucket, most)
        return found
    order, _, sizes = _buckets(keys, ranks)
    keep = np.repeat((sizes > 1) & (sizes <= most), sizes)
    codes, _ = _firsts(keys[order][keep], ranks[order][keep], bucket)
    codes.sort()
    return codes


def telling(codes: Hashes, sentences: Ints) -> Hashes:
    """Pairs whose shared sentences are a quarter of the shorter text's at least; codes sorted, repeats included.

    `sentences` is how many sentence keys each rank has.
    """
    distinct, shared = np.unique(codes, return_counts=True)
    later, earlier = apart(distinct)
    least = np.minimum(sentences[later], sentences[earlier])
    chosen: Hashes = distinct[4 * shared >= np.maximum(least, 1)]
    return chosen


def code(later: Ints, earlier: Ints) -> Hashes:
    """A pair of ranks as one number; in order of (later, earlier)."""
    return (later.astype(np.uint64) << np.uint64(32)) | earlier.astype(np.uint64)


def apart(codes: Hashes) -> tuple[Ints, Ints]:
    """(later, earlier) of codes."""
    return (codes >> np.uint64(32)).astype(np.int64), (codes & np.uint64(0xFFFF_FFFF)).astype(np.int64)


def united(codes: Sequence[Hashes]) -> Hashes:
    """Distinct codes of several lists, ascending."""
    return ascending(np.concatenate([np.zeros(0, np.uint64), *codes]))


def ascending(values: Hashes) -> Hashes:
    """Distinct values in order: `numpy.unique` by sorting, which hashes of 64 bits take a tenth of the time for."""
    ranked = np.sort(values)
    new = np.ones(len(ranked), dtype=bool)
    new[1:] = ranked[1:] != ranked[:-1]
    found: Hashes = ranked[new]
    return found


def _buckets(keys: Hashes, ranks: Ints) -> tuple[Ints, Ints, Ints]:
    order = np.lexsort((ranks, keys))
    ranked = keys[order]
    new = np.ones(len(ranked), dtype=bool)
    new[1:] = ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(new)
    return order, starts, np.diff(starts, append=len(ranked))


def _firsts(keys: Hashes, ranks: Ints, bucket: int) -> tuple[Hashes, NDArray[np.bool_]]:
    """Each row with the first rows of its bucket, and which rows are in a bucket with more than `bucket`."""
    order, starts, sizes = _buckets(keys, ranks)
    ranked = ranks[order]
    begin = np.repeat(starts, sizes)
    count = np.minimum(np.arange(len(ranked)) - begin, bucket)
    later = np.repeat(ranked, count)
    first = np.repeat(begin - (np.cumsum(count) - count), count)
    earlier = ranked[first + np.arange(len(later))]
    crowded = np.zeros(len(ranked), dtype=bool)
    crowded[order] = np.repeat(sizes > bucket, sizes)
    return code(later, earlier), crowded
