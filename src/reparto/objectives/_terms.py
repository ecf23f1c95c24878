"""The terms of passages: words of the comparison form, or character 4-grams where a script has no spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reparto.kernels import Spec, Window, fingerprint
from reparto.kernels.reference.shingles import forms, mix, units
from reparto.model import Floats

GRAM = 4
"""Characters of an unspaced script in a term: shorter ones are everywhere, longer ones nowhere twice."""

_WORDS = Spec(window=Window(words=1, characters=GRAM), least=1 << 20)
_BASE = np.uint64(0x9E37_79B9_7F4A_7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Which distinct terms each of n passages holds: pairs (owner, term), sorted by owner.

    `owners` and `terms` are (m,) int64; term numbers run from 0 to `vocabulary` - 1; `offsets` is (n + 1,).
    """

    owners: NDArray[np.int64]
    terms: NDArray[np.int64]
    offsets: NDArray[np.int64]
    vocabulary: int

    def of(self, i: int) -> NDArray[np.int64]:
        """Give the term numbers of passage i."""
        return self.terms[self.offsets[i] : self.offsets[i + 1]]

    def counts(self) -> Floats:
        """Distinct terms of each passage, (n,)."""
        return np.diff(self.offsets).astype(np.float64)

    def sums(self, weights: Floats) -> Floats:
        """Sum over each passage's terms of `weights` (vocabulary,), (n,). O(m)."""
        counted = np.bincount(self.owners, weights[self.terms], len(self.offsets) - 1)
        return counted.astype(np.float64)

    def carried(self, weights: Floats) -> Floats:
        """Sum over the passages that hold each term of `weights` (n,), (vocabulary,). O(m)."""
        counted = np.bincount(self.terms, weights[self.owners], self.vocabulary)
        return counted.astype(np.float64)


def terms_of(texts: Sequence[str], query: str = "") -> Terms:
    """List the distinct terms of each text that the query does not hold. O(characters).

    The comparison form makes case, width, quotes and accents one; marks stay with their letters. A run of
    characters of an unspaced script shorter than `GRAM` is one term.
    """
    n = len(texts)
    hashes, owners = (
        _spaced_terms([*texts, query]) if all(map(_is_spaced, [*texts, query])) else _any_terms([*texts, query])
    )
    numbers, terms = np.unique(hashes, return_inverse=True)
    asked = np.zeros(len(numbers), dtype=bool)
    asked[terms[owners == n]] = True
    keep = (owners < n) & ~asked[terms]
    pairs = np.unique(owners[keep] * max(1, len(numbers)) + terms[keep])
    owners, terms = np.divmod(pairs, max(1, len(numbers)))
    offsets = np.searchsorted(owners, np.arange(n + 1))
    return Terms(owners, terms, offsets, len(numbers))


def _is_spaced(text: str) -> bool:
    """Whether a text surely has no character of an unspaced script: they begin with Thai."""
    return text.isascii() or max(text) < "\u0e00"


def _spaced_terms(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Each text's distinct words by the fast kernel: shingles of one word."""
    sketches = fingerprint(texts, _WORDS)
    return sketches.hashes, np.repeat(np.arange(len(texts)), np.diff(sketches.offsets))


def _any_terms(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Words and 4-grams, repeats included."""
    of = units(forms(texts))
    owners = np.repeat(np.arange(len(texts)), np.diff(of.offsets))
    return _grams(of.hashes, of.unspaced, owners) if of.unspaced.any() else (of.hashes, owners)


def _grams(
    hashes: NDArray[np.uint64], unspaced: NDArray[np.bool_], owners: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
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
