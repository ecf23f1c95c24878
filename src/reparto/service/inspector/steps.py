"""Where the selection changes along lambda, with quotas, reserves and budget in force.

`kernels.mmr_path` walks the path of an unconstrained MMR run. Here the whole seating loop is run at a lambda, and the
next lambda worth a run is computed: at each seat the values are lines in lambda (see `lines`), so the seat stays where
it is until the line of an entry that was allowed there crosses the line of the one that got it. Constraints and
reserves depend on who is seated, never on lambda itself, so between two such crossings nothing can change.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reparto.contract import Resolved
from reparto.contract.policy import Policy
from reparto.evaluation.curve import roundest
from reparto.intake import Request
from reparto.model import Candidate, Entry, Floats
from reparto.objectives import Ground, Objective
from reparto.pipeline import ground_of
from reparto.service.inspector.lines import AtLambda, Lines, lines_of, prefixes
from reparto.stages.constraints import constraints_of
from reparto.stages.reserves import reserves_of
from reparto.stages.seat import Place, seat

APART = 1e-9  # changes of the selection that are closer than this are one
EXACT_SIZE = 4_000  # entries times seats up to which every step is found
MOST_RUNS = 600
GRID = 20
Found = list[tuple[float, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Step:
    """One stretch of lambda, [low, high), the last one with 1, and the entries seated on it, in order."""

    low: float
    high: float
    picks: tuple[int, ...]
    last: bool = False

    @property
    def lam(self) -> float:
        """The number with the fewest decimals on the stretch."""
        return roundest(self.low, self.high, self.last)


@dataclass(frozen=True, slots=True)
class Steps:
    """All stretches from 0 to 1. `exact` is False where they were only looked for on a grid."""

    steps: tuple[Step, ...]
    exact: bool = True

    def index(self, lam: float) -> int:
        """The stretch that holds a lambda."""
        lows = [one.low for one in self.steps]
        return max(0, int(np.searchsorted(lows, lam, side="right")) - 1)


@dataclass(frozen=True, eq=False)
class Seated:
    """Entries that compete for seats, and the loop that seats them at any lambda."""

    policy: Policy
    entries: tuple[Entry, ...]
    valid: tuple[Candidate, ...]
    ground: Ground
    objective: Any
    floor: float

    @classmethod
    def of(cls, request: Request, resolved: Resolved, entries: tuple[Entry, ...]) -> Seated:
        """From a request and its entries in rank order (see `evaluation.path.entries_before_seating`)."""
        valid = {one.id: one for one in sorted(request.candidates, key=lambda one: one.id) if one.valid}
        policy, diversity = resolved.policy, resolved.diversity
        ground = ground_of(entries, policy, request)
        return cls(policy, entries, tuple(valid.values()), ground, diversity.objective, diversity.floor)

    @property
    def lam(self) -> float | None:
        """The lambda in force; None for an objective without one."""
        lam: float | None = getattr(self.objective, "lam", None)
        return lam

    def at(self, lam: float, lines: Lines | None = None) -> list[Place]:
        """Seats in the order of seating, read off `lines` where they are given."""
        own: Objective = dataclasses.replace(self.objective, lam=lam) if lines is None else AtLambda(lines, lam)
        constraints = constraints_of(self.policy, self.entries, self.ground.relevance, self.floor)
        reserves = reserves_of(self.policy.reserve, self.entries, self.valid, self.policy.k)
        return seat(self.entries, self.ground, own, constraints, reserves, self.policy.k).places

    def values_after(self, seats: Sequence[str]) -> dict[str, float]:
        """What each entry would be worth in a further seat, once these have theirs."""
        run = self.objective.start(self.ground)
        places = {one.id: i for i, one in enumerate(self.entries)}
        for id in seats:
            run.take(places[id])
        return dict(zip(places, run.gains().tolist(), strict=True))

    def crossings(self, lines: Lines, places: Sequence[Place]) -> Floats | None:
        """Lambdas in 0..1, ascending, at which a seat may go to another entry; None where values are no lines.

        O(k n) and what the objective's runs take.
        """
        constraints = constraints_of(self.policy, self.entries, self.ground.relevance, self.floor)
        free = np.ones(len(self.entries), dtype=bool)
        found = []
        for before, place in zip(prefixes([one.entry for one in places]), places, strict=True):
            i, mask, line = place.entry, free.copy(), lines.after(before)
            if not line.straight:
                return None
            for one in constraints:
                if one.lifted > place.round:
                    mask &= one.allowed()
            mask[i] = False
            with np.errstate(divide="ignore", invalid="ignore"):
                crossing = (line.start[i] - line.start) / (line.slope - line.slope[i])
            found.append(crossing[mask & (crossing > 0.0) & (crossing < 1.0 - 2 * APART)])
            free[i] = False
            for one in constraints:
                one.take(i)
        return np.unique(np.concatenate(found)) if found else np.zeros(0)


def find_steps(seated: Seated) -> Steps | None:
    """Every stretch of lambda with its selection; on large pools, or where values are no lines, from a grid.

    None for an objective without a lambda. Some hundred runs of the loop at most.
    """
    if seated.lam is None:
        return None
    lines = lines_of(seated.objective, seated.ground) if seated.entries else None
    small = len(seated.entries) * seated.policy.k <= EXACT_SIZE
    found = _walk(seated, lines) if lines is not None and small else None
    return Steps(_stretches(_on_grid(seated, lines)), exact=False) if found is None else Steps(_stretches(found))


def _walk(seated: Seated, lines: Lines) -> Found | None:
    found: Found = [(0.0, _picks(seated.at(0.0)))]
    start = 0.0
    for _ in range(MOST_RUNS):
        # Just behind a crossing two values may still round to one; half-way to the next they do not.
        places = seated.at(start + APART, lines)
        crossings = seated.crossings(lines, places)
        if crossings is None:
            return None
        if start > 0.0 and _picks(places) == found[-1][1]:
            later = crossings[crossings > start + 2 * APART]
            places = seated.at((start + float(later.min(initial=1.0))) / 2.0, lines)
            crossings = seated.crossings(lines, places)
            if crossings is None:
                return None
        _add(found, start if start > 0.0 else APART, _picks(places))
        later = crossings[crossings > start + APART]
        if not len(later):
            _add(found, 1.0, _picks(seated.at(1.0)))  # where a power of 0 becomes 1, or a tie is told apart otherwise
            return found
        start = float(later[0])
    return None


def _on_grid(seated: Seated, lines: Lines | None) -> Found:
    found: Found = []
    for lam in np.linspace(0.0, 1.0, GRID + 1).tolist():
        own = lines if 0.0 < lam < 1.0 else None  # at the ends a power of 0 may leave the line
        picks = _picks(seated.at(lam, own))
        if own is not None and not all(own.after(before).straight for before in prefixes(picks)):
            picks, lines = _picks(seated.at(lam)), None
        _add(found, lam, picks)
    return found


def _add(found: Found, start: float, picks: tuple[int, ...]) -> None:
    if not found or found[-1][1] != picks:
        found.append((start, picks))


def _picks(places: Sequence[Place]) -> tuple[int, ...]:
    return tuple(one.entry for one in places)


def _stretches(found: Found) -> tuple[Step, ...]:
    ends = [low for low, _ in found[1:]] + [1.0]
    last = len(found) - 1
    return tuple(
        Step(low, high, picks, i == last) for i, ((low, picks), high) in enumerate(zip(found, ends, strict=True))
    )
