"""From the seating to the selection: seats with what they stand for, final decisions, the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reparto.because import because
from reparto.contract import Contract, Resolved
from reparto.intake import Request
from reparto.model import Candidate, Decision, Entry, Fate, Notice
from reparto.multiplicity import copies_of
from reparto.report import build_report
from reparto.selection import Seat, Selection
from reparto.stages.order import ORDERS
from reparto.stages.reserves import Reserves
from reparto.stages.seat import Place, Seating


def build_selection(
    *,
    request: Request,
    resolved: Resolved,
    contract: Contract,
    query_class: str,
    class_from: str,
    candidates: Sequence[Candidate],
    entries: Sequence[Entry],
    seating: Seating,
    reserves: Reserves,
    decisions: Sequence[Decision],
    notices: Sequence[Notice],
) -> Selection:
    """Number the seats as delivered, give every candidate its one decision, and draw up the report."""
    policy = resolved.policy
    places = ORDERS[policy.order](seating.places, entries)
    held = {one.id: entries[place.entry].id for place in places for one in entries[place.entry].all_candidates()}
    seats = tuple(_seat(number, place, entries[place.entry], held) for number, place in enumerate(places, 1))
    final = _decisions(places, entries, seating, decisions)
    report, found = build_report(
        policy=policy, candidates=candidates, entries=entries, seats=seats, decisions=final,
        empty_because=seating.empty_because, reserves=reserves,
    )  # fmt: skip
    return Selection(
        query=request.query,
        query_class=query_class,
        class_from=class_from,
        contract={"version": contract.version, "digest": contract.digest},
        seats=seats,
        decisions=final,
        report=report,
        warnings=(*notices, *found),
        policy=resolved.layers,
    )


def _seat(number: int, place: Place, entry: Entry, held: Mapping[str, str]) -> Seat:
    one = entry.candidate
    elsewhere = {id for copy in entry.all_candidates() for id in copy.copies.ids if held.get(id, one.id) != one.id}
    return Seat(
        seat=number,
        id=one.id,
        text=entry.text,
        score=one.score,
        relevance=entry.relevance,
        redundancy=place.redundancy,
        value=place.value,
        document=one.document,
        source=one.source,
        published=one.published,
        tokens=entry.tokens,
        span=entry.span,
        copies=copies_of(entry, elsewhere),
        depth=entry.depth,
        filled=place.round > 0,
        because=because(place, entry),
        metadata=one.metadata,
        title=one.title,
        url=one.url,
        language=one.language,
    )


def _decisions(
    places: Sequence[Place], entries: Sequence[Entry], seating: Seating, left: Sequence[Decision]
) -> tuple[Decision, ...]:
    """One decision for every candidate, in order of id."""
    seat_of = {entries[place.entry].id: number for number, place in enumerate(places, 1)}
    at = {entries[place.entry].id: (order, place) for order, place in enumerate(seating.places, 1)}
    found: dict[str, Decision] = {}
    for i, entry in enumerate(entries):
        if entry.id in seat_of:
            found[entry.id] = _seated(entry, *at[entry.id], seat_of[entry.id])
        elif entry.fallback is not None:  # what waits under another has that fate, would it fit or not
            found[entry.id] = entry.fallback
        elif i in seating.over_budget:
            found[entry.id] = Decision(entry.id, Fate.OVER_BUDGET, evidence={"tokens": entry.tokens})
        else:
            found[entry.id] = _outranked(entry)
    by = {one.id: one.by for one in left if one.by is not None}
    for one in left:
        root = one.by
        while root is not None and root not in found and root in by:
            root = by[root]
        found[one.id] = replace(one, seat=seat_of.get(root) if root is not None else None)
    for id, one in found.items():
        if one.fate in (Fate.DEPTH, Fate.OUTRANKED) and one.by is not None and one.seat is None:
            found[id] = replace(one, seat=seat_of.get(one.by))
    return tuple(found[id] for id in sorted(found))


def _seated(entry: Entry, order: int, place: Place, seat: int) -> Decision:
    """`place` is the order of seating, which the order of delivery may change; `round` that of filling."""
    evidence: dict[str, Any] = {
        "relevance": entry.relevance, "redundancy": place.redundancy, "value": place.value,
        "place": order, "round": int(place.round),
    }  # fmt: skip
    if place.bound is not None:
        evidence["bound"] = place.bound
    if entry.revision is not None:
        return Decision(
            entry.id, Fate.SEATED, by=entry.revision.by, relation=entry.revision.relation,
            evidence={**entry.revision.evidence, **evidence}, seat=seat,
        )  # fmt: skip
    return Decision(entry.id, Fate.SEATED, evidence=evidence, seat=seat)


def _outranked(entry: Entry) -> Decision:
    if entry.revision is not None:
        evidence = {**entry.revision.evidence, "relevance": entry.relevance}
        return Decision(
            entry.id, Fate.OUTRANKED, by=entry.revision.by, relation=entry.revision.relation, evidence=evidence
        )
    evidence = (
        {"relevance": entry.relevance} if entry.span is None else {"relevance": entry.relevance, "tokens": entry.tokens}
    )
    return Decision(entry.id, Fate.OUTRANKED, evidence=evidence)
