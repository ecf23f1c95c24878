"""Calibration: thresholds with a bound, a score map, a choice that knows when to say no, a contract with reasons."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reparto.contract import Contract
from reparto.evaluation.bank import Bank, BankQuery
from reparto.evaluation.calibrate.calibration import Wishes, calibrate, with_cutoff
from reparto.evaluation.calibrate.contract import toml
from reparto.evaluation.calibrate.logistic import fit_score_map
from reparto.evaluation.calibrate.nested import choose, judge
from reparto.evaluation.calibrate.options import Option, options_for
from reparto.evaluation.calibrate.thresholds import calibrate_thresholds, features, pick
from reparto.evaluation.calibrate.trials import Table
from reparto.evaluation.curve import Steps
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.pairs import Pair, Side
from reparto.evaluation.statistics import wilson
from reparto.intake import read_request

OPTIONS = (Option("off"), Option("mild"), Option("path", path=True), Option("strong"))


def table(*columns: np.ndarray, path: tuple[Steps, ...] | None = None) -> Table:
    fixed = [*columns]
    if path is None:
        return Table(
            OPTIONS[:2] + OPTIONS[3:], tuple(map(str, range(len(fixed[0])))), tuple(fixed), (None,) * len(fixed)
        )
    return Table(OPTIONS[:3], tuple(map(str, range(len(fixed[0])))), (fixed[0], fixed[1], None), (None, None, path))


def test_a_gain_within_the_noise_is_left_off() -> None:
    chance = np.random.default_rng(0)
    off = chance.random(60)
    verdict = judge(table(off, off + chance.normal(0, 0.1, 60), off + chance.normal(0, 0.1, 60)))
    assert not verdict.change
    assert "leave it off" in verdict.sentence()
    assert "% of resamples" in verdict.sentence(), "how sure it is"


def test_a_clear_gain_is_recommended_and_measured_out_of_fold() -> None:
    chance = np.random.default_rng(1)
    off = chance.random(60)
    verdict = judge(table(off, off, off + 0.1 + chance.normal(0, 0.02, 60)))
    assert verdict.change
    assert verdict.choice.option.name == "strong"
    assert verdict.gain.mean == pytest.approx(0.1, abs=0.02)
    assert verdict.gain.low > 0


def test_of_two_that_do_as_well_the_one_nearer_off_is_chosen() -> None:
    off = np.zeros(40)
    found = choose(table(off, off + 0.1, off + 0.1), range(40))
    assert found.option.name == "mild"
    noisy = off + 0.1 + np.tile([0.02, -0.016], 20)
    assert choose(table(off, off + 0.1, noisy), range(40)).option.name == "mild"


def test_lambda_is_chosen_in_each_fold_and_reported() -> None:
    off = np.full(30, 0.2)
    path = tuple(Steps(np.array([0.0, 0.4, 0.8]), np.array([0.1, 0.9, 0.2])) for _ in range(30))
    verdict = judge(table(off, off, path=path))
    assert verdict.change
    assert verdict.choice.lam == 0.7
    assert verdict.choice.label == "path, lambda 0.7"
    assert verdict.folds == {"path": 10}


def test_a_table_of_one_query_changes_nothing() -> None:
    verdict = judge(table(np.array([0.1]), np.array([0.9]), np.array([0.9])))
    assert not verdict.change, "one query has no fold to be tried on"
    with pytest.raises(ValueError, match="no query"):
        judge(table(np.zeros(0), np.zeros(0), np.zeros(0)))


def test_seldom_a_change_on_noise() -> None:
    """300 tables of pure noise, three options each: the share of changes stays near the 2.5 % that is stated."""
    changes = 0
    for seed in range(300):
        chance = np.random.default_rng(seed)
        off = chance.random(30)
        columns = [off, *(off + chance.normal(0, 0.2, 30) for _ in range(2))]
        changes += judge(table(*columns), samples=500, seed=seed).change
    assert changes <= 18


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=200), st.sampled_from([0.5, 0.8, 0.9]))
def test_a_picked_threshold_has_its_bound_and_no_lower_one_has(rows: list[tuple[float, bool]], target: float) -> None:
    scores, right = np.array([s for s, _ in rows]), np.array([r for _, r in rows], dtype=bool)
    found = pick(scores, right, target)

    def bound(threshold: float) -> float:
        passing = scores >= threshold
        return wilson(int((passing & right).sum()), int(passing.sum()))[0] if passing.any() else 0.0

    if found is None:
        assert all(bound(one) < target for one in scores)
    else:
        assert bound(found) >= target
        assert all(bound(one) < target for one in scores if one < found)


def pairs_with_cosines(n: int, seed: int = 0) -> list[Pair]:
    """Copies have a cosine above .9, others below .8; a few of each on the wrong side."""
    chance = random.Random(seed)
    found = []
    for i in range(n):
        same = chance.random() < 0.5
        cosine = chance.uniform(0.9, 1.0) if same != (chance.random() < 0.02) else chance.uniform(0.0, 0.8)
        b = np.array([cosine, np.sqrt(1 - cosine**2)])
        found.append(
            Pair(
                Side(f"a{i}", f"left {i}", np.array([1.0, 0.0])),
                Side(f"b{i}", f"right {i}", b),
                "copy" if same else "different",
            )
        )
    return found


def test_thresholds_say_what_they_rest_on() -> None:
    resemblance, containment, cosine = calibrate_thresholds(pairs_with_cosines(600), 0.9)
    assert cosine.value is not None
    assert 0.7 < cosine.value < 0.9, "as low as the bound allows, among the few wrong ones"
    assert cosine.bound >= 0.9
    assert wilson(*cosine.held_out)[1] >= 0.9
    assert "held out" in cosine.because
    assert resemblance.value is None
    assert "cannot tell" in containment.because


def test_too_few_pairs_cannot_tell() -> None:
    for one in calibrate_thresholds(pairs_with_cosines(20), 0.95):
        assert one.value is None


def test_revisions_say_nothing_about_a_threshold() -> None:
    same = "The ferry between the islands stops at nine from Monday on."
    revisions = [Pair(Side("a", same), Side("b", same), "revision")] * 200
    copies = [Pair(Side("a", same), Side("b", same), "copy")] * 200
    others = [Pair(Side("a", same), Side("b", "Trams run all night."), "different")] * 50
    found = calibrate_thresholds([*revisions, *copies, *others], 0.9)[0]
    assert (found.pairs, found.value) == (250, 1.0)


def test_features_are_those_that_collapse_compares() -> None:
    text = "one two three four five six seven eight nine ten"
    table = features(
        [
            Pair(Side("a", text), Side("b", text.upper()), "copy"),
            Pair(Side("a", text), Side("b", "one two three four five"), "contained"),
        ]
    )
    assert table["resemblance"][0] == 1.0
    assert table["containment"].tolist() == [1.0, 1.0]
    assert table["resemblance"][1] == pytest.approx(3 / 8)
    assert np.isnan(table["cosine"]).all()


def scored_bank(slope: float, seed: int = 0, n: int = 40) -> Bank:
    """Candidates whose chance of carrying the fact is logistic in a score with midpoint 5."""
    chance = np.random.default_rng(seed)
    queries = []
    for number in range(n):
        scores = chance.uniform(0, 10, 20)
        hits = chance.random(20) < 1 / (1 + np.exp(-slope * (scores - 5)))
        rows = [{"id": f"c{i}", "text": f"text {i} of {number}", "score": float(s)} for i, s in enumerate(scores)]
        facts = {"f": [f"c{i}" for i in np.flatnonzero(hits)] or ["none"]}
        queries.append(BankQuery(f"q{number}", read_request({"candidates": rows}), Judgments.binary(facts)))
    return Bank("scored", tuple(queries))


def test_the_score_map_finds_the_curve_it_was_made_with() -> None:
    found = fit_score_map(scored_bank(1.2))
    assert found.midpoint == pytest.approx(5, abs=0.4)
    assert found.slope == pytest.approx(1.2, rel=0.2)


@pytest.mark.parametrize("slope", [0.0, -1.0])
def test_no_score_map_where_relevance_does_not_rise(slope: float) -> None:
    found = fit_score_map(scored_bank(slope, seed=3))
    assert (found.midpoint, found.slope) == (None, None)
    assert "cannot tell" in found.because


def test_no_score_map_on_a_handful_of_labels() -> None:
    assert "are needed" in fit_score_map(scored_bank(1.2, n=1)).because


def copies_bank(judged: bool, n: int = 30) -> Bank:
    """Copies crowd out a second fact in every query."""
    queries = []
    for number in range(n):
        story = (
            f"The night ferry number {'abcdefghij'[number % 10]} stops running at nine from Monday on, the harbour said"
        )
        texts = [
            story,
            story + ".",
            f"{story}!",
            f"Another text altogether about {number} trams that run all night long.",
        ]
        rows = [{"id": f"{number}-{i}", "text": text, "score": 0.9 - i / 100} for i, text in enumerate(texts)]
        facts = {"f1": [f"{number}-0", f"{number}-1"], "f2": [f"{number}-3"]} if judged else {}
        queries.append(BankQuery(f"q{number}", read_request({"candidates": rows}), Judgments.binary(facts)))
    return Bank("copies", tuple(queries))


def test_a_bank_of_copies_is_told_to_collapse_and_the_contract_says_why(tmp_path: Path) -> None:
    found = calibrate(copies_bank(judged=True), (), Wishes(k=2))
    assert found.classes[0].verdict is not None
    assert found.classes[0].verdict.change
    path = tmp_path / "c.toml"
    path.write_text(toml(found), encoding="utf-8")
    policy = Contract.load(path).resolve("survey").policy
    assert policy.collapse is not None
    assert policy.k == 2
    assert (policy.quotas, policy.reserve) == (None, None), "what was measured without them is served without them"
    text = toml(found)
    assert "out of fold" in text
    assert "# " in text.split("collapse = ")[0].splitlines()[-1], "a comment right above the number"


def test_without_judgments_the_front_is_walked_within_the_declared_loss(tmp_path: Path) -> None:
    found = calibrate(copies_bank(judged=False), (), Wishes(k=2, max_loss=0.05))
    front = found.classes[0].front
    assert front is not None
    assert front.points[0].duplicates > 0
    assert front.choice.duplicates == 0
    assert front.choice.loss.high <= 0.05
    assert "no judgments" in toml(found)
    none = calibrate(copies_bank(judged=False), (), Wishes(k=2, max_loss=-1.0)).classes[0]
    assert "leave it off" in none.sentence


def test_the_front_holds_no_point_that_another_beats() -> None:
    front = calibrate(copies_bank(judged=False, n=6), (), Wishes(k=2)).classes[0].front
    assert front is not None
    best = [one for one in front.points if one.front]
    assert best
    for one in best:
        assert not any(o.duplicates < one.duplicates and o.loss.mean < one.loss.mean for o in front.points)


def test_what_is_left_off_is_written_as_relevance_only() -> None:
    found = calibrate(scored_bank(1.2, n=12), (), Wishes(k=3))
    text = toml(found)
    assert not found.classes[0].verdict.change  # type: ignore[union-attr]
    written = tomllib.loads(text)["classes"]["survey"]
    assert written["diversity"] == {"objective": "relevance"}
    assert (written["quotas"], written["reserve"]) == (False, False), "or the built-in ones would show through"
    assert written["collapse"]["exact"]
    assert "leave it off" in text


def test_options_begin_with_off_and_ask_for_what_the_bank_has() -> None:
    names = [one.name for one in options_for(copies_bank(judged=True, n=2))]
    assert names[0] == "off"
    assert not any("cosine" in name or "document" in name for name in names)
    rows = [{"id": str(i), "text": "t", "score": 0.5, "vector": [1.0, i], "document": "d"} for i in range(3)]
    rich = Bank("b", (BankQuery("q", read_request({"candidates": rows}), Judgments()),))
    names = [one.name for one in options_for(rich)]
    assert any("of a document" in name for name in names)
    assert any("cosine" in name for name in names)


def test_a_measure_without_a_cutoff_is_taken_at_k() -> None:
    assert str(with_cutoff("StRecall", 7)) == "StRecall@7"
    assert str(with_cutoff("StRecall@3", 7)) == "StRecall@3"
    assert str(with_cutoff("NRBP", 7)) == "NRBP"


def test_class_names_and_texts_are_quoted_in_the_contract(tmp_path: Path) -> None:
    bank = copies_bank(judged=True, n=3)
    odd = Bank(
        "b",
        tuple(
            BankQuery(
                q.id,
                read_request({"query_class": 'odd "class".x', "candidates": list(q.request.candidates)}),
                q.judgments,
            )
            for q in bank
        ),
    )
    path = tmp_path / "c.toml"
    path.write_text(toml(calibrate(odd, (), Wishes(k=2))), encoding="utf-8")
    assert 'odd "class".x' in Contract.load(path).classes
