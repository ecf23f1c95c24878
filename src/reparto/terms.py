"""Words of a text for lexical search: folded, unaccented, and pairs of characters where a script has no
spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LETTER = r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u102b-\u103e\u17b6-\u17d3])"
WORD = re.compile(f"{LETTER}+(?:['’]{LETTER}+)*")
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
MARK = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
LIMIT = 64


def tokens(text: str) -> list[str]:
    """Search terms of `text`, in order, repeats kept.

    NFKC, case folded, combining marks of Latin, Greek, Cyrillic, Arabic and Hebrew dropped (`canción` =
    `cancion`), a run without spaces (Han, kana, Thai, Lao, Khmer, Burmese) as overlapping pairs. A longer
    term than 64 is cut.
    """
    return list(_terms(text))


def fold(text: str) -> str:
    """The form in which terms are compared."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", MARK.sub("", unicodedata.normalize("NFD", plain)))


def _terms(text: str) -> Iterator[str]:
    for word in WORD.findall(fold(text)):
        if word.isascii() or not UNSPACED.search(word):
            yield word.replace("'", "").replace("’", "")[:LIMIT]
            continue
        at = 0
        for run in UNSPACED.finditer(word):
            if run.start() > at:
                yield word[at : run.start()][:LIMIT]
            chars = run.group()
            yield from (chars,) if len(chars) == 1 else (chars[i : i + 2] for i in range(len(chars) - 1))
            at = run.end()
        if at < len(word):
            yield word[at:][:LIMIT]
