"""The report's figures counted again from the seats and the decisions."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reparto.kernels.reference.shingles import MEASURE
from reparto.verification.record import Violation
from reparto.verification.similar import resemblance, shingle_set
from reparto.verification.view import View

REASONS = {None, "pool", "budget", "cap", "minimum"}


def check(view: View) -> Iterator[Violation]:
    """Candidates, seats, documents, sources, tokens, empty seats, and the duplicate rate that was delivered."""
    seats, report = view.seats, view.report
    counted = {
        "candidates": len(view.candidates),
        "seats": len(seats),
        "documents": _distinct([seat["document"] for seat in seats]),
        "sources": _distinct([seat["source"] for seat in seats]),
        "tokens": sum(seat["tokens"] for seat in seats),
        "empty_seats": view.k - len(seats),
        "revisions": sum(one["fate"] == "seated" and one["relation"] == "revision" for one in view.decisions),
    }
    for name, number in counted.items():
        if report[name] != number:
            yield Violation("report", f"{name} is reported as {report[name]}, counted as {number}")
    if report["empty_because"] not in REASONS or (report["empty_because"] is None) != (counted["empty_seats"] == 0):
        yield Violation(
            "report", f"empty_because is {report['empty_because']!r} with {counted['empty_seats']} empty seats"
        )
    if all(seat["text"] is not None for seat in seats):
        rate = _duplicate_rate(view)
        if not math.isclose(report["duplicate_rate_after"], rate, abs_tol=1e-9):
            yield Violation(
                "report", f"duplicate_rate_after is reported as {report['duplicate_rate_after']}, counted as {rate}"
            )


def _distinct(values: list[str | None]) -> int:
    return len({value for value in values if value is not None}) + values.count(None)


def _duplicate_rate(view: View) -> float:
    """Share of seats that resemble another one and are not of one family of revisions with it."""
    sets = {seat["id"]: shingle_set(seat["text"], MEASURE) for seat in view.seats}
    family = view.limits.families
    alike = [
        any(
            other != id and resemblance(mine, theirs) >= 0.6 and not (id in family and family[id] == family.get(other))
            for other, theirs in sets.items()
        )
        for id, mine in sets.items()
    ]
    return sum(alike) / len(alike) if alike else 0.0
