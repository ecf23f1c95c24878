"""What bound a seat, read back from its sentence: that sentence is the only place of a selection that says it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reparto.because import FILLED

_BOUND = re.compile(r"^The best value that the (?P<name>.+?) allows \(")
_ROUNDS = {sentence[:1].upper() + sentence[1:]: round.name.lower() for round, sentence in FILLED.items()}


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a seat: `kind` is a key of the translations, `value` what it is about (a field), or empty."""

    kind: str
    value: str = ""


def marks_of(because: str) -> tuple[Mark, ...]:
    """The marks of a sentence made by `reparto.because`; none for a seat that simply had the best value."""
    for sentence, round in _ROUNDS.items():
        if because.startswith(sentence):
            return (Mark(f"mark.{round}"),)
    bound = _BOUND.match(because)
    if bound is None:
        return ()
    kind, _, field = bound["name"].partition(" ")
    return (Mark(f"mark.{kind}", field),)
