"""Candidates without a seat of their own, by fate, each with the reason and the numbers behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reparto.model import Decision, Fate
from reparto.render.safe import one_line
from reparto.service.inspector.inspection import Inspection
from reparto.service.inspector.rows import Passage, passage
from reparto.service.inspector.words import Words

SHOWN = 100  # of one fate


@dataclass(frozen=True, slots=True)
class Loser:
    """One candidate, why it has no seat, and what was compared."""

    passage: Passage
    rank: int | None
    reason: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Fallen:
    """All candidates of one fate; `more` are not shown."""

    fate: str
    losers: tuple[Loser, ...]
    more: int

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.losers) + self.more


def losers(seen: Inspection, words: Words) -> list[Fallen]:
    """Groups in the order in which the pipeline loses candidates; within one by rank."""
    ranks = {one.id: rank for rank, one in enumerate(seen.ranking, 1)}
    known = {one.id: one for one in seen.given.request.candidates}
    values = seen.seated.values_after(seen.selection.ids) if seen.selection.seats else {}
    groups = []
    for fate in Fate:
        if fate is Fate.SEATED:
            continue
        own = [one for one in seen.selection.decisions if one.fate is fate]
        own.sort(key=lambda one: (ranks.get(one.id, len(ranks)), one.id))
        if own:
            shown = tuple(
                Loser(
                    passage(known[one.id]), ranks.get(one.id), _reason(seen, one, words, values), _evidence(one, words)
                )
                for one in own[:SHOWN]
            )
            groups.append(Fallen(str(fate), shown, len(own) - len(shown)))
    return groups


def _reason(seen: Inspection, one: Decision, words: Words, values: Mapping[str, float]) -> str:
    return REASONS[one.fate](seen, one, words, values)


def _under(seen: Inspection, one: Decision, words: Words, values: Mapping[str, float]) -> str:
    relation = f".{one.relation}" if one.relation and one.fate is Fate.COPY else ""
    by = one_line(str(one.by), 60)
    at = words("why.seat", seat=one.seat, by=by) if one.seat else words("why.no_seat", by=by)
    return words(f"why.{one.fate}{relation}", by=at)


def _outranked(seen: Inspection, one: Decision, words: Words, values: Mapping[str, float]) -> str:
    if one.by is not None:
        by = one_line(str(one.by), 60)
        return words("why.revision", by=words("why.seat", seat=one.seat, by=by) if one.seat else by)
    if seen.selection.report["empty_seats"]:
        return words("why.not_allowed")
    least = min((seat.value for seat in seen.selection.seats), default=0.0)
    if one.id not in values:
        return words("why.outranked")
    value = values[one.id]
    key = "why.outranked.value" if value <= least else "why.outranked.bound"
    return words(key, value=words.number(value, 3), least=words.number(least, 3))


def _over_budget(seen: Inspection, one: Decision, words: Words, values: Mapping[str, float]) -> str:
    return words("why.over_budget", tokens=one.evidence.get("tokens", "–"))


def _invalid(seen: Inspection, one: Decision, words: Words, values: Mapping[str, float]) -> str:
    return words("why.invalid")


REASONS: Mapping[Fate, Callable[[Inspection, Decision, Words, Mapping[str, float]], str]] = {
    Fate.COPY: _under,
    Fate.MERGED: _under,
    Fate.DEPTH: _under,
    Fate.OUTRANKED: _outranked,
    Fate.OVER_BUDGET: _over_budget,
    Fate.INVALID: _invalid,
}


def _evidence(one: Decision, words: Words) -> str:
    return " · ".join(
        f"{words.known(f'evidence.{name}', name)} {_shown(value, words)}" for name, value in one.evidence.items()
    )


def _shown(value: object, words: Words) -> str:
    """A number, a word, or the sides of a disagreement with a slash between them."""
    if isinstance(value, float):
        return words.number(value, 2)
    if isinstance(value, list | tuple):
        return one_line(" / ".join(_shown(part, words) for part in value), 80)
    return one_line(str(value), 60)
