"""Readings of scores, floors, quotas, versions and reserves where rounding or a greedy look-ahead could go wrong."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import reparto
from reparto.contract import Contract
from reparto.errors import ContractError
from reparto.evaluation.bank import read_bank
from reparto.evaluation.measures import parse
from reparto.evaluation.systems import GivenRanking
from reparto.scores import scale_scores

OFF: dict[str, Any] = {
    "scores": {"scale": "identity"}, "merge": False, "collapse": False, "canonical": False, "quotas": False,
    "reserve": False, "diversity": {"objective": "relevance"}, "budget": False,
}  # fmt: skip


def one(id: str, score: float, **fields: Any) -> dict[str, Any]:
    return {"id": id, "score": score, "text": f"passage {id} alone", **fields}


def selected(candidates: list[dict[str, Any]], k: int = 8, **policy: Any) -> reparto.Selection:
    return reparto.select({"candidates": candidates, "k": k, "policy": {**OFF, **policy}})


@pytest.mark.parametrize(
    ("scores", "settings"),
    [
        ([1000.0, 900.0, 800.0], {"scale": "logistic"}),
        ([-800.0, -900.0, -1000.0], {"scale": "logistic"}),
        ([0.0, 1e-20, 2e-20], {"scale": "identity", "kind": "distance"}),
        ([1e300, 5e-324, 0.0], {"scale": "minmax"}),
        ([-1e300, 0.0, 5e-324], {"scale": "minmax", "kind": "distance"}),
    ],
)
def test_order_is_kept_where_a_scale_has_too_few_numbers(scores: list[float], settings: dict[str, Any]) -> None:
    relevance, _ = scale_scores(np.array(scores), **settings)
    assert (np.diff(relevance) < 0).all() and relevance.min() >= 0 and relevance.max() <= 1
    candidates = [one(id, score) for id, score in zip("zyx", scores, strict=True)]
    assert selected(candidates, scores=settings).ids == ["z", "y", "x"]


def test_equal_scores_stay_equal_where_others_are_set_apart() -> None:
    relevance, _ = scale_scores(np.array([90.0, 100.0, 90.0, 0.0]), scale="logistic")
    assert relevance[1] > relevance[0] == relevance[2] > relevance[3] == 0.5


@pytest.mark.parametrize(("floor", "best", "low"), [(0.1, 0.1, 0.01), (0.1, 0.8, 0.08), (0.3, 0.9, 0.27)])
def test_who_stands_on_the_floor_is_not_below_it(floor: float, best: float, low: float) -> None:
    diversity = {"objective": "relevance", "floor": floor}
    assert [seat.filled for seat in selected([one("a", best), one("b", low)], diversity=diversity)] == [False, False]


def test_who_has_the_minimum_has_a_seat() -> None:
    scores = {"scale": "minmax", "minimum": 0.3}
    assert len(selected([one(str(n), n) for n in range(1, 12)], 11, scores=scores)) == 8


def test_a_quota_that_is_a_table_goes_over_the_number_below_key_by_key() -> None:
    candidates = [one(str(n), 0.9 - n / 100, document="D") for n in range(4)]
    soft = selected(candidates, quotas={"document": {"max": 2}})
    hard = selected(candidates, quotas={"document": {"fill": False}})  # the survey's own number is 2
    assert (soft.ids, hard.ids) == (["0", "1", "2", "3"], ["0", "1"])
    with pytest.raises(ContractError) as caught:
        selected(candidates, quotas={"source": {"fill": False}})
    assert [problem.field for problem in caught.value.problems] == ["policy.quotas.source.max"]
    contract = Contract({"classes": {"survey": {"quotas": {"document": {"fill": False}, "source": 1}}}})
    quotas = contract.resolve("survey", {"quotas": {"document": 3, "source": {"fill": False}}}).policy.quotas
    assert quotas is not None
    assert {name: (quota.max, quota.fill) for name, quota in quotas.items()} == {
        "document": (3, True), "source": (1, False),
    }  # fmt: skip


def test_of_equal_versions_the_later_published_is_the_newest() -> None:
    text = "The council approved on {} the new budget for the repair of the coastal road between the two harbours"
    candidates = [
        one("a", 0.9, text=text.format("Monday"), version="2", published="2024-01-01"),
        one("b", 0.8, text=text.format("Tuesday"), version="2", published="2024-01-02"),
    ]
    collapse = {"revisions": "latest"}
    assert [candidate.id for candidate in selected(candidates, 1, collapse=collapse)] == ["b"]


RESERVES = {
    # Both want the second seat of the greedy plan; a third source is not to be had at all.
    "an unattainable third": (
        [one("a", 0.9, document="X", source="Q"), one("b", 0.9, document="X", source="P"),
         one("c", 0.5, document="Y", source="Q")],
        [{"field": "document", "distinct": 2, "within": 2}, {"field": "source", "distinct": 3, "within": 3}],
        {}, [[3, 2]],
    ),
    # The best candidate serves both reserves, and after it nobody does.
    "the best is the wrong beginning": (
        [one("a", 0.1, document="X", source="P"), one("b", 0.1, document="Z", source="P"),
         one("c", 0.3, document="Y", source="P"), one("d", 0.3, document="Y", source="Q")],
        [{"field": "document", "distinct": 3, "within": 2}, {"field": "source", "distinct": 3, "within": 2}],
        {}, [[3, 2], [3, 2]],
    ),
    "a cap in the way of the best": (
        [one("a", 0.8, document="Y", source="P"), one("b", 0.5, source="R"), one("c", 0.9, document="Y", source="R")],
        [{"field": "document", "distinct": 2}, {"field": "source", "distinct": 1, "within": 1}],
        {"quotas": {"source": {"max": 1, "fill": False}, "document": False}}, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RESERVES)
def test_a_reserve_is_met_as_far_as_the_pool_can_meet_it(name: str) -> None:
    candidates, reserve, policy, unmet = RESERVES[name]
    report = selected(candidates, 3, reserve=reserve, **policy).to_dict()["report"]
    assert [[one["wanted"], one["got"]] for one in report["unmet"]] == unmet


def test_a_pyproject_whose_tool_is_no_table_is_no_contract(tmp_path: Any) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("tool = 5\n", encoding="utf-8")
    assert Contract.load(path).classes == Contract().classes


def test_an_empty_list_that_was_delivered_is_not_the_pool(tmp_path: Any) -> None:
    bank = tmp_path / "bank.jsonl"
    line = {"query_id": "q", "query": "x", "candidates": [one("a", 0.9)], "facts": {"f": ["a"]}}
    for ranking, want in ((None, 1.0), (["a"], 1.0), ([], 0.0)):
        bank.write_text(json.dumps({**line, "ranking": ranking}) + "\n", encoding="utf-8")
        delivery = GivenRanking().serve(read_bank(bank).queries[0]).delivery
        assert parse("StRecall@2").value(delivery) == want
