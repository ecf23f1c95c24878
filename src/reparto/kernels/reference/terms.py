"""The distinct terms of passages: words of the comparison form, or character 4-grams where a script has no spaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reparto.kernels.reference.shingles import forms, mix, units

GRAM = 4
"""Characters of an unspaced script in a term: shorter ones are everywhere, longer ones nowhere twice."""

_BASE = np.uint64(0x9E37_79B9_7F4A_7C15)

Ints = NDArray[np.int64]
Columns = tuple[Ints, Ints, int]


def terms(texts: Sequence[str], query: str) -> Columns:
    """Which distinct terms each of n texts holds, less those of the query: (terms, offsets, vocabulary).

    Those of text i are terms[offsets[i]:offsets[i + 1]], ascending, numbers below `vocabulary`. The comparison form
    makes case, width, quotes and accents one; marks stay with their letters. A run of characters of an unspaced
    script shorter than `GRAM` is one term. O(characters).
    """
    n = len(texts)
    hashes, owners = _hashes([*texts, query])
    numbers, found = np.unique(hashes, return_inverse=True)
    asked = np.zeros(len(numbers), dtype=bool)
    asked[found[owners == n]] = True
    keep = (owners < n) & ~asked[found]
    pairs = np.sort(owners[keep] * max(1, len(numbers)) + found[keep])
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # numpy's own `unique` takes several times as long
    owners, found = np.divmod(pairs, max(1, len(numbers)))
    return found, np.searchsorted(owners, np.arange(n + 1)), len(numbers)


def _hashes(texts: Sequence[str]) -> tuple[NDArray[np.uint64], Ints]:
    """Terms of all texts and whose they are, repeats included."""
    of = units(forms(texts))
    owners = np.repeat(np.arange(len(texts)), np.diff(of.offsets))
    if all(map(_is_spaced, texts)):
        return mix(of.hashes), owners  # as a sketch has them whose shingles are single words
    return _grams(of.hashes, of.unspaced, owners) if of.unspaced.any() else (of.hashes, owners)


def _is_spaced(text: str) -> bool:
    """Whether a text surely has no character of an unspaced script: they begin with Thai."""
    return text.isascii() or max(text) < "\u0e00"


def _grams(hashes: NDArray[np.uint64], unspaced: NDArray[np.bool_], owners: Ints) -> tuple[NDArray[np.uint64], Ints]:
    """Words as they are; each run of unspaced characters as its 4-grams (a shorter run whole)."""
    begins = np.ones(len(hashes), dtype=bool)
    begins[1:] = ~unspaced[1:] | ~unspaced[:-1] | (owners[1:] != owners[:-1])
    first = np.flatnonzero(begins)
    lengths = np.diff(first, append=len(hashes))
    left = np.repeat(first + lengths, lengths) - np.arange(len(hashes))  # characters to the end of the run
    at = np.flatnonzero(begins | (left >= GRAM))
    spans = np.where(unspaced[at], np.minimum(left[at], GRAM), 1)
    rolled = np.zeros(len(at), dtype=np.uint64)
    for step in range(GRAM):
        inside = spans > step
        rolled[inside] = rolled[inside] * _BASE + hashes[at[inside] + step]
    grams = np.where(unspaced[at], mix(rolled), hashes[at])
    return grams, owners[at]


def term_sums(terms: Ints, offsets: Ints, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of `weights` (vocabulary,) over each text's terms, in their order, (n,). O(terms)."""
    n = len(offsets) - 1
    owners = np.repeat(np.arange(n), np.diff(offsets))
    return np.bincount(owners, weights[terms], n).astype(np.float64)
