"""What is true of every selection, whatever was asked."""

from __future__ import annotations

import copy
import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import reparto
from reparto.intake import read_request
from reparto.log import record_of
from reparto.testing.requests import policies, pools, requests
from reparto.verification import verify_record

many = settings(max_examples=1000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
OFF = {
    "merge": False,
    "collapse": False,
    "canonical": False,
    "quotas": False,
    "reserve": False,
    "budget": False,
    "order": "selection",
}


def identities(selection: reparto.Selection) -> list[tuple[str, ...]]:
    return [(seat.id, *sorted(seat.copies.ids)) for seat in selection.seats]


@many
@given(requests(pools(offsets=True)))
def test_every_candidate_has_one_fate_and_no_id_sits_twice(request_: dict) -> None:
    selection = reparto.select(request_)
    assert [one.id for one in selection.decisions] == sorted(one["id"] for one in request_["candidates"])
    seated = sorted(one.id for one in selection.decisions if one.fate == "seated")
    assert seated == sorted(selection.ids)
    assert max(Counter(id for seat in selection for id in {seat.id, *seat.copies.ids}).values(), default=1) == 1
    assert len(selection) <= request_["policy"]["k"]


@many
@given(requests(pools(offsets=True)), st.randoms(use_true_random=False))
def test_input_order_never_matters(request_: dict, shuffler: random.Random) -> None:
    shuffled = {**request_, "candidates": shuffler.sample(request_["candidates"], len(request_["candidates"]))}
    assert reparto.select(request_).to_dict() == reparto.select(shuffled).to_dict()


@many
@given(requests(pools(offsets=True)))
def test_the_input_is_left_as_it_was(request_: dict) -> None:
    before = copy.deepcopy(request_)
    first = reparto.select(request_).to_dict()
    assert request_ == before
    assert reparto.select(request_).to_dict() == first


@many
@given(requests(collapse=False, canonical=False, merge=False, budget=False, scores={"scale": "identity"}))
def test_a_soft_quota_never_leaves_a_seat_empty(request_: dict) -> None:
    hard = any(isinstance(one, dict) and not one["fill"] for one in (request_["policy"]["quotas"] or {}).values())
    assume(not hard)
    selection = reparto.select(request_)
    assert len(selection) == min(request_["policy"]["k"], len(request_["candidates"]))


@many
@given(requests(scores={"scale": "minmax"}), st.floats(0.25, 64), st.integers(-50, 50))
def test_scale_and_shift_of_all_scores_change_nothing_under_minmax(request_: dict, a: float, b: int) -> None:
    a = 2.0 ** round(a % 6)  # powers of two and whole shifts of coarse scores keep the arithmetic exact
    pool = [{**one, "score": round(one["score"] * 1024) / 1024} for one in request_["candidates"]]
    moved = [{**one, "score": a * one["score"] + b} for one in pool]
    first, second = (reparto.select({**request_, "candidates": one}) for one in (pool, moved))
    assert identities(first) == identities(second)


@many
@given(
    pools(least=2),
    st.sampled_from([{"objective": "relevance"}, {"objective": "mmr", "lambda": 0.5}]),
    st.sampled_from(["identity", "logistic"]),
    st.integers(1, 5),
    policies(),
)
def test_a_candidate_that_is_not_selected_changes_nothing(
    pool: list, diversity: dict, scale: str, k: int, drawn: dict
) -> None:
    policy = {**OFF, "quotas": drawn["quotas"], "diversity": diversity, "scores": {"scale": scale}, "k": k}
    full = reparto.select({"candidates": pool, "policy": policy})
    out = next((one.id for one in full.decisions if one.fate != "seated"), None)
    assume(out is not None)
    less = reparto.select({"candidates": [one for one in pool if one["id"] != out], "policy": policy})
    assert full.ids == less.ids


@many
@given(pools(), st.integers(1, 8))
def test_lambda_one_is_the_ranking(pool: list, k: int) -> None:
    policy = {**OFF, "scores": {"scale": "identity"}, "diversity": {"objective": "mmr", "lambda": 1}, "k": k}
    ranked = sorted(pool, key=lambda one: (-one["score"], one["id"]))
    assert reparto.select({"candidates": pool, "policy": policy}).ids == [one["id"] for one in ranked[:k]]


@many
@given(requests(pools(offsets=True), reserve=False, budget=False, order="selection"), st.integers(1, 6))
def test_a_page_is_a_slice_of_a_larger_k(request_: dict, k: int) -> None:
    # A refill seat may come before the last share-out seat of a larger k only if none were left: compare those shared out.
    few, more = (reparto.select(request_, k=n) for n in (k, k + 1))
    assert more.ids[: len(few)] == few.ids


@many
@given(requests(pools(offsets=True)))
def test_verify_accepts_every_record_that_select_writes(request_: dict) -> None:
    record = record_of(read_request(request_), reparto.select(request_))
    assert verify_record(record) == []


@pytest.mark.parametrize("objective", ["relevance", "mmr", "dpp", "clusters", "coverage", "feedback"])
@given(pools(), st.integers(1, 6))
@settings(max_examples=200)
def test_more_seats_than_candidates_gives_all(objective: str, pool: list, extra: int) -> None:
    policy = {**OFF, "scores": {"scale": "identity"}, "diversity": {"objective": objective}, "k": len(pool) + extra}
    selection = reparto.select({"candidates": pool, "policy": policy})
    assert sorted(selection.ids) == [one["id"] for one in pool]
    assert selection.report["empty_seats"] == extra
    assert selection.report["empty_because"] == "pool"
