"""The comparison form: what two texts are compared by, never what is delivered.

Equal for a reader should be equal here (Unicode spellings, case, invisible characters, typography, look-alike letters,
marks on European letters), and what carries meaning stays: signs, digits, currency, decimal points, slashes, the
letters and vowel signs of every script. Unicode Standard Annex 15 (normalisation), Technical Standard 39 (confusables).
"""

from __future__ import annotations

import re
import unicodedata

from reparto.kernels.reference.folding import LATIN_ONLY, Folding, folding

NORMALISER = 1  # raised whenever a form changes: stored signatures name it
_ASCII_SPACE = re.compile(r"[\t-\r\x1c- ]+")
_ASCII_GONE = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_LATIN = re.compile(f"[{LATIN_ONLY}]")
_ANY_LATIN = re.compile(f"[{LATIN_ONLY}{LATIN_ONLY.upper()}]")
_LETTERS = re.compile("[a-z\u0370-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u1f00-\u1fff\ua640-\ua69f]+")
_ANY_LETTERS = re.compile(_LETTERS.pattern.replace("a-z", "a-zA-Z"))


def compare_form(text: str) -> str:
    """The comparison form of a text; idempotent, and empty only where there is nothing to see.

    Lone surrogates stay. O(characters).
    """
    if text.isascii():
        if not text.isprintable():
            text = _ASCII_GONE.sub("", text)
        return " ".join(text.split()).lower().replace("`", "'")
    table = folding()
    for _ in range(8):  # two rounds settle all but contrived texts
        folded = _fold(text, table)
        if folded == text:
            break
        text = folded
    return text


def cased_form(text: str) -> str:
    """The comparison form with its capitals and line breaks kept, for telling names from words. O(characters)."""
    if text.isascii():
        return text.replace("`", "'")
    table = folding()
    text = table.marks.sub("", _compose(text, table).translate(table.cased))
    if not text.isascii() and _ANY_LATIN.search(text):
        text = _ANY_LETTERS.sub(lambda word: _latinise(word[0], table), text)
    return text


def _fold(text: str, table: Folding) -> str:
    text = text.translate(table.becomes)
    if table.joining.search(text):
        text = table.marks.sub("", _compose(text, table))
    if not text.isascii() and _LATIN.search(text):
        text = _LETTERS.sub(lambda word: _latinise(word[0], table), text)
    return _ASCII_SPACE.sub(" ", text).strip(" ")


def _latinise(word: str, table: Folding) -> str:
    return word.translate(table.beside_latin) if not word.isascii() and _ANY_LATIN.search(word) else word


def _compose(text: str, table: Folding) -> str:
    """NFC of Unicode 14, whatever the interpreter's: characters that it did not know are left alone."""
    if not table.unknown.search(text):
        return unicodedata.normalize("NFC", text)
    parts: list[str] = []
    end = 0
    for gap in table.unknown.finditer(text):
        parts += [unicodedata.normalize("NFC", text[end : gap.start()]), gap[0]]
        end = gap.end()
    return "".join([*parts, unicodedata.normalize("NFC", text[end:])])
