"""Objectives: the numbers of the definitions, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reparto.errors import RequestError
from reparto.objectives import Aspect, Ground
from reparto.objectives.aspects import Aspects
from reparto.objectives.clusters import Clusters
from reparto.objectives.dpp import DPP
from reparto.objectives.feedback import Feedback, nearness
from reparto.objectives.mmr import MMR
from reparto.similarity import Similarity

# Entries 0 and 1 are close, 2 is apart, 3 is close to 2.
MATRIX = np.array([[1, 0.8, 0.1, 0.0], [0.8, 1, 0.2, 0.0], [0.1, 0.2, 1, 0.9], [0.0, 0.0, 0.9, 1]])
RELEVANCE = np.array([1.0, 0.9, 0.5, 0.4])


def ground(aspects=(), relevance=RELEVANCE):
    ids = [f"c{i}" for i in range(len(relevance))]
    similarity = Similarity(len(relevance), {}, lambda i: MATRIX[i])
    return Ground(ids, [""] * len(ids), relevance, similarity, aspects=aspects)


def test_mmr_values():
    run = MMR(0.7).start(ground())
    assert run.gains() == pytest.approx(0.7 * RELEVANCE)
    assert run.redundancy().tolist() == [0, 0, 0, 0]
    run.take(0)
    assert run.gains()[1:] == pytest.approx([0.63 - 0.24, 0.35 - 0.03, 0.28])
    run.take(1)
    assert run.redundancy()[2:] == pytest.approx([0.2, 0.0])


def test_cluster_values_step_down_by_two_a_round():
    run = Clusters(0.7).start(ground())
    assert run.gains().tolist() == [1.0, 1.0, 0.5, 0.5]
    run.take(0)
    assert run.gains().tolist() == [-1.0, -1.0, 0.5, 0.5]
    run.take(2)
    run.take(1)
    assert run.gains()[3] == -1.5


def test_dpp_values_are_weight_times_residual():
    run = DPP(0.5).start(ground())
    weight = np.exp(RELEVANCE - 1)
    assert run.gains() == pytest.approx(weight)
    run.take(0)
    assert run.gains()[1:] == pytest.approx(weight[1:] * (1 - MATRIX[0, 1:] ** 2))
    run.take(2)
    subset = [0, 2]
    determinant = np.linalg.det(MATRIX[np.ix_(subset, subset)])
    bordered = np.linalg.det(MATRIX[np.ix_([0, 2, 1], [0, 2, 1])])
    assert run.gains()[1] == pytest.approx(weight[1] * bordered / determinant)


def test_dpp_at_lambda_one_is_the_ranking():
    run = DPP(1.0).start(ground())
    run.take(0)
    assert run.gains().tolist() == RELEVANCE.tolist()


def test_dpp_with_a_lambda_close_to_one_underflows_into_rank_order():
    run = DPP(1 - 1e-9).start(ground())
    run.take(0)
    assert np.all(np.isfinite(run.gains()))


def test_feedback_prefers_what_resembles_the_head_to_what_resembles_the_rest():
    # Weights 1 and 1 on the first two of four: the mean over them less the mean over all.
    near = nearness(ground(), np.array([1.0, 1.0, 0.0, 0.0]))
    assert near == pytest.approx(MATRIX[:, :2].mean(axis=1) - MATRIX.mean(axis=1))
    # Equal scores but for the first: 1 is near it, 2 and 3 are a camp of their own.
    level = np.array([1.0, 0.5, 0.5, 0.5])
    alone, told = (Feedback(feedback, band=1.0).start(ground(relevance=level)).gains() for feedback in (0.0, 1.0))
    assert alone.tolist() == pytest.approx([1.0, 0.03, 0.03, 0.03])
    assert told[0] == 1.0
    assert told[1] > told[2] > told[3] - 1e-12


def test_feedback_leaves_nothing_beyond_the_band():
    run = Feedback(0.0, band=0.7).start(ground())
    before = run.gains()
    run.take(0)
    assert run.gains()[1:] == pytest.approx(before[1:] * [1 - (0.8 - 0.7) / 0.3, 1.0, 1.0])
    run.take(2)
    assert run.gains()[3] == pytest.approx(before[3] * (1 - (0.9 - 0.7) / 0.3))


def test_feedback_does_not_make_much_of_rounding():
    same = Similarity(3, {}, lambda i: np.full(3, 1.0 - 1e-12 * i))
    pool = Ground(["a", "b", "c"], [""] * 3, np.array([0.5, 0.5, 0.5]), same)
    assert Feedback(10.0, band=1.0).start(pool).gains().tolist() == [1.0, 1.0, 1.0]


def test_xquad_values():
    aspects = (Aspect("a", "", 3.0, {"c0": 0.5, "c2": 1.0}), Aspect("b", "", 1.0, {"c1": 0.8}))
    run = Aspects(0.4).start(ground(aspects))
    assert run.gains() == pytest.approx([0.4 + 0.6 * 0.375, 0.36 + 0.6 * 0.2, 0.2 + 0.6 * 0.75, 0.16])
    run.take(0)  # half of aspect a is answered
    assert run.gains()[1:] == pytest.approx([0.36 + 0.6 * 0.2, 0.2 + 0.6 * 0.375, 0.16])
    run.take(2)  # aspect a is answered in full
    assert run.gains()[3] == pytest.approx(0.16)


def test_aspects_absent_is_an_error_that_says_so():
    with pytest.raises(RequestError) as caught:
        Aspects().start(ground())
    (problem,) = caught.value.problems
    assert problem.code == "aspects_missing"
    assert problem.field == "aspects"
    assert "sub-questions" in problem.message


@pytest.mark.parametrize("weights", [(0.0, 0.0), (-1.0, 2.0), (math.nan, 1.0)])
def test_weights_that_cannot_count_are_an_error(weights):
    aspects = [Aspect(str(i), "", weight, {}) for i, weight in enumerate(weights)]
    with pytest.raises(RequestError, match="weights"):
        Aspects().start(ground(aspects))
