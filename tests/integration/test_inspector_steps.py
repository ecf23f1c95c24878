"""The stretches of lambda: the same as the exact path where nothing constrains, and true everywhere else."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pytest

for module in ("fastapi", "jinja2", "tomli_w"):
    pytest.importorskip(module, reason="the inspector needs the extra `service`")

from hypothesis import given, settings
from hypothesis import strategies as st

from reparto import read_request, select
from reparto.contract import Resolved
from reparto.contract.diversity import build
from reparto.contract.policy import Policy
from reparto.demo import feed
from reparto.evaluation.path import entries_before_seating
from reparto.kernels import mmr_path
from reparto.service.inspector import steps as module_steps
from reparto.service.inspector.steps import APART, Seated, find_steps

FREE = {"collapse": False, "canonical": False, "quotas": False, "reserve": False}


def seated_of(request, **given) -> tuple[object, Seated]:
    selection = select(request, **given)
    layers = dict(selection.policy)
    policy = Policy.model_validate(layers)
    read = read_request(request)
    return selection, Seated.of(
        read, Resolved(policy, build(policy.diversity), layers), entries_before_seating(read, policy)
    )


def pool(seed: int, n: int, decimals: int = 3) -> list[dict]:
    random = np.random.default_rng(seed)
    vectors, scores = random.normal(size=(n, 6)), random.random(n).round(decimals)
    return [
        {
            "id": f"c{i:02}",
            "text": " ".join(f"word{w}" for w in random.integers(0, 60, 12)),
            "score": float(scores[i]),
            "vector": vectors[i].tolist(),
            "document": f"d{random.integers(0, 5)}",
            "source": f"s{random.integers(0, 4)}",
        }
        for i in range(n)
    ]


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 12), st.integers(1, 5))
@settings(max_examples=40)
def test_without_constraints_it_is_the_exact_path_of_mmr(seed, n, k, decimals):
    _, seated = seated_of(pool(seed, n, decimals), k=k, policy={**FREE, "diversity": {"objective": "mmr"}})
    steps = find_steps(seated)
    path = mmr_path(seated.ground.relevance, k, rows=seated.ground.similarity.rows)
    assert steps.exact
    assert [one.picks for one in steps.steps] == [tuple(row) for row in path.picks.tolist()]
    assert np.allclose([one.low for one in steps.steps], path.starts, atol=1e-8)


POLICIES = {
    "quotas": {"quotas": {"document": 1, "source": {"max": 2, "fill": False}}},
    "reserve": {"reserve": [{"field": "document", "distinct": 4, "within": 5}], "quotas": {"source": 3}},
    "budget": {"budget": {"tokens": 90}, "quotas": {"document": 2}},
    "floor": {"diversity": {"floor": 0.4}},
    "minimum": {
        "scores": {"scale": "identity", "minimum": 0.2},
        "reserve": [{"where": {"source": "s1"}, "at_least": 2}],
    },
}


@pytest.mark.parametrize("objective", ["mmr", "coverage"])
@pytest.mark.parametrize("name", POLICIES)
@given(seed=st.integers(0, 10_000), lams=st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4))
@settings(max_examples=4)
def test_on_its_stretch_every_lambda_gives_the_same_seats(objective, name, seed, lams):
    policy = {**FREE, **POLICIES[name]}
    policy["diversity"] = {**policy.get("diversity", {}), "objective": objective}
    _, seated = seated_of(pool(seed, 24), k=7, policy=policy)
    steps = find_steps(seated)
    assert steps.exact
    lows = [one.low for one in steps.steps]
    for lam in [*lams, *(one.lam for one in steps.steps)]:
        if min(abs(lam - low) for low in lows) < 10 * APART and lam not in (0.0, 1.0):
            continue
        picks = tuple(place.entry for place in seated.at(lam))
        assert picks == steps.steps[bisect_right(lows, lam) - 1].picks
    for before, after in zip(steps.steps, steps.steps[1:], strict=False):
        assert before.high == after.low
        assert before.picks != after.picks


@pytest.mark.parametrize("line", feed(), ids=lambda line: line["query_id"])
@pytest.mark.parametrize("objective", ["mmr", "coverage"])
def test_the_present_stretch_is_the_selection_itself(line, objective):
    selection, seated = seated_of(line, policy={"diversity": {"objective": objective}})
    steps = find_steps(seated)
    here = steps.steps[steps.index(seated.lam)]
    assert [seated.entries[i].id for i in here.picks] == selection.ids
    for one in steps.steps:
        again = select(line, policy={"diversity": {"objective": objective, "lambda": one.lam}})
        assert again.ids == [seated.entries[i].id for i in one.picks]


def test_an_objective_without_lambda_has_no_steps():
    _, seated = seated_of(feed()[0], policy={"diversity": {"objective": "relevance"}})
    assert seated.lam is None
    assert find_steps(seated) is None


def test_large_pools_and_crooked_objectives_are_looked_at_on_a_grid(monkeypatch):
    _, seated = seated_of(feed()[0], policy={"diversity": {"objective": "mmr"}})
    exact = find_steps(seated)
    monkeypatch.setattr(module_steps, "EXACT_SIZE", 10)
    coarse = find_steps(seated)
    assert exact.exact
    assert not coarse.exact
    assert 1 < len(coarse.steps) <= 21
    assert {one.picks for one in coarse.steps} <= {one.picks for one in exact.steps}
    for objective in ("dpp", "coverage"):
        _, seated = seated_of(feed()[0], policy={"diversity": {"objective": objective}})
        coarse = find_steps(seated)
        assert not coarse.exact
        for one in coarse.steps:
            assert tuple(place.entry for place in seated.at(one.low)) == one.picks
    monkeypatch.undo()
    assert find_steps(seated).exact
    _, crooked = seated_of(feed()[0], policy={"diversity": {"objective": "dpp"}})
    assert not find_steps(crooked).exact


def test_an_empty_pool_has_one_stretch():
    _, seated = seated_of([{"id": "a", "score": float("nan"), "text": "x"}], policy={"diversity": {"objective": "mmr"}})
    steps = find_steps(seated)
    assert [one.picks for one in steps.steps] == [()]
