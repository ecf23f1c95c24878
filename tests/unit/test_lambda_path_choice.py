"""Lambda along the exact path: no grid finds more, and the choice leans towards "off"."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reparto.contract import Policy
from reparto.evaluation.bank import BankQuery
from reparto.evaluation.curve import Curve, Steps, choose_lambda, roundest
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import parse
from reparto.evaluation.path import entries_before_seating, outcomes
from reparto.intake import read_request
from reparto.kernels import greedy
from reparto.similarity import similarity_of

MMR = Policy.model_validate({"diversity": {"objective": "mmr"}})
GRID = [step / 100 for step in range(101)]


def made_up(seed: int, n: int = 12, ties: bool = False) -> BankQuery:
    chance = np.random.default_rng(seed)
    vectors = chance.integers(-1, 2, (n, 4)).astype(float) + (0 if ties else chance.normal(0, 0.1, (n, 4)))
    scores = np.round(chance.random(n), 1 if ties else 6)
    candidates = [
        {"id": f"c{i:02d}", "text": f"passage {i}", "score": float(scores[i]), "vector": vectors[i] + 1e-3}
        for i in range(n)
    ]
    facts = {f"f{j}": [f"c{i:02d}" for i in chance.choice(n, 3, replace=False)] for j in range(5)}
    return BankQuery(f"q{seed}", read_request({"candidates": candidates}), Judgments.binary(facts))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_the_path_gives_what_each_greedy_run_gives(seed: int, ties: bool) -> None:
    query = made_up(seed, ties=ties)
    path = outcomes(query, MMR, 5)
    entries = entries_before_seating(query.request, MMR)
    similarity, relevance = similarity_of(entries), np.array([one.relevance for one in entries])
    for lam in GRID:
        picks = greedy(relevance, 5, lam, rows=similarity.rows).indices.tolist()
        place = int(np.searchsorted(path.starts, lam, side="right")) - 1
        assert list(path.picks[place]) == picks, lam


def test_no_grid_step_is_better_than_the_optimum() -> None:
    measure = parse("StRecall@5")
    functions = [one for seed in range(12) if (one := outcomes(made_up(seed), MMR, 5).steps(measure)) is not None]
    found = choose_lambda(functions)
    assert found.best_mean >= max(Curve(tuple(functions)).at(lam) for lam in GRID) - 1e-12
    assert found.best <= found.lam <= 1.0
    assert found.best_mean >= found.mean


steps = st.lists(st.tuples(st.floats(0.01, 0.99), st.integers(0, 4)), max_size=6, unique_by=lambda one: one[0]).map(
    lambda cuts: Steps(
        np.array([0.0, *(cut for cut, _ in sorted(cuts))]),
        np.array([1.0, *(float(value) for _, value in sorted(cuts))]),
    )
)


@given(st.lists(steps, min_size=1, max_size=6), st.floats(0, 1))
def test_the_mean_curve_is_the_mean_of_the_functions(functions: list[Steps], lam: float) -> None:
    curve = Curve(tuple(functions))
    place = int(np.searchsorted(curve.starts, lam, side="right")) - 1
    assert curve.means[place] == pytest.approx(curve.at(lam))


@given(st.lists(steps, min_size=1, max_size=6))
def test_the_choice_is_within_one_paired_standard_error_of_the_best(functions: list[Steps]) -> None:
    found = choose_lambda(functions)
    curve = Curve(tuple(functions))
    everywhere = [*curve.starts, *((a + b) / 2 for a, b in zip(curve.starts, [*curve.starts[1:], 1.0], strict=True))]
    assert found.best_mean >= max(curve.at(float(lam)) for lam in everywhere) - 1e-9
    behind = curve.per_query(found.best) - curve.per_query(found.lam)
    error = behind.std(ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else 0.0
    assert behind.mean() <= error + 1e-9
    assert found.lam >= found.best


def test_when_nothing_matters_lambda_is_one() -> None:
    flat = Steps(np.array([0.0]), np.array([0.4]))
    assert choose_lambda([flat, flat]).lam == 1.0
    noise = [Steps(np.array([0.0, 0.5]), np.array([value, 0.5])) for value in (0.9, 0.2, 0.6, 0.35)]
    assert choose_lambda(noise).lam == 1.0, "a gain within the noise is no reason to leave 1"


def test_when_it_matters_lambda_is_the_nearest_that_does_as_well() -> None:
    clear = [Steps(np.array([0.0, 0.3, 0.7]), np.array([0.2, 0.9, 0.1])) for _ in range(5)]
    found = choose_lambda(clear)
    assert (found.lam, found.low, found.high) == (0.6, 0.3, 0.7)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 0.5, 0.4),
        (0.71, 0.79, 0.78),
        (0.7, 0.8, 0.7),
        (0.0, 0.07, 0.0),
        (0.12345, 0.123461, 0.12346),
        (0.0, 1e-20, 0.0),
    ],
)
def test_the_roundest_number_of_a_step(low: float, high: float, expected: float) -> None:
    assert roundest(low, high) == pytest.approx(expected, abs=1e-15)
    assert low <= roundest(low, high) < high


def test_copies_are_collapsed_before_the_path() -> None:
    candidates = [
        {"id": id, "text": text, "score": 0.5, "vector": [1.0, 0.0]}
        for id, text in (("a", "the same words"), ("b", "The same  words"), ("c", "others"))
    ]
    query = BankQuery("q", read_request({"candidates": candidates}), Judgments.binary({"f": ["c"]}))
    collapsing = Policy.model_validate({"collapse": {"cosine": False}, "diversity": {"objective": "mmr"}})
    assert [one.id for one in outcomes(query, collapsing, 3).passages] == ["a", "c"]
    assert [one.id for one in outcomes(query, MMR, 3).passages] == ["a", "b", "c"]
