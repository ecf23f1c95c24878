"""Units and shingles of the comparison form, many texts at a time.

A *unit* is a word where the script puts spaces between words, and a character where it does not (Han, kana, Thai,
Lao, Khmer, Myanmar, ...). A word keeps what belongs to it: the sign, point, slash or colon of a figure, the
apostrophe between letters. A *shingle* is a run of units as long as so many words or so many characters, each unit
counting its share, so a Japanese sentence with figures and Latin names in it is one sequence. A text shorter than a
shingle is one shingle; a form without any unit (`?!`) is one unit; an empty form has none. Broder 1997, "On the
resemblance and containment of documents".

All hashes are 64-bit: a polynomial over code points plus one (base `UNIT_BASE`), mixed; then a polynomial over units
(base `SHINGLE_BASE`), mixed. Arithmetic is modulo 2^64.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reparto.kernels.reference.folding import (
    DIGIT,
    HARD,
    LATIN,
    LOOKALIKE,
    REMOVED,
    SEPARATOR,
    UNSPACED,
    WORD,
    folding,
)
from reparto.kernels.reference.form import compare_form

UNIT_BASE = 0x9E37_79B9_7F4A_7C15
SHINGLE_BASE = 0xD6E8_FEB8_6659_FD93
_MASK = (1 << 64) - 1

Hashes = NDArray[np.uint64]
Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Window:
    """The length of a shingle: `words` where there are spaces, `characters` where there are none."""

    words: int
    characters: int


MEASURE = Window(words=5, characters=9)
"""The shingle of reports and measures, fixed: two texts resemble when their Jaccard over it is at least .6."""

COLLAPSE = Window(words=3, characters=6)
"""The shingle of collapse; its thresholds are chosen on data (docs/decisions/0010)."""


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """Comparison forms of n texts: code points (m,) uint32, text i at offsets[i]:offsets[i+1]."""

    codes: NDArray[np.uint32]
    offsets: Offsets

    def text(self, i: int) -> str:
        """The form of text i."""
        return self.codes[self.offsets[i] : self.offsets[i + 1]].tobytes().decode("utf-32-le", "surrogatepass")


def mix(values: Hashes) -> Hashes:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    z = values ^ (values >> np.uint64(30))
    z *= np.uint64(0xBF58_476D_1CE4_E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D0_49BB_1331_11EB)
    z ^= z >> np.uint64(31)
    return z


def forms(texts: Sequence[str]) -> Forms:
    """`compare_form` of each text. O(characters)."""
    if all(map(str.isascii, texts)):
        raw, lengths = _codes([compare_form(text) for text in texts])
        return Forms(raw, _offsets(lengths))
    table = folding()
    raw, lengths = _codes(texts)
    codes = table.simple[raw]
    hard = np.unique(np.repeat(np.arange(len(texts)), lengths)[codes == HARD])
    if raw.size and raw.max() > 127:
        # Words that mix scripts need the text around a letter as well.
        owners = np.repeat(np.arange(len(texts)), lengths)
        scripts = table.scripts[np.minimum(codes, np.uint32(len(table.scripts) - 1))]
        mixed = np.intersect1d(owners[scripts == LATIN], owners[scripts == LOOKALIKE])
        hard = np.union1d(hard, mixed)
    if len(hard):
        texts = list(texts)
        for i in hard:
            texts[i] = compare_form(texts[i])
        raw, lengths = _codes(texts)
        done = np.zeros(len(texts), dtype=bool)
        done[hard] = True
        codes = np.where(np.repeat(done, lengths), raw, table.simple[raw])
    return _spaced(codes, np.repeat(np.arange(len(texts)), lengths), len(texts))


def _codes(texts: Sequence[str]) -> tuple[NDArray[np.uint32], Offsets]:
    raw = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return raw, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))


def _spaced(codes: NDArray[np.uint32], owners: Offsets, n: int) -> Forms:
    """Drop what is removed, and fold white space within each text."""
    seen = codes != 32
    spaces = np.cumsum(~seen)
    seen &= codes != REMOVED
    at = np.flatnonzero(seen)
    codes, owners, spaces = codes[at], owners[at], spaces[at]
    gap = np.zeros(len(at), dtype=bool)
    gap[1:] = (spaces[1:] != spaces[:-1]) & (owners[1:] == owners[:-1])
    out = np.full(len(at) + int(gap.sum()), 32, dtype=np.uint32)
    out[np.arange(len(at)) + np.cumsum(gap)] = codes
    counts = np.bincount(owners, minlength=n) + np.bincount(owners[gap], minlength=n)
    return Forms(out, _offsets(counts))


def _offsets(counts: NDArray[np.int64]) -> Offsets:
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Hashes (m,) uint64 of the units of n texts, whether each is a character of an unspaced script, and offsets."""

    hashes: Hashes
    unspaced: NDArray[np.bool_]
    offsets: Offsets


