"""One spelling for the figures of a sentence.

`1 000` is `1000`, `2 - 1` is `2-1`, `4 p.m.` is `4 pm`, 2024-05-03 is 3 May 2024. The patterns are in `spellings.txt`,
which the native kernel reads too. What could be read in two ways (3/5/2024) keeps its order and only loses its zeros.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_DIGIT = re.compile("[0-9]")
# The zeros of other scripts, and the Arabic signs for thousands and decimals.
_ZEROS = (
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20,
    0x1040, 0x1090, 0x17E0, 0x1810,
)  # fmt: skip
_DIGITS = {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)} | {0x66B: ".", 0x66C: ","}


@cache
def _spellings() -> tuple[tuple[re.Pattern[str], str], ...]:
    lines = files(__package__).joinpath("spellings.txt").read_text("utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if not line.startswith("#"))
    return tuple((re.compile(what, re.ASCII), re.sub(r"\$\{(.)\}", r"\\g<\1>", to)) for what, to in pairs)


@cache
def _any() -> re.Pattern[str]:
    """Whether any of them can be found at all: most sentences need none."""
    return re.compile("|".join(what.pattern for what, _ in _spellings()), re.ASCII)


def respelled(sentence: str) -> str:
    """A sentence in `cased_form` with its figures in one spelling and in European digits. O(characters)."""
    if not sentence.isascii():
        sentence = sentence.translate(_DIGITS)
    if not _DIGIT.search(sentence) or not _any().search(sentence):
        return sentence
    for what, to in _spellings():
        sentence = what.sub(to, sentence)
    return sentence
