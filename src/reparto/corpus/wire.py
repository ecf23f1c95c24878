"""Wire credit: which news agency a story comes from, as the story itself says.

Three places are read: the dateline at the head (`MADRID (Reuters) -`, `WASHINGTON, March 3 (AP) --`), a byline in
the first
lines (`By Jane Doe, Associated Press`, `EFE | Madrid`), and a credit line at the end (`(With reporting by AFP)`,
`Fuente: Europa Press`, `© 2024 ANSA`). An agency that a sentence merely mentions is no credit. docs/dedupe.md has
the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from reparto.kernels import native

_AGENCIES: tuple[tuple[str, str], ...] = (
    ("AP", r"(?:the\s+)?associated\s+press|AP"),
    ("Reuters", r"(?:thomson\s+)?reuters"),
    ("AFP", r"agence[\s-]+france[\s-]+presse|agencia\s+france[\s-]?presse|AFP"),
    ("EFE", r"agencia\s+efe|EFE"),
    ("dpa", r"deutsche\s+presse[\s-]agentur|dpa(?:-AFX)?|DPA"),
    ("ANSA", r"agenzia\s+ansa|ANSA"),
    ("Xinhua", r"xinhua(?:\s+news\s+agency)?|新华社|新華社"),
    ("TASS", r"(?:itar-)?TASS|ТАСС"),
    ("Europa Press", r"europa\s+press|EUROPA\s+PRESS"),
)
_HEAD, _TAIL = 400, 400
EDGE = min(_HEAD, _TAIL)
_PARTS = ("press", "reuters", "xinhua", "新华社", "新華社")  # one of them is in every one of _NAMES
_NAMES = ("associated press", "reuters", "europa press", "presse", "xinhua", "新华社", "新華社")
_INITIALS = ("AP", "AFP", "EFE", "dpa", "DPA", "ANSA", "TASS", "ТАСС")
ANY = f"{'|'.join(_INITIALS)}|(?i:{'|'.join(_PARTS)})"  # found in every text that may have a credit
_DASH = r"\s*(?:[-–—]|--)"


@dataclass(frozen=True, slots=True)
class Credit:
    """`agency` by its usual short name, `by` one of dateline, byline, credit."""

    agency: str
    by: str


@cache
def _patterns() -> tuple[tuple[str, tuple[tuple[str, re.Pattern[str]], ...]], ...]:
    found = []
    for agency, names in _AGENCIES:
        # Long names in any case, initials only as they are written.
        spelled = "|".join(one if one.isupper() and one.isascii() else f"(?i:{one})" for one in _alternatives(names))
        also = r"(?:\s*[/,&+-]\s*[A-Za-z]{2,12}){0,2}"
        mark = rf"(?:[A-Za-z]{{2,12}}\s*[/&+-]\s*){{0,2}}(?:{spelled}){also}"
        place = r"[A-ZÀ-ÞА-Я][\w.'’À-ÿ-]*(?:[ ,/]+[\w.'’À-ÿ-]+){0,7}"
        found.append(
            (
                agency,
                (
                    (
                        "dateline",
                        re.compile(rf"^\W*(?:{place}[\s,.:]*)?[(/]\s*{mark}\s*[)/]\.?(?:{_DASH}|\s*[:.]|\s|$)", re.M),
                    ),
                    ("dateline", re.compile(rf"^\W*{place},?\s+(?:{spelled})(?:\s*{_DASH}\s)", re.M)),
                    ("dateline", re.compile(rf"^\W*{place}\s*{_DASH}\s*\(?(?:{spelled})\)?{_DASH}\s", re.M)),
                    (
                        "dateline",
                        re.compile(
                            rf"^\W*{place},\s+\d{{1,2}}\s+(?:[A-Za-z]+\.?\s*)?\(?(?:{spelled})\)?{_DASH}?", re.M
                        ),
                    ),
                    (
                        "byline",
                        re.compile(
                            rf"^\W*(?:(?:[Bb]y|BY|[Pp]or|POR|[Vv]on|[Dd]i|[Pp]ar)\s+)?[^\n.!?]{{0,60}}?"
                            rf"(?:^|[,|/·•(]\s*|\s[-–—]\s|[Bb][Yy]\s+|[Pp]or\s+)(?:{spelled})"
                            rf"(?:\s+(?:staff|writers?|correspondents?|reporters?|news\s+agency|agencias?|business|sports)){{0,3}}\)?"
                            r"(?:\s*[|,/·•-]\s*[A-ZÀ-Þ]\w+(?:\s+\w+){0,2})?\s*\.?\s*$",
                            re.M,
                        ),
                    ),
                    (
                        "credit",
                        re.compile(
                            rf"(?:^|[\n.(—–-])\s*(?:(?i:source|fuente|fonte|quelle|credit|crédito|photo|foto|agencias?)\s*:\s*"
                            rf"|(?i:(?:with|additional)\s+(?:reporting|information|material|files)\s+(?:by|from))\s+"
                            rf"|(?i:con\s+información\s+de|información\s+de|mit\s+material\s+(?:der|von)|avec)\s+(?:la\s+agencia\s+)?"
                            rf"|(?:©|\([cC]\)|(?i:copyright))\s*(?:\d{{4}}\s*)?(?:(?i:by)\s+)?(?:(?i:the)\s+)?"
                            rf"|(?i:reporting\s+by)[^\n.]{{0,60}}[,(]\s*)(?:{mark})\b",
                        ),
                    ),
                    (
                        "credit",
                        re.compile(rf"(?:^|[\s.])[(\[]?(?:{mark})[)\]]?(?:\s+[a-z]{{2,4}}/[a-z]{{2,4}})?\s*\.?\s*$"),
                    ),
                ),
            )
        )
    return tuple(found)


def _alternatives(names: str) -> list[str]:
    depth, start, out = 0, 0, []
    for at, char in enumerate(names):
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            out.append(names[start:at])
            start = at + 1
    return [*out, names[start:]]


def _mentions(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 - of every document of a corpus: a generator costs five times as much
        if word in text:
            return True
    return False


def wire_credits(texts: Sequence[str]) -> list[Credit | None]:
    """The credit of each text; as `wire_credit`, sooner where the native kernels are."""
    module = native()
    if module is not None:
        try:
            some = module.mentions(list(texts), ANY, EDGE)
        except UnicodeEncodeError:  # a lone surrogate among them
            return list(map(wire_credit, texts))
        found: list[Credit | None] = [None] * len(texts)
        for at in np.flatnonzero(some).tolist():
            found[at] = wire_credit(texts[at])
        return found
    return list(map(wire_credit, texts))


def wire_credit(text: str) -> Credit | None:
    """The agency a text credits, by the first place that does; None where it credits none. Head and tail are read."""
    head, tail = text[:_HEAD], text[-_TAIL:] if len(text) > _HEAD else ""
    ends = head + tail
    if not _mentions(ends, _INITIALS):
        folded = ends.lower()
        if not _mentions(folded, _PARTS) or not _mentions(folded, _NAMES):
            return None
    lead = "\n".join(head.splitlines()[:6])
    last = (tail or head).rstrip()
    last = last[-_TAIL // 2 :]
    for by in ("dateline", "byline", "credit"):
        earliest: tuple[int, str] | None = None
        for agency, patterns in _patterns():
            for where, pattern in patterns:
                if where != by:
                    continue
                match = pattern.search(last if by == "credit" else lead)
                if match and (earliest is None or match.start() < earliest[0]):
                    earliest = (match.start(), agency)
        if earliest:
            return Credit(earliest[1], by)
    return None
