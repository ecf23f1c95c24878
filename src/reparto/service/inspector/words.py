"""The page's languages: a table of words, the choice of a language, numbers and dates as it writes them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LANGUAGES = {"en": "English", "es": "Español"}
DEFAULT = "en"


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language, called with a key of `words.toml`."""

    language: str

    def __call__(self, key: str, **values: object) -> str:
        """The text under a key, with its placeholders filled; a key without an entry raises `KeyError`."""
        text = table()[key][self.language]
        return text.format(**values) if values else text

    def known(self, key: str, otherwise: str) -> str:
        """The text under a key, or `otherwise` where the table has none (names that contracts invent)."""
        return self(key) if key in table() else otherwise

    def mark(self, kind: str, value: str) -> str:
        """The text of a mark; one that a newer constraint invented is shown under its own name."""
        if kind not in table():
            return f"{kind.removeprefix('mark.')} {value}".strip()
        return self(kind, value=self.known(f"field.{value}", value))

    def count(self, key: str, number: int, **values: object) -> str:
        """The text for a number of things: `KEY.one` or `KEY.many`, with `number` filled in."""
        return self(f"{key}.{'one' if number == 1 else 'many'}", number=self.number(number), **values)

    def number(self, value: float | None, decimals: int = 0) -> str:
        """A number in this language's writing, with a true minus sign; a dash for none."""
        if value is None:
            return "–"
        text = f"{value:,.{decimals}f}".replace("-", "−")
        if text.strip("−0.,") == "":
            text = text.lstrip("−")
        return text.translate(str.maketrans(",.", "\u202f,")) if self.language == "es" else text

    def share(self, value: float | None) -> str:
        """A share as whole percent; a dash for none."""
        if value is None:
            return "–"
        return f"{self.number(100 * value)}\u202f%" if self.language == "es" else f"{self.number(100 * value)}%"

    def lam(self, value: float) -> str:
        """A lambda with as many decimals as it has, at most four."""
        decimals = next(places for places in (2, 3, 4) if places == 4 or round(value, places) == value)
        return self.number(value, decimals)


@cache
def table() -> Mapping[str, Mapping[str, str]]:
    """Key to language to text, from `words.toml`."""
    raw = files("reparto.service.inspector").joinpath("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(raw)


def choose(asked: str | None, cookie: str | None, accept: str) -> Words:
    """The language: the one just asked for, the one kept, the best of Accept-Language, English."""
    for one in (asked, cookie):
        if one in LANGUAGES:
            return Words(str(one))
    return Words(_accepted(accept))


def _accepted(header: str) -> str:
    """The language of ours that an Accept-Language header likes best; the first of equals. RFC 9110, 12.5.4."""
    best, found = 0.0, DEFAULT
    for part in header[:1000].split(","):
        tag, *parameters = part.split(";")
        name = tag.strip().lower().partition("-")[0]
        quality = 1.0
        for one in parameters:
            key, _, value = one.partition("=")
            if key.strip() == "q":
                try:
                    quality = float(value)
                except ValueError:
                    quality = 0.0
        if name in LANGUAGES and best < quality <= 1.0:
            best, found = quality, name
    return found
