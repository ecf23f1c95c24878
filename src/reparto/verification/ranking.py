"""Relevance and order: the numbers follow from what was sent, and the seating follows from the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reparto.verification.record import Violation
from reparto.verification.scaling import inherited
from reparto.verification.similar import Similar
from reparto.verification.view import View

TOLERANCE = 1e-6  # similarities are on a grid of 2**-20
EXACT = 1e-9


def check_relevance(view: View) -> Iterator[Violation]:
    """Every seat ranks by the scaled score that it, or something it stands for, was sent with."""
    relevance = inherited(view)
    for seat in view.seats:
        want = relevance.get(seat["id"])
        if want is None or not math.isclose(seat["relevance"], want, abs_tol=EXACT):
            yield Violation("relevance", f"relevance {seat['relevance']}, but its scores give {want}", (seat["id"],))


def check_order(view: View) -> Iterator[Violation]:
    """Values follow from relevance and redundancy, each choice was the best, and the delivery is as declared."""
    yield from _check_delivery(view)
    diversity = view.section("diversity")
    name = diversity.get("objective", "relevance")
    if name not in ("relevance", "mmr"):  # other objectives' values cannot be had without the objective itself
        return
    sent = view.candidates.values()
    if any("signature" in one and not one.get("text") and not one.get("vectors") for one in sent):
        return  # compared by signatures, of which the log holds a digest
    weight = 1.0 if name == "relevance" else float(diversity.get("lambda", 0.7))
    relevance, similar = inherited(view), Similar(view)
    redundancy = dict.fromkeys(view.entries, 0.0)
    has_reserves = bool(view.policy.get("reserve"))
    for place, id in enumerate(view.seated):
        seat = next(one for one in view.seats if one["id"] == id)
        if not math.isclose(seat["redundancy"], redundancy[id], abs_tol=TOLERANCE):
            yield Violation(
                "order", f"redundancy {seat['redundancy']}, but its similarities give {redundancy[id]}", (id,)
            )
        value = weight * relevance[id] - (1.0 - weight) * (redundancy[id] if name == "mmr" else 0.0)
        if not math.isclose(seat["value"], value, abs_tol=TOLERANCE):
            yield Violation("order", f"value {seat['value']}, but relevance and redundancy give {value}", (id,))
        later = [
            other for other in view.entries
            if other not in view.seated[: place + 1] and not has_reserves and view.may_take(other, place)
        ]  # fmt: skip
        for other in later:
            rival = weight * relevance[other] - (1.0 - weight) * (redundancy[other] if name == "mmr" else 0.0)
            if place == 0 and name == "mmr":
                rival, value = relevance[other], relevance[id]
            if rival > value + 2 * TOLERANCE:
                yield Violation(
                    "order",
                    f"{other!r} had the better value ({rival:.6f} over {value:.6f}) and was allowed",
                    (id, other),
                )
                break
        for other in view.entries:
            near = similar.between(id, other)
            redundancy[other] = near if place == 0 else max(redundancy[other], near)


def _check_delivery(view: View) -> Iterator[Violation]:
    delivered = [seat["id"] for seat in view.seats]
    ranked = sorted(delivered, key=lambda one: (-view.fate[one]["evidence"]["relevance"], one))
    wanted = {
        "selection": view.seated,
        "score": ranked,
        "edges": ranked[0::2] + ranked[1::2][::-1],
    }[view.policy.get("order", "selection")]
    if delivered != wanted:
        yield Violation("order", "seats are not delivered in the declared order", tuple(delivered))
