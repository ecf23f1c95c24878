"""Write the folding table that the reference and the native kernels both read.

    python native/tables/generate.py            (with Python 3.11, whose Unicode is 14.0)

The table is data, not code, so that one file decides for both sides and for every Python version: characters that
Unicode 14 does not know stay as they are for ever, and a signature stored today can be compared in ten years.

Lines: `M cp to...` (a character and what it becomes; nothing = removed), `L cp to` (a letter that passes for a Latin
one beside Latin letters), and ranges `K first last`, where K is `N` not assigned in Unicode 14, `J` may compose or
reorder with what precedes it, `I` combining mark that is dropped everywhere, `P` capital letter, and the classes of a
token: `W` letter or mark, `D` digit, `U` character of a script without spaces, `S` symbol that counts as a word. All
other characters separate tokens.
"""

from __future__ import annotations

import sys
import unicodedata as ud
from collections.abc import Callable, Iterator
from pathlib import Path

TARGET = Path(__file__).parents[2] / "src/reparto/kernels/reference/folding.txt"
LAST = 0x110000

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u2e3a\u2e3b\ufe58\ufe63\uff0d\u207b\u208b\u301c\u3030\u02d7"
SINGLE = (
    "\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u00b4\u0060"
    "\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\uff07\u055a\ua78c"
)
DOUBLE = "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u301d\u301e\u301f\u02ba\uff02"
SPECIAL = {
    **dict.fromkeys(DASHES, "-"),
    **dict.fromkeys(SINGLE, "'"),
    **dict.fromkeys(DOUBLE, '"'),
    "\u2044": "/",
    "\u2215": "/",
    "\u2236": ":",
    "\u2024": ".",
    "\u066b": ".",
    "\u066c": ",",
}
# Ignorable characters, which no reader sees (Default_Ignorable_Code_Point, and the fillers of Hangul).
INVISIBLE = {
    0xAD,
    0x34F,
    0x61C,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    0x3164,
    *range(0xFE00, 0xFE10),
    0xFEFF,
    0xFFA0,
    *range(0xFFF9, 0xFFFC),
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
    *range(0x09),
    *range(0x0E, 0x1C),
    *range(0x7F, 0x85),
    *range(0x86, 0xA0),
}
SPACES = {
    *range(0x09, 0x0E),
    *range(0x1C, 0x21),
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
    0x2800,
}
MARKS = [
    (0x300, 0x36F),
    (0x483, 0x489),
    (0x1AB0, 0x1ACE),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20F0),
    (0xFE20, 0xFE2F),
]
STROKES = dict(zip("øđłħŧɨʉɵƀƶɍɏɇꝁꝑⱥⱦȼǥɟɫᵽᵻᵾꞓƚɉ", "odlhtiuobzryekpatcgjlpiuclj", strict=True))
# Latin letters that look like another, and those of Cyrillic and Greek that no reader can tell from a Latin one.
ALIKE = {
    **dict(zip("ıɑɡʏᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡᴢȷ", "iagyabcdeghijklmnoprstuvwzj", strict=True)),
    **dict(zip("асеорхуіјѕ", "aceopxyijs", strict=True)),
    **dict(zip("αοιρ", "aoip", strict=True)),
}
# Letters that pass for a Latin one only beside letters that are surely Latin: folded in such words alone.
BESIDE_LATIN = {
    **dict(zip("внкмтгһԁԛԝӏпьү", "bhkmtrhdqwlnby", strict=True)),
    **dict(zip("βεζηκντυχγω", "bezhkvtuxyw", strict=True)),
    **dict(zip("օոսհյց", "onuhjg", strict=True)),
    **dict(zip("ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏚᎢᏙᎳᏃᎡᏒ", "abcdeghjklmpstvwzrr", strict=True)),
}
UNSPACED = (
    "CJK ",
    "HIRAGANA",
    "KATAKANA",
    "THAI ",
    "LAO ",
    "KHMER ",
    "MYANMAR ",
    "TIBETAN ",
    "YI ",
    "BOPOMOFO",
    "TAI THAM",
    "NEW TAI LUE",
    "TAI LE",
    "TAI VIET",
    "JAVANESE",
    "BALINESE",
    "IDEOGRAPHIC",
    "TANGUT",
    "NUSHU",
    "KHITAN",
)
EUROPEAN = ("LATIN ", "GREEK ", "CYRILLIC ", "MODIFIER LETTER CYRILLIC", "COMBINING")


def is_mark(char: str) -> bool:
    """Whether a character is a combining mark that is dropped everywhere."""
    return any(low <= ord(char) <= high for low, high in MARKS)


