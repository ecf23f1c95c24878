"""Seating by coverage: the kernel against the loop it stands for, seat by seat, under random rules."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

from reparto import kernels
from reparto.contract.policy import Reserve
from reparto.model import Candidate, Entry
from reparto.objectives import Ground, coverage
from reparto.objectives.coverage import Coverage
from reparto.stages import seat as loop
from reparto.stages.constraints import AtMost, Budget, Constraint, Fixed, Round
from reparto.stages.reserves import Collect, Reserves
from reparto.stages.seat import Seating, seat
from reparto.testing.objectives import make_ground

pytestmark = pytest.mark.skipif(kernels.native() is None, reason="the native kernels are not what runs here")
KINDS = ("plain", "ties", "copies", "patchy", "fields", "lexical")
SIZES = (1, 2, 5, 9, 17, 40)


def rules(rng: np.random.Generator, n: int, relevance: np.ndarray) -> list[Constraint]:
    """Each kind of constraint, half of the time; seldom is much allowed."""
    found: list[Constraint] = []
    if rng.random() < 0.3:
        found.append(Fixed("waits", rng.random(n) < 0.7, Round.WAITING))
    for name in ("quota document", "cap source"):
        if rng.random() < 0.5:
            codes = rng.integers(-1, max(1, n // 2), n)
            lifted = Round.REFILL if rng.random() < 0.6 else Round.NEVER
            found.append(AtMost(name, codes, int(rng.integers(1, 3)), lifted))
    if rng.random() < 0.3:
        found.append(Fixed("floor", relevance >= 0.5 * relevance.max(), Round.FLOOR))
    if rng.random() < 0.2:
        found.append(Fixed("minimum", relevance >= 0.3, Round.NEVER))
    if rng.random() < 0.4:
        found.append(Budget(rng.integers(0, 50, n), int(rng.integers(0, 200))))
    return found


def wanted(rng: np.random.Generator, n: int, k: int) -> Reserves:
    """None to three reserves: distinct codes, or entries that fulfil a condition."""
    found = []
    for _ in range(int(rng.integers(0, 4))):
        distinct = bool(rng.random() < 0.6)
        asked = {"field": "document", "distinct": 3} if distinct else {"where": {"metadata.a": 1}, "at_least": 2}
        declared = Reserve.model_validate({**asked, "within": int(rng.integers(2, 7))})
        codes = rng.integers(-1, 4 if distinct else 1, n)
        found.append(Collect(declared, codes, k, distinct))
    return Reserves(found, n)


def objective_of(rng: np.random.Generator) -> Coverage:
    """The shipped keys, and those at the ends of their ranges."""
    if rng.random() < 0.5:
        return Coverage()
    return Coverage(
        lam=float(rng.choice([0.0, 0.5, 1.0])), breadth=float(rng.choice([0.0, 1.0])), band=float(rng.choice([0.0, 1.0])),
        decay=float(rng.choice([0.0, 0.5, 1.0])), mass=float(rng.choice([0.0, 1.0, 2.0])),
    )  # fmt: skip


def seated(seed: int, ground: Ground, objective: Coverage, k: int, kernel: bool) -> tuple[Seating, list[int]]:
    """One seating by the kernel or by the loop, and what each reserve got."""
    rng, n = np.random.default_rng([seed, 1]), len(ground.ids)
    constraints, reserves = rules(rng, n, ground.relevance), wanted(rng, n, k)
    asked = mock.Mock(side_effect=loop.seat_coverage if kernel else lambda *_: None)
    with mock.patch.object(loop, "seat_coverage", asked):
        seating = seat(entries_of(n), ground, objective, constraints, reserves, k)
    return seating, [one.got for one in reserves.reserves]


def entries_of(n: int) -> list[Entry]:
    """As many entries: the loop looks at the ground alone."""
    return [Entry(Candidate(f"c{i:02d}", 0.5), 0.5, "", 0) for i in range(n)]


def one_case(seed: int) -> int:
    """The same seats, bounds, reserves and numbers from both; how many seats there were.

    Values lie on a grid of 10^-12; a power that is rounded otherwise in its last bit may take one to the next line.
    """
    rng = np.random.default_rng(seed)
    ground = make_ground(rng, int(rng.choice(SIZES)), str(rng.choice(KINDS)))
    objective, k, reach = objective_of(rng), int(rng.integers(1, 12)), int(rng.choice([4, 512]))
    with mock.patch.object(coverage, "REACH", reach):
        (ours, got), (theirs, expected) = (seated(seed, ground, objective, k, kernel) for kernel in (True, False))
    chosen = [[(place.entry, place.round, place.bound) for place in one.places] for one in (ours, theirs)]
    assert chosen[0] == chosen[1], f"seed {seed}"
    assert (ours.over_budget, ours.empty_because, got) == (theirs.over_budget, theirs.empty_because, expected), seed
    numbers = [[(place.value, place.redundancy) for place in one.places] for one in (ours, theirs)]
    assert np.allclose(*numbers, rtol=0.0, atol=2e-12), f"seed {seed}"
    return len(ours.places)


def test_the_kernel_is_what_runs() -> None:
    """Without this the others would hold the loop against itself."""
    ground = make_ground(np.random.default_rng(1), 9, "plain")
    with mock.patch.object(loop, "_all_of", side_effect=AssertionError("the loop ran")):
        assert len(seat(entries_of(9), ground, Coverage(), [], Reserves([], 9), 4).places) == 4


@pytest.mark.parametrize("start", range(0, 1200, 100))
def test_the_same_seats(start: int) -> None:
    assert sum(one_case(seed) for seed in range(start, start + 100)) > 100


@pytest.mark.long
def test_the_same_seats_a_hundred_thousand_times() -> None:
    assert sum(one_case(seed) for seed in range(100_000)) > 100_000
