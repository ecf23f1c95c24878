"""What two texts count and date, wherever it stands: the guard for pairs in which there is nothing to align."""

from __future__ import annotations

from collections.abc import Sequence

from reparto.kernels.reference.form import cased_form
from reparto.kernels.reference.lexicon import Lexicon, lexicon
from reparto.kernels.reference.wording import FIGURE, IDENTIFIER, Token, tokens


def figures_agree(a: str, b: str) -> bool:
    """Whether two texts that only vectors brought together (a paraphrase, a translation) can state the same.

    False when each has a figure, identifier, month or weekday that the other lacks. O(characters).
    """
    mine, yours = figures_apart(a, b)
    return not (mine and yours)


def figures_apart(a: str, b: str) -> tuple[list[str], list[str]]:
    """The figures, identifiers, months and weekdays, as written, that only the first and only the second text has."""
    words = lexicon()
    mine, yours = (_stated(one, words) for one in tokens([cased_form(a), cased_form(b)]))
    return [mine[key] for key in mine if key not in yours], [yours[key] for key in yours if key not in mine]


def _stated(some: Sequence[Token], words: Lexicon) -> dict[str, str]:
    """What is compared -> what was first written for it."""
    found: dict[str, str] = {}
    for one in some:
        if one.kind in (FIGURE, IDENTIFIER):
            found.setdefault(one.key, one.surface)
        for name, value in words.classes.get(one.key, ()):
            if name in ("month", "day") and (one.capital or name == "day"):
                found.setdefault(f"{name}:{value}", one.surface)
    return found
