"""Why a candidate got, lost or shared its seat, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from reparto.model import Decision, Fate

if TYPE_CHECKING:
    from reparto.selection import Selection


def explain(selection: Selection, id: str) -> str:
    """A few lines of text on one candidate; an unknown id raises `RequestError`."""
    decision = selection.decision(id)
    lines = [f"{id}: {decision.fate}", f"  {WHY[decision.fate](selection, decision)}"]
    if decision.relation is not None and decision.by is not None:
        lines.append(f"  relation: {decision.relation} of {decision.by}")
    if decision.evidence:
        lines.append("  evidence: " + ", ".join(f"{name} {_shown(value)}" for name, value in decision.evidence.items()))
    lines += [f"  warning: {one.message}" for one in selection.warnings if id in one.ids]
    return "\n".join(lines)


def _seated(selection: Selection, decision: Decision) -> str:
    seat = selection.seats[(decision.seat or 1) - 1]
    return f"seat {seat.seat}. {seat.because}"


def _under(what: str) -> Callable[[Selection, Decision], str]:
    def say(selection: Selection, decision: Decision) -> str:
        where = f"which has seat {decision.seat}" if decision.seat else "which has no seat itself"
        return f"{what} {decision.by}, {where}."

    return say


def _outranked(selection: Selection, decision: Decision) -> str:
    if decision.by is not None:
        return _under("a revision, it gave way to")(selection, decision)
    if len(selection.seats) < selection.report["seats"] + selection.report["empty_seats"]:
        return f"seats stayed empty ({selection.report['empty_because']}), but it was not allowed one."
    least = min((seat.value for seat in selection.seats), default=0.0)
    return f"all seats went to entries that added more; the least value that got one was {least:.3f}."


WHY: Mapping[Fate, Callable[[Selection, Decision], str]] = {
    Fate.SEATED: _seated,
    Fate.COPY: _under("a copy, counted by"),
    Fate.MERGED: _under("merged into the span of"),
    Fate.DEPTH: _under("kept as depth under the canonical"),
    Fate.OUTRANKED: _outranked,
    Fate.OVER_BUDGET: lambda selection, decision: (
        f"its {decision.evidence.get('tokens')} tokens did not fit into what was left of the budget."
    ),
    Fate.INVALID: lambda selection, decision: "it could not be ranked; the warning says why.",
}


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
