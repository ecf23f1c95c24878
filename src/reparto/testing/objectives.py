"""Conformance of objectives: what the seating loop relies on, checked on many small grounds.

    from reparto.testing import check_objective
    check_objective(MyObjective())

Raises `AssertionError` with the broken rule, and the ground it broke on, in its message.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from reparto.model import Floats
from reparto.objectives import Aspect, Ground, Objective, Run
from reparto.similarity import Similarity, unit_rows

WORDS = ("cable", "storm", "harbour", "bridge", "power", "outage", "crew", "repair", "turbine", "night")
CLOSE = 1e-9
"""Values may differ by rounding where the same sum is taken in another order."""


def sample_grounds(seed: int = 0) -> Iterator[Ground]:
    """Grounds of 0 to 12 entries: ties, copies, missing vectors, several fields, no vectors at all."""
    rng = np.random.default_rng(seed)
    for n in (0, 1, 2, 5, 12):
        for kind in ("plain", "ties", "copies", "patchy", "fields", "lexical"):
            yield make_ground(rng, n, kind)


def make_ground(rng: np.random.Generator, n: int, kind: str) -> Ground:
    """One ground of n entries, with read-only arrays; `kind` as listed in `sample_grounds`."""
    relevance = np.sort(rng.random(n))[::-1].copy()
    if kind == "ties":
        relevance = np.sort(rng.integers(0, 3, n) / 2.0)[::-1].copy()
    vectors = rng.normal(size=(n, 6))
    if kind == "copies" and n:
        vectors = vectors[rng.integers(0, max(1, n // 3), n)] + rng.integers(0, 2, (n, 1)) * 1e-4
    present = rng.random(n) < 0.6 if kind == "patchy" else np.full(n, kind != "lexical")
    fields = {"text": unit_rows([one if there else None for one, there in zip(vectors, present, strict=True)])}
    if kind == "fields":
        fields["title"] = unit_rows(list(rng.normal(size=(n, 4))))
    overlap = np.eye(n) + np.triu(rng.random((n, n)), 1) + np.triu(rng.random((n, n)), 1).T
    lexical = np.minimum(np.triu(overlap) + np.triu(overlap, 1).T, 1.0)
    relevance.setflags(write=False)
    for rows, _ in fields.values():
        rows.setflags(write=False)
    texts = [" ".join(rng.choice(WORDS, size=8)) for _ in range(n)]
    ids = [f"c{i:02d}" for i in range(n)]
    ratings = [{id: float(rng.random()) for id in ids if rng.random() < 0.7} for _ in range(2)]
    aspects = (
        Aspect("where", "where it failed", 1.0, ratings[0]),
        Aspect("why", "why it failed", 2.0, ratings[1]),
    )
    similarity = Similarity(n, fields, lambda i: lexical[i])
    return Ground(ids, texts, relevance, similarity, "power outage", aspects, k=min(5, n))


def check_objective(objective: Objective, grounds: Sequence[Ground] | None = None) -> None:
    """Check one objective on `grounds` (default: `sample_grounds()`).

    A frozen dataclass with a name and declared keys; gains and redundancy are finite (n,); redundancy is 0
    before the first seat and the largest similarity to the seated after it; runs are deterministic,
    independent of each other and change nothing in the ground; where the class says `falling = True`, no
    value rises after the first seat.
    """
    check_declaration(type(objective))
    for ground in grounds if grounds is not None else sample_grounds():
        _check_run(objective, ground)


def check_declaration(kind: type) -> None:
    """Check that it is a frozen dataclass, named, whose fields declare key, range and explanation."""
    where = kind.__qualname__
    assert dataclasses.is_dataclass(kind), f"{where} must be a dataclass"
    assert kind.__dataclass_params__.frozen, f"{where} must be frozen"  # type: ignore[attr-defined]
    assert isinstance(getattr(kind, "name", None), str), f"{where} must have a `name`"
    for one in dataclasses.fields(kind):
        place = f"{where}.{one.name}"
        assert one.default is not dataclasses.MISSING, f"{place} must have a default"
        assert one.metadata.get("key"), f"{place} must say its contract key in metadata"
        assert one.metadata.get("doc"), f"{place} must say in metadata what it does"
        _check_range(place, one.default, one.metadata.get("range"))


def _check_range(place: str, default: Any, range: Any) -> None:
    if isinstance(default, float):
        assert range is not None, f"{place} must declare its range"
        assert range[0] <= default <= range[1], f"{place}: the default {default} is outside {range}"


def _check_run(objective: Objective, ground: Ground) -> None:
    before = _fingerprint(ground)
    run, twin = objective.start(ground), objective.start(ground)
    falling = getattr(objective, "falling", False)
    seated: list[int] = []
    last: Floats | None = None
    while True:
        context = f"{objective!r} after seats {seated} of {list(ground.relevance)}"
        gains = _gains(run, len(ground.ids), context)
        _check_redundancy(run, ground, seated, context)
        left = [i for i in range(len(ground.ids)) if i not in seated]
        if falling and last is not None:
            assert np.all(gains[left] <= last[left] + CLOSE), f"a value rose: {context}"
        assert np.array_equal(gains[left], _gains(twin, len(ground.ids), context)[left]), (
            f"not deterministic: {context}"
        )
        if not left:
            break
        last = gains.copy() if seated else None
        i = max(left, key=lambda one: (gains[one], -one))
        run.take(i)
        later = _gains(twin, len(ground.ids), context)
        assert np.array_equal(gains[left], later[left]), f"two runs share state: {context}"
        twin.take(i)
        seated.append(i)
    assert _fingerprint(ground) == before, f"the ground was changed: {objective!r}"


def _gains(run: Run, n: int, context: str) -> Floats:
    gains = run.gains()
    assert isinstance(gains, np.ndarray), f"gains must be an array: {context}"
    assert gains.shape == (n,), f"gains of shape {gains.shape}, not ({n},): {context}"
    assert np.all(np.isfinite(gains)), f"gains must be finite: {context}"
    return gains


def _check_redundancy(run: Run, ground: Ground, seated: Sequence[int], context: str) -> None:
    redundancy = run.redundancy()
    n = len(ground.ids)
    assert redundancy.shape == (n,), f"redundancy of shape {redundancy.shape}, not ({n},): {context}"
    expected = np.zeros(n)
    if seated:
        expected = np.max([ground.similarity.row(i) for i in seated], axis=0)
    left = [i for i in range(n) if i not in seated]
    assert np.allclose(redundancy[left], expected[left], atol=CLOSE), f"redundancy is not the largest: {context}"


def _fingerprint(ground: Ground) -> tuple[Any, ...]:
    rows = [(name, rows.tobytes(), present.tobytes()) for name, (rows, present) in ground.similarity.fields.items()]
    aspects = [(one.id, one.weight, tuple(sorted(one.ratings.items()))) for one in ground.aspects]
    return tuple(ground.ids), tuple(ground.texts), ground.relevance.tobytes(), tuple(rows), tuple(aspects)
