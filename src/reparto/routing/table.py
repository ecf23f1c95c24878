"""The rule table: reading it, and finding the first rule that matches a query."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

UNKNOWN: Final = "unknown"

# A query is decided by its first words; a bound keeps the cost of a pasted page at that of a long question.
_LONGEST: Final = 400

_APOSTROPHES = re.compile(r"(?<=\w)['’`´](?=\w)")
_NOT_SHOWN = re.compile(r"[^\w?.:/+-]+")
_TRAILING = re.compile(r"[\s.:/+-]*([?]?)[\s?.:/+-]*$")
_NAME = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the table: any of its patterns found in the folded query makes it of this class."""

    name: str
    query_class: str | None
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rules in order of priority. Calling it routes a query."""

    rules: tuple[Rule, ...]
    opening: re.Pattern[str]

    @classmethod
    def parse(cls, text: str) -> Table:
        """Read a table in TOML: `opening` phrases, `[words]`, `[[rule]]` with `name`, `class`, `match`.

        Raises `ValueError` for a rule that lacks one of them, names an unknown list, or has a pattern that is
        no regular expression.
        """
        source = tomllib.loads(text)
        words = {name: _alternatives(value.split()) for name, value in source.get("words", {}).items()}
        opening = re.compile(rf"^(?:{'|'.join(source.get('opening', ())) or '(?!)'})+")
        return cls(tuple(_rule(raw, words) for raw in source.get("rule", ())), opening)

    def __call__(self, query: str) -> str | None:
        """Name the class of the first rule that matches; None when none does or it says `unknown`."""
        rule = self.match(query)
        return rule.query_class if rule else None

    def match(self, query: str) -> Rule | None:
        """Find the first rule that matches. At most a few dozen scans of the first 400 characters."""
        folded = self.opening.sub("", fold(query))
        return next((rule for rule in self.rules if rule.pattern.search(folded)), None)


def fold(query: str) -> str:
    """Make what the patterns see: lower case without accents and apostrophes, one blank between words."""
    plain = unicodedata.normalize("NFKD", query[:_LONGEST].casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = _NOT_SHOWN.sub(" ", _APOSTROPHES.sub("", plain)).strip()
    return _TRAILING.sub(lambda end: f" {end[1]}" if end[1] else "", plain)


def _rule(raw: Mapping[str, Any], words: Mapping[str, str]) -> Rule:
    missing = {"name", "class", "match"} - set(raw)
    if missing:
        raise ValueError(f"rule {raw.get('name', '?')!r} lacks {', '.join(sorted(missing))}")
    try:
        pattern = re.compile(
            "|".join(rf"\b(?:{_NAME.sub(lambda n: words[n[1]], one)})(?:(?<=\s)|(?!\w))" for one in raw["match"])
        )
    except (re.error, KeyError) as error:
        raise ValueError(f"rule {raw['name']!r}: {error}") from error
    return Rule(raw["name"], None if raw["class"] == UNKNOWN else raw["class"], pattern)


def _alternatives(words: Sequence[str]) -> str:
    return rf"(?:\b(?:{'|'.join(words)})\b)"