def units(of: Forms) -> Units:
    """The units of each form, in order. O(characters)."""
    members, first, kinds = _members(of)
    if not len(first):
        return Units(np.zeros(0, np.uint64), np.zeros(0, bool), np.zeros(len(of.offsets), np.int64))
    lengths = np.diff(first, append=len(members))
    place = np.arange(len(members)) - np.repeat(first, lengths)
    terms = (of.codes[members].astype(np.uint64) + np.uint64(1)) * _powers(UNIT_BASE, int(lengths.max()))[place]
    at = members[first]
    return Units(mix(np.add.reduceat(terms, first)), kinds[at] == UNSPACED, np.searchsorted(at, of.offsets))


def spans(texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Where the units of each text are, as half-open ranges of its code points. O(characters)."""
    codes, lengths = _codes(texts)
    bounds = _offsets(lengths)
    members, first, _ = _members(Forms(codes, bounds))
    at = members[first]
    cuts = np.searchsorted(at, bounds)
    owners = np.repeat(bounds[:-1], np.diff(cuts))
    starts = (at - owners).tolist()
    ends = (at + np.diff(first, append=len(members)) - owners).tolist()
    return [list(zip(starts[i:j], ends[i:j], strict=True)) for i, j in itertools.pairwise(cuts.tolist())]


def _members(of: Forms) -> tuple[Offsets, Offsets, NDArray[np.uint8]]:
    """Positions of the characters that belong to units, which of them begin one, and the kinds of all characters."""
    codes, bounds = of.codes, of.offsets
    kinds = folding().kinds[codes]
    inside = kinds != SEPARATOR
    inside[_joiners(codes, kinds, bounds)] = True
    starts = inside.copy()
    starts[1:] &= ~inside[:-1] | (kinds[1:] == UNSPACED) | (kinds[:-1] == UNSPACED)
    filled = bounds[:-1][bounds[:-1] < bounds[1:]]
    starts[filled] = inside[filled]
    # A form without a unit is a unit: "?!" is not "...".
    members = np.flatnonzero(inside)
    bare = np.flatnonzero((np.diff(np.searchsorted(members, bounds)) == 0) & (bounds[:-1] < bounds[1:]))
    for i in bare:
        inside[bounds[i] : bounds[i + 1]] = True
        starts[bounds[i]] = True
    members = np.flatnonzero(inside) if len(bare) else members
    return members, np.flatnonzero(starts[members]), kinds


# Which rules of `_joiners` a sign takes part in, a bit each.
_IN_FIGURES, _IN_WORDS, _BEFORE, _PERCENT, _NUMBER_SIGN, _COMPARES = 1, 2, 4, 8, 16, 32
_RULES = {
    _IN_FIGURES: ".,/:-'",
    _IN_WORDS: "'&_",
    _BEFORE: "-",
    _PERCENT: "%",
    _NUMBER_SIGN: "#",
    _COMPARES: "<>=",
}
_SIGNS = np.array([sum(rule for rule, signs in _RULES.items() if chr(code) in signs) for code in range(128)], np.uint8)


def _joiners(codes: NDArray[np.uint32], kinds: NDArray[np.uint8], bounds: Offsets) -> Offsets:
    """Positions of signs that belong to the word around them."""
    at = np.flatnonzero((kinds == SEPARATOR) & (codes != 32))
    rule = _SIGNS[np.minimum(codes[at], 127)]
    at, rule = at[rule > 0], rule[rule > 0]
    firsts = np.zeros(len(codes) + 1, dtype=bool)
    firsts[bounds] = True
    before = np.where(firsts[at], SEPARATOR, kinds[np.maximum(at - 1, 0)])
    after = np.where(firsts[at + 1], SEPARATOR, kinds[np.minimum(at + 1, len(codes) - 1)])
    figure_before, figure_after = before == DIGIT, after == DIGIT
    lettered, letters = figure_before | (before == WORD), figure_after | (after == WORD)
    joins = (rule & _IN_FIGURES > 0) & figure_before & figure_after
    joins |= (rule & _IN_WORDS > 0) & lettered & letters
    joins |= (rule & _BEFORE > 0) & (before == SEPARATOR) & figure_after
    # "p < 0.05" is not "p > 0.05".
    beyond = (firsts[np.minimum(at + 1, len(codes))]) | (firsts[np.minimum(at + 2, len(codes))])
    spaced = (after == SEPARATOR) & ~beyond & (codes[np.minimum(at + 1, len(codes) - 1)] == 32)
    spaced &= kinds[np.minimum(at + 2, len(codes) - 1)] == DIGIT
    joins |= (rule & _COMPARES > 0) & (figure_after | spaced)
    joins |= (rule & _PERCENT > 0) & figure_before
    joins |= (rule & _NUMBER_SIGN > 0) & (lettered | figure_after)
    found: Offsets = at[joins]
    return found


def shingles(of: Units, window: Window, seed: int = 0) -> tuple[Hashes, Offsets]:
    """Hashes of all shingles in order, repeats included, with offsets (n + 1,). O(units)."""
    counts = np.diff(of.offsets)
    if not of.unspaced.any():
        at, ends = _word_windows(of, window.words, counts)
    else:
        at, ends = _mixed_windows(of, window)
    # A text shorter than a shingle is compared whole.
    starts = of.offsets[:-1]
    found = np.diff(np.searchsorted(at, of.offsets))
    whole = np.flatnonzero((found == 0) & (counts > 0))
    order = np.argsort(np.concatenate([at, starts[whole]]), kind="stable") if len(whole) else np.arange(len(at))
    at = np.concatenate([at, starts[whole]])[order]
    ends = np.concatenate([ends, of.offsets[1:][whole]])[order]
    size = int((ends - at).max(initial=0))
    powers = _powers(SHINGLE_BASE, max(size, 1))
    sums = np.zeros(len(at), dtype=np.uint64)
    live = np.arange(len(at))
    for k in range(size):
        if k >= window.words:
            live = live[ends[live] - at[live] > k]
        elif k:
            live = np.flatnonzero(ends - at > k)
        sums[live] += of.hashes[at[live] + k] * powers[k]
    return mix(sums ^ mix(np.array([seed & _MASK], dtype=np.uint64))), np.searchsorted(at, of.offsets)


def _word_windows(of: Units, words: int, counts: Offsets) -> tuple[Offsets, Offsets]:
    at = np.arange(len(of.hashes))
    left = np.repeat(of.offsets[1:], counts) - at
    at = at[left >= words]
    return at, at + words


def _mixed_windows(of: Units, window: Window) -> tuple[Offsets, Offsets]:
    # A word weighs `characters`, a character `words`: five words or nine characters are 45.
    weight = np.where(of.unspaced, window.words, window.characters)
    run = np.concatenate([[0], np.cumsum(weight)])
    ends = np.searchsorted(run, run[:-1] + window.words * window.characters)
    at = np.arange(len(of.hashes))
    limit = np.repeat(of.offsets[1:], np.diff(of.offsets))
    keep = ends <= limit
    return at[keep], ends[keep]


def _powers(base: int, n: int) -> Hashes:
    steps = np.full(n, base, dtype=np.uint64)
    steps[0] = 1
    return np.cumprod(steps, dtype=np.uint64)
