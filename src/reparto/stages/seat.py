"""Seating: one greedy loop. The objective says what is gained, the constraints what is allowed.

"Fill later" is the same loop again with more allowed: first without the soft quotas, then with what was waiting, then
below the floor. So a quota can never become a hard filter, and each seat's numbers fall out as the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from reparto.kernels.covering import Prepared, seat_coverage
from reparto.model import Entry
from reparto.objectives import Ground, Objective
from reparto.stages.constraints import Budget, Constraint, Fixed, Mask, Round
from reparto.stages.reserves import Reserves

# Gains that differ by less are one value: rounding in the last bits must not order a tie.
DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Place:
    """One seat as the loop gave it: the entry's index, its numbers at that moment, and what bound the choice."""

    entry: int
    redundancy: float
    value: float
    round: Round
    bound: str | None = None


@dataclass(slots=True)
class Seating:
    """The outcome: places in the order of seating, entries passed over for the budget, why seats stayed empty."""

    places: list[Place] = field(default_factory=list)
    over_budget: set[int] = field(default_factory=set)
    empty_because: str | None = None


def seat(
    entries: Sequence[Entry],
    ground: Ground,
    objective: Objective,
    constraints: Sequence[Constraint],
    reserves: Reserves,
    k: int,
) -> Seating:
    """Give up to k seats. Ties go by value, relevance, id (entries come in rank order).

    O(k) steps of the objective's own cost, plus O(n) a step for the masks. Where a run hands over what a kernel needs
    to carry on by itself (`prepared`), that does, and gives the same seats.
    """
    n = len(entries)
    run = objective.start(ground)
    prepared: Prepared | None = run.prepared() if hasattr(run, "prepared") else None
    if prepared is not None and (done := _by_kernel(prepared, constraints, reserves, k)) is not None:
        return done
    outcome = Seating()
    free = np.ones(n, dtype=bool)
    for round in (Round.SHARE, Round.REFILL, Round.WAITING, Round.FLOOR):
        holding = [one for one in constraints if one.lifted > round]
        if round is not Round.SHARE and not any(one.lifted == round for one in constraints):
            continue  # nothing was lifted since the last round
        paid = [one for one in holding if isinstance(one, Budget)]
        others = [one for one in holding if not isinstance(one, Budget)]
        reserves.aim(_all_of(holding, free), holding, len(outcome.places))
        while len(outcome.places) < k:
            unpaid = _all_of(others, free)
            allowed = _all_of(paid, unpaid)
            if not allowed.any():
                _note_over_budget(unpaid & ~allowed, outcome)
                break
            gains = np.round(run.gains(), DECIMALS)
            i, bound = _pick(gains, allowed, len(outcome.places), reserves, holding)
            if paid:
                _note_over_budget(_better(unpaid & ~allowed, gains, i), outcome)
            if bound is None:
                bound = _binding(gains, i, free, constraints, round)
            outcome.places.append(Place(i, float(run.redundancy()[i]), float(gains[i]), round, bound))
            free[i] = False
            for one in constraints:
                one.take(i)
            reserves.take(i, len(outcome.places) - 1)
            if len(outcome.places) < k:
                run.take(i)
    if len(outcome.places) < k:
        outcome.empty_because = _why_empty(free, constraints)
    return outcome


def _by_kernel(prepared: Prepared, constraints: Sequence[Constraint], reserves: Reserves, k: int) -> Seating | None:
    """The same loop by a kernel; None where there is none."""
    asked = [one.asked() for one in reserves.reserves]
    most = min(k, len(prepared.worth) + 1)  # one more than there are entries, so that it is told that seats stay empty
    found = seat_coverage(prepared, [one.rule() for one in constraints], asked, most)
    if found is None:
        return None
    names = ["reserve", None, *(one.name for one in constraints)]
    places = [
        Place(entry, redundancy, value, Round(round), names[bound + 2])
        for entry, redundancy, value, round, bound in found.places
    ]
    for reserve, got in zip(reserves.reserves, found.got, strict=True):
        reserve.got = got
    empty = None if found.empty is None else "pool" if found.empty < 0 else _kept_out(constraints[found.empty])
    return Seating(places, set(found.over_budget), empty)


def _all_of(constraints: Sequence[Constraint], free: Mask) -> Mask:
    mask = free.copy()
    for one in constraints:
        mask &= one.allowed()
    return mask


def _pick(
    gains: np.ndarray, allowed: Mask, place: int, reserves: Reserves, constraints: Sequence[Constraint]
) -> tuple[int, str | None]:
    """The best allowed entry after which every reserve can still be met."""
    if not reserves.binding(place):
        return _best(gains, allowed), None
    tried = allowed.copy()
    passed = False
    while tried.any():
        i = _best(gains, tried)
        if reserves.allow(i, place, allowed, constraints):
            return i, "reserve" if passed else None
        tried[i] = False
        passed = True
    needed = reserves.next_needed(place, allowed, constraints)
    return (_best(gains, allowed), None) if needed is None else (needed, "reserve")


def _best(gains: np.ndarray, allowed: Mask) -> int:
    return int(np.where(allowed, gains, -np.inf).argmax())


def _better(mask: Mask, gains: np.ndarray, i: int) -> Mask:
    """Entries of the mask that come before entry i by value, then rank."""
    before: Mask = mask & ((gains > gains[i]) | ((gains == gains[i]) & (np.arange(len(gains)) < i)))
    return before


def _note_over_budget(mask: Mask, outcome: Seating) -> None:
    outcome.over_budget.update(np.flatnonzero(mask).tolist())


def _binding(gains: np.ndarray, i: int, free: Mask, constraints: Sequence[Constraint], round: Round) -> str | None:
    """The first constraint that kept a better entry from this seat."""
    better = _better(free, gains, i)
    if not better.any():
        return None
    return next((one.name for one in constraints if one.lifted > round and (better & ~one.allowed()).any()), None)


def _why_empty(free: Mask, constraints: Sequence[Constraint]) -> str:
    """`pool` when nothing is left; else what kept the best of the rest out."""
    for i in np.flatnonzero(free):
        for one in constraints:
            if one.lifted is Round.NEVER and not one.allowed()[i]:
                return _kept_out(one)
    return "pool"


def _kept_out(constraint: Constraint) -> str:
    """What a constraint that is never lifted is called where it leaves seats empty."""
    if isinstance(constraint, Budget):
        return "budget"
    return "minimum" if isinstance(constraint, Fixed) else "cap"
