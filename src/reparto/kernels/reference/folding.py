"""The folding table as Python needs it, read once from `folding.txt`, which the native kernels read too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

SIZE = 0x110000
REMOVED = 0xFFFF_FFFF  # in `simple`: the character goes
HARD = 0xFFFF_FFFE  # in `simple`: one becomes several, or context decides
SEPARATOR, WORD, DIGIT, UNSPACED, SYMBOL = 0, 1, 2, 3, 4
LATIN, LOOKALIKE = 1, 2
# Letters that are Latin and nothing else; the others of a-z are also what Cyrillic and Greek letters fold to.
LATIN_ONLY = "bdfghklmnqrtuvwz"


@dataclass(frozen=True, slots=True, eq=False)
class Folding:
    """What characters become, and what they are.

    `becomes` maps code points to text for `str.translate`, `cased` does so and leaves capitals capital; `simple` is
    the same as an array (0x110000,) uint32 with REMOVED and HARD. `kinds` (0x110000,) uint8 classes characters:
    SEPARATOR, WORD, DIGIT, UNSPACED, SYMBOL; `scripts` marks what is LATIN and nothing else, and what is a LOOKALIKE
    beside it.
    """

    becomes: dict[int, str]
    cased: dict[int, str]
    beside_latin: dict[int, str]
    simple: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    scripts: NDArray[np.uint8]
    unknown: re.Pattern[str]
    joining: re.Pattern[str]
    marks: re.Pattern[str]
    capitals: re.Pattern[str]


@cache
def folding() -> Folding:
    """The table; about 10 ms and 6 MB, once."""
    becomes: dict[int, str] = {}
    beside: dict[int, str] = {}
    spans: dict[str, list[tuple[int, int]]] = {letter: [] for letter in "NJIPWDUS"}
    for line in files(__package__).joinpath("folding.txt").read_text("ascii").splitlines():
        letter, *codes = line.split(" ")
        if letter == "M":
            becomes[int(codes[0], 16)] = "".join(chr(int(code, 16)) for code in codes[1:])
        elif letter == "L":
            beside[int(codes[0], 16)] = chr(int(codes[1], 16))
        elif letter != "#":
            spans[letter].append((int(codes[0], 16), int(codes[1], 16)))
    simple = np.arange(SIZE, dtype=np.uint32)
    for code, into in becomes.items():
        simple[code] = REMOVED if not into else ord(into) if len(into) == 1 else HARD
    # A character whose image may compose or reorder needs the text around it.
    for low, high in spans["J"] + spans["I"]:
        simple[low : high + 1] = HARD
    joins = {code for low, high in spans["J"] for code in range(low, high + 1)}
    for code, into in becomes.items():
        if len(into) == 1 and ord(into) in joins:
            simple[code] = HARD
    scripts = np.zeros(SIZE, dtype=np.uint8)
    scripts[[ord(letter) for letter in LATIN_ONLY]] = LATIN
    scripts[list(beside)] = LOOKALIKE  # small letters only: forms have no others
    kinds = np.zeros(SIZE, dtype=np.uint8)
    for letter, kind in (("W", WORD), ("S", SYMBOL), ("D", DIGIT), ("U", UNSPACED)):
        for low, high in spans[letter]:
            kinds[low : high + 1] = kind
    cased, capitals = dict(becomes), {code for low, high in spans["P"] for code in range(low, high + 1)}
    for code in capitals & becomes.keys():
        cased[code] = becomes[code].upper() if becomes[code].isascii() else chr(code)
    for code in capitals & becomes.keys():
        small = becomes[code]
        if len(small) == 1 and ord(small) in beside:
            beside[code] = beside[ord(small)].upper()
    return Folding(
        becomes, cased, beside, simple, kinds, scripts,
        _pattern(spans["N"]), _pattern(spans["J"] + spans["I"]), _pattern(spans["I"]), _pattern(spans["P"]),
    )  # fmt: skip


def _pattern(spans: list[tuple[int, int]]) -> re.Pattern[str]:
    inside = "".join(f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in spans)
    return re.compile(f"[{inside}]+")
