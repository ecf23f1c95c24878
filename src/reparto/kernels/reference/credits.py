"""What an outlet puts around a story: datelines, bylines, time stamps, agency credits. It states no fact of the story.

The patterns read `cased_form`, in which accents are gone, and know ASCII only.
"""

from __future__ import annotations

import re
from functools import cache

from reparto.kernels.reference.lexicon import lexicon

_NOTE = re.compile(
    r"^\W{0,4}(?:(?:additional |with )?(?:reporting|editing|writing) by\b|con informacion de\b|copyright\b"
    r"|\(c\) ?[0-9]|all rights reserved|todos los derechos|sources?:|fuentes?:|via:|photos?:|fotos?:|image:|imagen:"
    r"|(?:the )?associated press\W{0,4}$|agencia [a-z]+\W{0,4}$|read more\b|lea tambien|leer mas|follow us|siganos"
    r"|click here|haga clic|[0-9]{1,2} min(?:ute)?s?(?: read| de lectura)\b|lectura de [0-9]{1,2} min)",
    re.IGNORECASE | re.ASCII,
)
_BYLINE = re.compile(r"^\W{0,4}(?:By|BY|Por|POR) +[A-Z][^\n]{2,80}$", re.ASCII)
_LINK = re.compile(r"(https?://[^\s?]*)\?[^\s)\]>\"']*", re.ASCII)
_WORDS = re.compile(r"[A-Za-z0-9_]+")
_DASH = "-{1,2}"


@cache
def patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A credited dateline, a dateline in capitals, a time stamp; each at the beginning of a sentence."""
    words = lexicon()
    agencies = "|".join(sorted(word for word, kind in words.idle.items() if kind == "agency"))
    dates = "|".join(sorted(word for word, pairs in words.classes.items() if pairs[0][0] in ("month", "day")))
    credited = re.compile(
        r"^\W{0,4}(?:(?:By|Por) [^\n]{3,60}? )?(?:[A-Z][A-Za-z.' /-]{1,40}?(?:, *[^\n()-]{1,30}?){0,3} *)?"
        rf"\((?:[A-Za-z]+[ /-])?(?:{agencies})(?:[ /-][A-Za-z]+)?\) *[.:]? *(?:{_DASH}|:)? *",
        re.IGNORECASE | re.ASCII,
    )
    dashed = re.compile(rf"^\W{{0,4}}([A-Z][A-Z.' ]{{2,30}})(?:, *[^\n()-]{{1,30}}){{0,3}} +{_DASH} +", re.ASCII)
    stamp = re.compile(
        r"^\W{0,4}(?:last |first |ultima )?(?:updated|published|posted|modified|revised|update|actualizad[oa]"
        r"|actualizacion|publicad[oa]|modificad[oa])\W{0,3}(?:(?:on|at|el|a las?|de)\W{1,3})?"
        rf"(?:(?:{dates}|[0-9][0-9:./-]*|am|pm|gmt|utc|e[ds]t|ces?t|h|hs|de|del|at|a las|on|el)\b[ ,.|:]*)+-{{0,2}} *",
        re.IGNORECASE | re.ASCII,
    )
    return credited, dashed, stamp


def without_credits(sentence: str) -> str:
    """A sentence without the dateline or time stamp before it; empty when it is a byline or credit and nothing else."""
    if _NOTE.match(sentence) or _is_byline(sentence) or _is_agency(sentence):
        return ""
    sentence = _LINK.sub(r"\1", sentence)  # what a link reports to its site
    credited, dashed, stamp = patterns()
    if found := stamp.match(sentence):
        return sentence[found.end() :] if re.search("[0-9]", found[0]) else sentence
    if found := credited.match(sentence):
        return sentence[found.end() :]
    if (found := dashed.match(sentence)) and _is_place(found[1]) and not _shouts(sentence[found.end() :][:4]):
        return sentence[found.end() :]
    return sentence


def _is_place(capitals: str) -> bool:
    words = lexicon()
    return len(capitals) > 3 and not any(
        word in words.classes or word in words.negations for word in capitals.lower().split(" ")
    )


def _shouts(text: str) -> bool:
    return re.search("[A-Z]", text) is not None and re.search("[a-z]", text) is None


def _is_byline(sentence: str) -> bool:
    if not _BYLINE.match(sentence):
        return False
    words, lexical = _WORDS.findall(sentence), lexicon()
    if not 2 <= len(words) <= 12 or words[1].lower() in lexical.classes:
        return False
    return all(
        not "a" <= word[0] <= "z" or word in lexical.idle or word in ("staff", "writer", "redaccion") for word in words
    )


def _is_agency(sentence: str) -> bool:
    words, idle = _WORDS.findall(sentence.lower()), lexicon().idle
    return sentence.isascii() and 0 < len(words) <= 4 and all(idle.get(word) == "agency" for word in words)
