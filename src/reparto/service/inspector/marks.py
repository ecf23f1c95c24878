"""What bound a seat: a quota, a reserve, a round of filling, as its decision records it."""

from __future__ import annotations

from dataclasses import dataclass

from reparto.model import Decision
from reparto.stages.constraints import Round


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a seat: `kind` is a key of the translations, `value` what it is about (a field), or empty."""

    kind: str
    value: str = ""


def marks_of(decision: Decision) -> tuple[Mark, ...]:
    """The marks of a seated candidate's decision; none for one that simply had the best value."""
    found = []
    round = Round(int(decision.evidence.get("round", 0)))
    if round is not Round.SHARE:
        found.append(Mark(f"mark.{round.name.lower()}"))
    kind, _, field = str(decision.evidence.get("bound") or "").partition(" ")
    if kind:
        found.append(Mark(f"mark.{kind}", field))
    return tuple(found)
