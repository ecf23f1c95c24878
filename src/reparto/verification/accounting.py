"""Accounting: every id has one fate, every seat is somebody's, nobody sits twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from reparto.model import Fate, Relation
from reparto.verification.record import Violation
from reparto.verification.view import View

FATES = {str(fate) for fate in Fate}
RELATIONS = {str(relation) for relation in Relation}
NEEDS_BY = {"copy", "merged", "depth"}


def check(view: View) -> Iterator[Violation]:
    """One decision for each candidate, of a known kind, pointing at somebody who exists."""
    counts = Counter(one["id"] for one in view.decisions)
    twice = sorted(id for id, count in counts.items() if count > 1)
    if twice:
        yield Violation("accounting", "more than one decision", tuple(twice))
    odd = sorted(set(counts) ^ set(view.candidates))
    if odd:
        yield Violation("accounting", "decisions and candidates are not the same ids", tuple(odd))
    for one in view.decisions:
        id, fate, by = one["id"], one["fate"], one.get("by")
        if fate not in FATES:
            yield Violation("accounting", f"unknown fate {fate!r}", (id,))
        if one.get("relation") not in {None, *RELATIONS}:
            yield Violation("accounting", f"unknown relation {one['relation']!r}", (id,))
        if fate == "copy" and one.get("relation") in {None, "revision"}:
            yield Violation("accounting", "a copy without a relation of copies", (id,))
        if by is not None and fate not in NEEDS_BY and one.get("relation") != "revision":
            yield Violation("accounting", f"{fate} by somebody, but no revision of it", (id,))
        if by is None and fate in NEEDS_BY:
            yield Violation("accounting", f"{fate}, but by nobody", (id,))
        if by is not None and (by not in view.fate or by == id):
            yield Violation("accounting", f"by {by!r}, who is no other candidate", (id,))
        if (fate == "invalid") != (not view.candidates.get(id, {}).get("valid", False)):
            yield Violation("accounting", "invalid in the decisions or in the request, but not in both", (id,))
        seat = _seat_of(view, id)
        if one.get("seat") != seat:
            yield Violation("accounting", f"its decision names seat {one.get('seat')}, it belongs to {seat}", (id,))
    chained = [id for id in view.candidates if view.fate.get(view.leader(id), {}).get("fate") in {"copy", "merged"}]
    if chained:
        yield Violation("accounting", "copies of one another in a circle", tuple(sorted(chained)))


def _seat_of(view: View, id: str) -> int | None:
    numbers = {seat["id"]: seat["seat"] for seat in view.seats}
    leader = view.leader(id)
    found: int | None = numbers.get(leader)
    if found is None and view.fate[leader]["fate"] in {"depth", "outranked"} and leader == id:
        found = numbers.get(view.fate[leader].get("by"))
    return found


def check_seats(view: View) -> Iterator[Violation]:
    """Seats are numbered, held by who was seated, and say what was sent."""
    if [seat["seat"] for seat in view.seats] != list(range(1, len(view.seats) + 1)):
        yield Violation("seats", "seats are not numbered 1, 2, 3, …")
    holders = sorted(seat["id"] for seat in view.seats)
    if holders != sorted(id for id, one in view.fate.items() if one["fate"] == "seated"):
        yield Violation("seats", "those who hold seats are not those who were seated", tuple(holders))
    if len(view.seats) > view.k:
        yield Violation("seats", f"{len(view.seats)} seats, but k is {view.k}")
    places = [view.fate[id]["evidence"].get("place") for id in view.seated]
    if places != list(range(1, len(places) + 1)):
        yield Violation("seats", "the order of seating is not 1, 2, 3, …", tuple(view.seated))
    taken: dict[str, str] = {}
    for seat in view.seats:
        yield from _check_seat(view, seat)
        for id in seat["copies"]["ids"]:
            if taken.setdefault(id, seat["id"]) != seat["id"]:
                yield Violation("seats", "one id in two seats", (id,))


def _check_seat(view: View, seat: Mapping[str, Any]) -> Iterator[Violation]:
    id, sent = seat["id"], view.candidates.get(seat["id"])
    if sent is None:
        return
    for name in ("score", "document", "source", "published", "title", "url", "language"):
        if seat.get(name) != sent.get(name):
            yield Violation("seats", f"its {name} is not the one sent", (id,))
    if dict(seat.get("metadata") or {}) != dict(sent.get("metadata") or {}):
        yield Violation("seats", "its metadata is not what was sent", (id,))
    span, text = seat.get("span"), seat.get("text")
    if span is None:
        if text is not None and text != sent.get("text", ""):
            yield Violation("seats", "its text is not the one sent", (id,))
    else:
        yield from _check_span(view, seat, span, text)
    for below in seat["depth"]:
        one = view.fate.get(below, {})
        if one.get("fate") not in {"depth", "seated", "over_budget"} or (one["fate"] == "depth" and one["by"] != id):
            yield Violation("seats", "names as its depth what is not", (id, below))
    lost = [
        one["id"]
        for one in view.decisions
        if one["fate"] == "depth" and one["by"] == id and one["id"] not in seat["depth"]
    ]
    if lost:
        yield Violation("seats", "does not name its depth", (id, *sorted(lost)))
    ids = {copy for copy in view.standing_for.get(id, ()) if view.fate[copy]["fate"] != "merged"}
    brought = {
        one for copy in view.standing_for.get(id, ()) for one in view.candidates[copy].get("copies", {}).get("ids", ())
    }
    if not ids <= set(seat["copies"]["ids"]) or not set(seat["copies"]["ids"]) <= ids | brought:
        yield Violation("seats", "its copies are not those whose decisions name it", (id,))
    if seat["copies"]["count"] < len(seat["copies"]["ids"]):
        yield Violation("seats", "it counts fewer copies than it names", (id,))
    if bool(seat["filled"]) != (view.fate[id]["evidence"].get("round", 0) > 0):
        yield Violation("seats", "`filled` is not what its round says", (id,))
    for number in ("relevance", "redundancy", "value"):
        if seat[number] != view.fate[id]["evidence"].get(number):
            yield Violation("seats", f"its {number} is not that of its decision", (id,))


def _check_span(view: View, seat: Mapping[str, Any], span: Mapping[str, Any], text: str | None) -> Iterator[Violation]:
    members = [view.candidates[one] for one in span["members"]]
    merged = {
        one
        for one in view.standing_for[seat["id"]]
        if view.fate[one]["fate"] == "merged" and view.fate[one]["by"] == seat["id"]
    }
    if merged | {seat["id"]} != set(span["members"]):
        yield Violation("seats", "its span is not made of those merged into it", (seat["id"],))
    if any(one.get("document") != span["document"] for one in members):
        yield Violation("seats", "its span joins several documents", (seat["id"],))
    if (span["start"], span["end"]) != (min(one["start"] for one in members), max(one["end"] for one in members)):
        yield Violation("seats", "its span does not reach from its first member to its last", (seat["id"],))
    solid = "".join((text or "").split())
    if text is not None and any("".join(one["text"].split()) not in solid for one in members):
        yield Violation("seats", "its span lacks the text of a member", (seat["id"],))
