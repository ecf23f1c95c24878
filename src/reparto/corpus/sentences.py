"""Sentences of a text as hashes: what a brief and the story around it share, and which figures a text states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

from reparto.kernels import compare_form, native
from reparto.kernels.reference.shingles import mix

LEAST = 32  # characters of its comparison form: what is shorter is said by too many
_END = re.compile(
    "[.!?…]+[\"'”’»)\\]]*[ \t\u00a0]+|[。！？｡]+|[\n\r\v\f\u0085\u2028\u2029]"
    "[ \t\n\r\v\f\u0085\u00a0\u2028\u2029\u3000]*"
)
_BREAKS = "\n\r\v\f\u0085\u2028\u2029"
_STOPS, _LONG = ".!?…:;", 50
_SMALL = re.compile("[a-zß-öø-ÿα-ωа-џ]")
_DIGITS = re.compile("[0-9]+")
_MASK = (1 << 64) - 1
_SALT = 0x5E17_7E2C_E5A1_7000

Hashes = NDArray[np.uint64]
Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """Distinct sentence keys of n texts, ascending, text i at offsets[i]:offsets[i+1].

    `figures` (n,) is one hash of all runs of digits of a text, whatever their order.
    """

    keys: Hashes
    offsets: Offsets
    figures: Hashes


def segments(text: str) -> list[str]:
    """Sentences and lines of a text in order. O(characters).

    A line was wrapped when the next one goes on in small letters, or when it is long and does not end as sentences do.
    """
    found, start, line = [], 0, 0
    for end in _END.finditer(text):
        if text[end.start()] in _BREAKS:
            length, line = end.start() - line, end.end()
            last = text[end.start() - 1 : end.start()]
            wrapped = length >= _LONG and end[0].count("\n") == 1 and last not in _STOPS
            if end.end() < len(text) and (wrapped or _SMALL.match(text, end.end())):
                continue
        found.append(text[start : end.end()])
        start = end.end()
    if start < len(text):
        found.append(text[start:])
    return found


def sentence_keys(texts: Sequence[str], seed: int = 0) -> Sentences:
    """Keys of the sentences of at least 32 characters of each text. O(characters)."""
    module = native()
    if module is not None:
        try:
            return Sentences(*module.sentence_keys(list(texts), LEAST, salted(seed)))
        except UnicodeEncodeError:  # a lone surrogate among them: the reference takes those too
            pass
    found: list[NDArray[np.uint64]] = []
    figures = np.zeros(len(texts), dtype=np.uint64)
    for i, text in enumerate(texts):
        forms = [compare_form(one) for one in segments(text)]
        long = {
            xxhash.xxh3_64_intdigest(form.encode("utf-32-le", "surrogatepass")) for form in forms if len(form) >= LEAST
        }
        found.append(np.fromiter(long, dtype=np.uint64, count=len(long)))
        figures[i] = _figures(forms)
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in found])]).astype(np.int64)
    keys = np.concatenate([np.zeros(0, np.uint64), *found])
    keys = mix(keys ^ mix(np.array([salted(seed)], dtype=np.uint64)))
    for i in range(len(texts)):
        keys[offsets[i] : offsets[i + 1]].sort()
    return Sentences(keys, offsets, figures)


def salted(seed: int) -> int:
    """The seed of the keys of sentences, which are not to be those of shingles."""
    return (seed ^ _SALT) & _MASK


def _figures(forms: Sequence[str]) -> int:
    runs = [run for form in forms for run in _DIGITS.findall(form)]
    if not runs:
        return 0
    values = np.zeros(len(runs), dtype=np.uint64)
    for i, run in enumerate(runs):
        value = 0
        for digit in run:
            value = (value * 31 + ord(digit) - 47) & _MASK
        values[i] = value
    return int(mix(values).sum(dtype=np.uint64))
