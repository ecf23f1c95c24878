"""What is new in a message, and what it quotes: lines behind `>`, what follows "On ... wrote:" or a copied header."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reparto.kernels import compare_form

_QUOTED = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_ATTRIBUTION = re.compile(
    r"[ \t]*(?:on|el|am|le|em|il|op|at)\b.{3,160}\b(?:wrote|writes|said|escribió|escribio|escribe|schrieb|a écrit"
    r"|escreveu|ha scritto|schreef)[ \t]*:[ \t]*",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[ \t]*\S.{0,80}\b(?:wrote|writes|escribió|escribe|schrieb|a écrit)[ \t]*:[ \t]*", re.IGNORECASE)
_ORIGINAL = re.compile(
    r"[ \t]*(?:-{2,}|_{5,})[ \t]*(?:original message|forwarded message|mensaje original|mensaje reenviado"
    r"|ursprüngliche nachricht|message d'origine|message original)\b.*",
    re.IGNORECASE,
)
_SENDER = re.compile(r"[ \t]*\*?(?:from|de|von|da)\*?[ \t]*:[ \t]*\S.*", re.IGNORECASE)
_HEADER = re.compile(
    r"[ \t]*\*?(?:sent|date|to|cc|subject|enviado(?: el)?|fecha|para|asunto|gesendet|datum|an|betreff|envoyé|à"
    r"|objet)\*?[ \t]*:.*",
    re.IGNORECASE,
)
_LEAST = 12  # characters of a form: shorter messages must be whole quoted lines


def new_text(text: str) -> tuple[str, str]:
    """The new part of a message, and what it quotes with the marks of quotation removed.

    The text itself and "" where nothing is quoted. O(characters).
    """
    if ">" not in text and not _may_quote(text):
        return text, ""
    lines = text.splitlines()
    kinds = _kinds(lines)
    if not any(kinds):
        return text, ""
    new = [line for line, quoted in zip(lines, kinds, strict=True) if not quoted]
    old = [_bare(line) for line, quoted in zip(lines, kinds, strict=True) if quoted]
    return "\n".join(new).strip(), "\n".join(old).strip()


def _may_quote(text: str) -> bool:
    return ":" in text and any(
        _ORIGINAL.match(line) or _SENDER.match(line) or _ATTRIBUTION.match(line) for line in text.splitlines()
    )


def _bare(line: str) -> str:
    mark = _QUOTED.match(line)
    return line[mark.end() :] if mark else line


def _kinds(lines: Sequence[str]) -> list[bool]:
    """For each line whether it is quoted."""
    quoted = [bool(_QUOTED.match(line)) for line in lines]
    for at, line in enumerate(lines):
        below = next((one for one in range(at + 1, len(lines)) if lines[one].strip()), None)
        if quoted[at] or not line.strip():
            continue
        opens = _ORIGINAL.match(line) or (
            at > 0 and below == at + 1 and _SENDER.match(line) and _HEADER.match(lines[below])
        )
        if opens:
            header = _header(lines, at)
            if any(one.strip() for one in lines[:at]) or header is None or not quoted[header]:
                return [*quoted[:at], *(True for _ in lines[at:])]
            quoted[at:header] = [True] * (header - at)  # an answer below a quotation that is marked line by line
            continue
        if below is None:
            continue
        if _ATTRIBUTION.fullmatch(line) or (quoted[below] and _NAMED.fullmatch(line)):
            if any(quoted[below:]):
                quoted[at] = True
            elif any(one.strip() for one in lines[:at]):  # an answer above an unmarked quotation
                return [*quoted[:at], *(True for _ in lines[at:])]
        elif not quoted[below] and _ATTRIBUTION.fullmatch(f"{line} {lines[below].strip()}"):
            after = next((one for one in range(below + 1, len(lines)) if lines[one].strip()), None)
            if after is not None and quoted[after]:  # an attribution broken over two lines
                quoted[at] = quoted[below] = True
    return quoted


def _header(lines: Sequence[str], at: int) -> int | None:
    """Where the body begins under a copied header at line `at`; None where there is none."""
    return next(
        (
            below
            for below in range(at + 1, len(lines))
            if lines[below].strip() and not (_SENDER.match(lines[below]) or _HEADER.match(lines[below]))
        ),
        None,
    )


def quotes_whole(container: str, message: str) -> bool:
    """Whether a text quotes all of another message, its own quotations included or left out. O(characters)."""
    return (0, 1) in whole_quotations([container, message])


def whole_quotations(texts: Sequence[str], parts: Sequence[tuple[str, str]] | None = None) -> list[tuple[int, int]]:
    """Pairs (container, message) of texts of which the first quotes the second whole. `parts`: `new_text` of each.

    Marks of quotation, line breaks and everything that the comparison form folds do not matter. A message of a few
    characters must be whole lines of the quotation. O(characters), and one search for each quoting text and message.
    """
    parts = [new_text(text) for text in texts] if parts is None else parts
    quoting = [i for i, (_, old) in enumerate(parts) if old]
    if not quoting:
        return []
    whole = [_unmarked(text) for text in texts]
    own = [compare_form(new) if old else form for (new, old), form in zip(parts, whole, strict=True)]
    found = []
    for i in quoting:
        quotation = f" {compare_form(_unmarks(parts[i][1]))} "
        lines = {compare_form(line) for line in _unmarks(parts[i][1]).splitlines()}
        for j, form in enumerate(own):
            if i == j or not form or whole[j] == whole[i]:
                continue
            if form in lines or (len(form) >= _LEAST and f" {form} " in quotation):
                found.append((i, j))
    return found


def _unmarks(text: str) -> str:
    return "\n".join(_bare(line) for line in text.splitlines())


def _unmarked(text: str) -> str:
    return compare_form(_unmarks(text))
