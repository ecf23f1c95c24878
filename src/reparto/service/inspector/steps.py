"""Where the selection changes along lambda, with quotas, reserves and budget in force.

`kernels.mmr_path` walks the path of an unconstrained run. Here the whole seating loop is run at a lambda, and the next
lambda worth a run is computed: at each seat the values are lines in lambda, so the seat stays where it is until the
line of an entry that was allowed there crosses the line of the one that got it. Constraints and reserves depend on who
is seated, never on lambda itself, so between two such crossings nothing can change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reparto.contract.policy import Policy
from reparto.evaluation.path import roundest
from reparto.intake import Request
from reparto.model import Candidate, Entry, Floats
from reparto.objectives import Ground
from reparto.objectives.mmr import MMR
from reparto.similarity import Similarity, similarity_of
from reparto.stages.constraints import constraints_of
from reparto.stages.reserves import reserves_of
from reparto.stages.seat import Place, seat

APART = 1e-9  # changes of the selection that are closer than this are one
EXACT_SIZE = 16_000  # entries times seats up to which every step is found
MOST_RUNS = 600
GRID = 20


@dataclass(frozen=True, slots=True)
class Step:
    """One stretch of lambda, [low, high), the last one up to 1 inclusive, and the entries seated on it, in order."""

    low: float
    high: float
    picks: tuple[int, ...]

    @property
    def lam(self) -> float:
        """The number with the fewest decimals on the stretch."""
        return roundest(self.low, self.high, self.high >= 1.0)


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

    request: Request
    policy: Policy
    entries: tuple[Entry, ...]
    valid: tuple[Candidate, ...]
    relevance: Floats
    similarity: Similarity
    floor: float

    @classmethod
    def of(cls, request: Request, policy: Policy, entries: tuple[Entry, ...]) -> Seated:
        """From a request and its entries in rank order (see `evaluation.path.entries_before_seating`)."""
        valid = {one.id: one for one in sorted(request.candidates, key=lambda one: one.id) if one.valid}
        relevance = np.array([one.relevance for one in entries], dtype=np.float64)
        floor = float((policy.diversity or {}).get("floor", 0.0))
        return cls(request, policy, entries, tuple(valid.values()), relevance, similarity_of(entries), floor)

    def at(self, lam: float) -> list[Place]:
        """Seats in the order of seating."""
        ground = Ground(
            [one.id for one in self.entries], [one.text for one in self.entries], self.relevance, self.similarity,
            self.request.query, self.request.aspects, self.policy.k,
        )  # fmt: skip
        constraints = constraints_of(self.policy, self.entries, self.relevance, self.floor)
        reserves = reserves_of(self.policy.reserve, self.entries, self.valid, self.policy.k)
        return seat(self.entries, ground, MMR(lam), constraints, reserves, self.policy.k).places

    def next_change(self, lam: float, places: Sequence[Place]) -> float:
        """The least lambda above `lam` at which a seat may go to another entry; infinite when there is none.

        O(k n).
        """
        constraints = constraints_of(self.policy, self.entries, self.relevance, self.floor)
        free = np.ones(len(self.entries), dtype=bool)
        redundancy: Floats = np.zeros(len(self.entries))
        change = np.inf
        for number, place in enumerate(places):
            i, mask = place.entry, free.copy()
            for one in constraints:
                if one.lifted > place.round:
                    mask &= one.allowed()
            mask[i] = False
            # lambda * (relevance + redundancy) - redundancy: both lines meet where the differences cancel.
            rise = redundancy - redundancy[i]
            steeper = (self.relevance - self.relevance[i]) + rise
            with np.errstate(divide="ignore", invalid="ignore"):
                crossing = np.where(mask & (steeper != 0), rise / steeper, np.inf)
            later = crossing[crossing > lam + APART]
            change = min(change, float(later.min(initial=np.inf)))
            free[i] = False
            for one in constraints:
                one.take(i)
            row = self.similarity.row(i)
            redundancy = np.maximum(redundancy, row) if number else row.copy()
        return change


def find_steps(seated: Seated) -> Steps:
    """Every stretch of lambda with its selection. Some hundred runs of the loop at most; on large pools a grid."""
    if len(seated.entries) * seated.policy.k > EXACT_SIZE:
        return _on_grid(seated)
    found: list[tuple[float, tuple[int, ...]]] = []
    start = lam = 0.0
    for _ in range(MOST_RUNS):
        places = seated.at(lam)
        picks = tuple(one.entry for one in places)
        if not found or found[-1][1] != picks:
            found.append((start, picks))
        start = seated.next_change(lam, places)
        lam = start + APART
        if lam >= 1.0:
            break
    else:
        return _on_grid(seated)
    ranking = tuple(one.entry for one in seated.at(1.0))
    if found[-1][1] != ranking:  # at 1 alone, equal relevance is no longer told apart by redundancy
        found.append((1.0, ranking))
    return Steps(_stretches(found))


def _on_grid(seated: Seated) -> Steps:
    found: list[tuple[float, tuple[int, ...]]] = []
    for lam in np.linspace(0.0, 1.0, GRID + 1).tolist():
        picks = tuple(one.entry for one in seated.at(lam))
        if not found or found[-1][1] != picks:
            found.append((lam, picks))
    return Steps(_stretches(found), exact=False)


def _stretches(found: Sequence[tuple[float, tuple[int, ...]]]) -> tuple[Step, ...]:
    ends = [low for low, _ in found[1:]] + [1.0]
    return tuple(Step(low, high, picks) for (low, picks), high in zip(found, ends, strict=True))
