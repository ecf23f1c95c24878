"""Words that decide whether two near-identical sentences say the same, read from `words.txt`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """`classes` maps a word to its (class, value) pairs, `numbers` to what it counts, `magnitudes` to its zeros."""

    classes: dict[str, tuple[tuple[str, str], ...]]
    numbers: dict[str, int]
    magnitudes: dict[str, int]
    negations: frozenset[str]
    idle: dict[str, str]

    def unit(self, word: str) -> str | None:
        """The unit that a word names, if it does."""
        return next((value for name, value in self.classes.get(word, ()) if name == "unit"), None)


@cache
def lexicon() -> Lexicon:
    """Read the word list, once."""
    classes: dict[str, tuple[tuple[str, str], ...]] = {}
    numbers: dict[str, int] = {}
    magnitudes: dict[str, int] = {}
    negations: set[str] = set()
    idle: dict[str, str] = {}
    for line in files(__package__).joinpath("words.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        head, words = line.split(": ")
        kind, value = head.split(" ")
        for word in words.split(" "):
            if kind == "number":
                numbers[word] = int(value)
            elif kind == "magnitude":
                magnitudes[word] = int(value)
            elif kind == "negation":
                negations.add(word)
            elif kind == "idle":
                idle.setdefault(word, value)
            else:
                classes[word] = (*classes.get(word, ()), (kind, value))
    return Lexicon(classes, numbers, magnitudes, frozenset(negations), idle)
