"""What an outlet puts around a story: datelines, bylines, time stamps, agency credits. It states no fact of the story."""

from __future__ import annotations

import re
from functools import cache

from reparto.kernels.reference.lexicon import lexicon

_PLACE = r"[A-ZÀ-Þ][A-Za-zÀ-ÿ.'’ /-]{1,40}?"
_BY = r"(?:(?:By|BY|Por|POR) [^\n]{3,60}?\s)?"
_DASH = r"(?:[-–—]|--)"
_KEYWORD = (
    r"(?:last |first |última |ultima )?(?:updated|published|posted|modified|revised|update|actualizad[oa]|actualización"
    r"|actualizacion|publicad[oa]|modificad[oa])"
)
_NOTE = re.compile(
    r"^\W*(?:(?:additional |with )?(?:reporting|editing|writing) by\b|reporting by\b|con información de\b|copyright\b|©"
    r"|\(c\) ?[0-9]|all rights reserved|todos los derechos|sources?:|fuentes?:|via:|photos?:|fotos?:|image:|imagen:"
    r"|(?:the )?associated press\W*$|agencia [a-z]+\W*$|read more\b|lea también|leer más|follow us|síganos"
    r"|click here|haga clic)",
    re.IGNORECASE,
)
_BYLINE = re.compile(r"^\W*(?:By|BY|Por|POR) +(?=[A-ZÀ-Þ])[^\n]{2,80}$")


_QUERY = re.compile(r"(https?://[^\s?]*)\?[^\s)\]>\"']*")


@cache
def _lead() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    words = lexicon()
    agencies = "|".join(sorted(word for word, kind in words.idle.items() if kind == "agency"))
    named = rf"\((?:[A-Za-z]+[ /-])?(?:{agencies})(?:[ /-][A-Za-z]+)?\)"
    dates = "|".join(sorted((w for w, cs in words.classes.items() if cs[0][0] in ("month", "day")), key=lambda w: (-len(w), w)))
    credited = re.compile(
        rf"^\W*{_BY}(?:{_PLACE}(?:,\s*[^\n()–—]{{1,30}}?){{0,3}}\s*)?{named}\s*[.:]?\s*(?:{_DASH}|:)?\s*", re.IGNORECASE
    )
    dashed = re.compile(rf"^\W*([A-ZÀ-Þ][A-ZÀ-Þ.'’ ]{{2,30}})(?:,\s*[^\n()–—-]{{1,30}}){{0,3}}\s+{_DASH}\s+")
    stamp = re.compile(
        rf"^\W*{_KEYWORD}\W*(?:(?:on|at|el|a las?|de)\W+)?(?:(?:{dates}|[0-9][0-9:./-]*|am|pm|a\.m\.|p\.m\.|gmt|utc"
        rf"|e[ds]t|ces?t|h|hs|de|del|at|a las|on|el)\b[\s,.|:]*)+[-–—|]*\s*",
        re.IGNORECASE,
    )
    return credited, dashed, stamp


def without_credits(sentence: str) -> str:
    """A sentence without the dateline or time stamp before it; empty when it is a byline or credit and nothing else."""
    if _NOTE.match(sentence) or _is_byline(sentence) or _is_agency(sentence):
        return ""
    sentence = _QUERY.sub(r"\1", sentence)  # what a link reports to its site
    credited, dashed, stamp = _lead()
    if found := stamp.match(sentence):
        return sentence[found.end() :] if any(char.isdigit() for char in found[0]) else sentence
    if found := credited.match(sentence[:200]):
        return sentence[found.end() :]
    if (found := dashed.match(sentence[:200])) and _is_place(found[1]) and not sentence[found.end() :][:4].isupper():
        return sentence[found.end() :]
    return sentence


def _is_place(capitals: str) -> bool:
    words, classes = capitals.lower().split(), lexicon().classes
    return len(capitals) > 3 and not any(word in classes or word in lexicon().negations for word in words)


def _is_byline(sentence: str) -> bool:
    if not _BYLINE.match(sentence):
        return False
    words, idle = re.findall(r"\w+", sentence), lexicon().idle
    return 2 <= len(words) <= 12 and all(
        word[0].isupper() or word.isdigit() or word.lower() in idle or word.lower() in ("staff", "writer", "redaccion")
        for word in words
    ) and not any(word.lower() in lexicon().classes for word in words[1:2])  # fmt: skip


def _is_agency(sentence: str) -> bool:
    words, idle = re.findall(r"\w+", sentence.lower()), lexicon().idle
    return 0 < len(words) <= 4 and all(idle.get(word) == "agency" for word in words)