def once(char: str) -> str:
    """One step of the folding of one character."""
    code = ord(char)
    if code in INVISIBLE:
        return ""
    if code in SPACES:
        return " "
    if char in SPECIAL:
        return SPECIAL[char]
    for table in (STROKES, ALIKE):
        if char in table:
            return table[char]
    name = ud.name(char, "")
    if name.startswith("SUPERSCRIPT ") and ud.digit(char, None) is not None:
        return f"^{ud.digit(char)}"  # 10² is not 102
    if name.startswith("VULGAR FRACTION"):
        return " " + ud.normalize("NFKC", char)  # 1½ is not 11/2
    if name.startswith(("NEGATIVE CIRCLED LATIN", "NEGATIVE SQUARED LATIN")):
        return name[-1].lower()
    lower = ud.normalize("NFKD", ud.normalize("NFKD", char).casefold())
    if len(lower) > 1 and ud.name(lower[0], "").startswith(EUROPEAN):
        lower = lower[0] + "".join(c for c in lower[1:] if not is_mark(c))
    elif len(lower) > 1 and lower[0] == " ":
        lower = "".join(c for c in lower if not is_mark(c))
    return ud.normalize("NFC", lower)


def fold(char: str) -> str:
    """What a character becomes: `once`, until nothing changes."""
    text = char
    for _ in range(8):
        after = "".join(map(once, text))
        if after == text:
            return text
        text = after
    raise SystemExit(f"no end in folding {char!r}")


def assigned(code: int) -> bool:
    """Whether Unicode 14 knows a character."""
    return ud.category(chr(code)) != "Cn"


def joins(code: int) -> bool:
    """Whether normalisation may compose the character with what precedes it, or move it."""
    char = chr(code)
    return ud.combining(char) != 0 or 0x1160 <= code <= 0x11FF or code in SECONDS


def kind(code: int) -> str:
    """The class of a character as part of a token."""
    char = chr(code)
    group, name = ud.category(char), ud.name(char, "")
    if (
        0x2E80 <= code <= 0x2FFF
        or code in (0x3005, 0x3007, 0x30FC)
        or (name.startswith(UNSPACED) and group[0] in "LMN" and group != "Nd")
    ):
        return "U"
    if group == "Nd":
        return "D"
    if group[0] in "LMN" or group in ("Cn", "Co", "Cs"):
        return "W"
    if group in ("Sc", "Sm", "So") and char not in "<>=|~":
        return "S"
    return "-"


SECONDS = {
    ord(parts[1])
    for parts in (ud.normalize("NFD", chr(c)) for c in range(LAST) if ud.decomposition(chr(c)))
    if len(parts) == 2
} | {ord(c) for n in range(LAST) if not 0xAC00 <= n < 0xD7A4 for c in ud.normalize("NFD", chr(n))[1:]}


def ranges(letter: str, belongs: Callable[[int], bool]) -> Iterator[str]:
    """Lines for the stretches of code points that belong."""
    start = None
    for code in range(LAST + 1):
        inside = code < LAST and belongs(code)
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            yield f"{letter} {start:X} {code - 1:X}"
            start = None


def main() -> None:
    """Write the table."""
    if ud.unidata_version != "14.0.0":
        raise SystemExit(f"Unicode 14.0.0 wanted (Python 3.11), this is {ud.unidata_version}")
    lines = ["# reparto folding table 1, Unicode 14.0.0. Generated by native/tables/generate.py; do not edit."]
    for code in range(LAST):
        char = chr(code)
        if (assigned(code) or code in INVISIBLE) and not is_mark(char) and (into := fold(char)) != char:
            lines.append(" ".join([f"M {code:X}", *(f"{ord(c):X}" for c in into)]))
    lines += [f"L {ord(char):X} {ord(into):X}" for char, into in BESIDE_LATIN.items()]
    lines += ranges("N", lambda code: not assigned(code) and code not in INVISIBLE)
    lines += ranges("J", lambda code: assigned(code) and joins(code) and code not in INVISIBLE)
    lines += ranges("P", lambda code: ud.category(chr(code)) in ("Lu", "Lt"))
    lines += [f"I {low:X} {high:X}" for low, high in MARKS]
    kinds = [kind(code) for code in range(LAST)]
    for letter in "WDUS":
        lines += ranges(letter, lambda code, letter=letter: kinds[code] == letter)
    TARGET.write_text("\n".join(lines) + "\n", encoding="ascii")
    sys.stdout.write(f"{TARGET}: {len(lines)} lines\n")


if __name__ == "__main__":
    main()
