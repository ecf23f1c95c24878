"""Candidates: which earlier documents a document is compared with. Never all pairs of a bucket.

Rows are (key, rank), one for each key of each document; ranks are the order of priority. A band key proposes the first
`bucket` documents that have it, whoever is in them, so the proposals do not depend on which of them turn out to lead.
A bucket with more is split by the figures its documents state, and each part proposes its own first documents: a form
letter filled in a thousand ways has a thousand parts. A sentence key proposes while at most `sentences` documents have it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reparto.kernels import native
from reparto.kernels.reference.shingles import mix

Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]
BAND = 1 << 16  # weight of a proposal by a band; shared sentences count below it
_EACH = 8  # of a part of a split bucket
_SPLIT = np.uint64(0x3C79_AC49_2BA7_B653)


@dataclass(frozen=True, slots=True, eq=False)
class Proposed:
    """Pairs of ranks, `later` > `earlier`, sorted and distinct; `weight` tells bands and shared sentences."""

    later: Ints
    earlier: Ints
    weight: Ints

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.later)


def split_keys(keys: Hashes, figures: Hashes) -> Hashes:
    """Keys of the parts of a bucket: by the figures of its documents."""
    parts: Hashes = mix(keys ^ mix(figures ^ _SPLIT))
    return parts


def band_pairs(keys: Hashes, ranks: Ints, figures: Hashes, bucket: int) -> tuple[Ints, Ints]:
    """(later, earlier) that band keys propose, repeats included; `figures` row by row. O(rows log rows + pairs)."""
    later, earlier, crowded = _firsts(keys, ranks, bucket)
    if not crowded.any():
        return later, earlier
    parts = split_keys(keys[crowded], figures[crowded])
    more, less, _ = _firsts(parts, ranks[crowded], min(bucket, _EACH))
    return np.concatenate([later, more]), np.concatenate([earlier, less])


def sentence_pairs(keys: Hashes, ranks: Ints, bucket: int, most: int) -> tuple[Ints, Ints]:
    """(later, earlier) that sentences propose, one a sentence shared."""
    order, starts, sizes = _buckets(keys, ranks)
    keep = np.repeat((sizes > 1) & (sizes <= most), sizes)
    later, earlier, _ = _firsts(keys[order][keep], ranks[order][keep], bucket)
    return later, earlier


def merged(later: Ints, earlier: Ints, weight: Ints) -> Proposed:
    """Proposals summed up by pair."""
    if not len(later):
        none = np.zeros(0, np.int64)
        return Proposed(none, none, none)
    order = np.lexsort((earlier, later))
    later, earlier, weight = later[order], earlier[order], weight[order]
    new = np.ones(len(later), dtype=bool)
    new[1:] = (later[1:] != later[:-1]) | (earlier[1:] != earlier[:-1])
    at = np.flatnonzero(new)
    return Proposed(later[at], earlier[at], np.add.reduceat(weight, at))


def proposed(
    bands: tuple[Hashes, Ints, Hashes], sentences: tuple[Hashes, Ints], bucket: int, most: int
) -> Proposed:
    """Distinct pairs from rows of band keys (key, rank, figures) and of sentence keys (key, rank)."""
    module = native()
    if module is not None and hasattr(module, "proposed_pairs"):
        rows = module.proposed_pairs(*bands, *sentences, bucket, min(bucket, _EACH), most)
        return Proposed(*rows)
    one, other = band_pairs(*bands, bucket), sentence_pairs(*sentences, bucket, most)
    weight = np.concatenate([np.full(len(one[0]), BAND, np.int64), np.ones(len(other[0]), np.int64)])
    return merged(np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]]), weight)


def worth(pairs: Proposed, sentences: Ints) -> NDArray[np.bool_]:
    """Which proposals are looked into: any by a band; by sentences, when they are a quarter of the shorter text's.

    `sentences` is how many sentence keys each rank has.
    """
    least = np.minimum(sentences[pairs.later], sentences[pairs.earlier])
    return (pairs.weight >= BAND) | (4 * (pairs.weight % BAND) >= np.maximum(least, 1))


def _buckets(keys: Hashes, ranks: Ints) -> tuple[Ints, Ints, Ints]:
    order = np.lexsort((ranks, keys))
    ranked = keys[order]
    new = np.ones(len(ranked), dtype=bool)
    new[1:] = ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(new)
    return order, starts, np.diff(starts, append=len(ranked))


def _firsts(keys: Hashes, ranks: Ints, bucket: int) -> tuple[Ints, Ints, NDArray[np.bool_]]:
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
    return later, earlier, crowded
