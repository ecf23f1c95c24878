"""Limits: quotas, caps, families of revisions, minimum, floor, what waits, and the budget, seat by seat.

The seating is walked through in its own order. At each seat the holder must have been allowed, and a seat that was
filled later (round 1 and up) must have found nobody whom the earlier rounds still allowed.
"""

from __future__ import annotations

from collections.abc import Iterator

from reparto.verification.record import Violation
from reparto.verification.view import View


def check(view: View) -> Iterator[Violation]:
    """Walk through the seating."""
    for place, id in enumerate(view.seated):
        round = int(view.fate[id]["evidence"].get("round", 0))
        broken = view.forbids(id, place, round)
        if broken:
            yield Violation("limits", f"seated in round {round} against the {broken}", (id,))
        for earlier in range(round):
            passed = [
                one
                for one in view.entries
                if one not in view.seated[:place] and one != id and not view.forbids(one, place, earlier)
            ]
            if passed:
                yield Violation(
                    "limits",
                    f"filled while others were still allowed without lifting ({earlier})",
                    (id, *sorted(passed)[:5]),
                )
                break
    budget = view.section("budget")
    if "tokens" in budget and sum(seat["tokens"] for seat in view.seats) > budget["tokens"]:
        yield Violation("limits", "over the budget", tuple(view.seated))
    yield from _check_tokens(view)
    if len(view.seats) < view.k:
        place = len(view.seated)
        left = [one for one in view.entries if one not in view.seated and not view.forbids(one, place, 3)]
        if left:
            yield Violation("limits", "seats stayed empty though these were allowed", tuple(sorted(left)[:5]))


def _check_tokens(view: View) -> Iterator[Violation]:
    """Each seat's tokens by the declared counter; a function cannot be called from a log."""
    counter = view.section("budget").get("counter", "estimate")
    if counter not in ("estimate", "characters", "words"):
        return
    for seat in view.seats:
        if seat["text"] is not None and seat["tokens"] != view.tokens(seat["id"]):
            yield Violation(
                "limits", f"{seat['tokens']} tokens, but the counter says {view.tokens(seat['id'])}", (seat["id"],)
            )
