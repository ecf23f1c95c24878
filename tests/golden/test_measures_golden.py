"""Hand-checked values. The two made-up runs are those on which ndeval.c was read off."""

from __future__ import annotations

import pytest

from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import parse

FACTS = {"1": ["a", "b", "c"], "2": ["d"], "3": ["d", "e"]}
NAMES = (
    "alpha_nDCG@3", "alpha_nDCG@5", "alpha_nDCG@10", "alpha_DCG@5", "ERR_IA@5", "nERR_IA@5",
    "NRBP", "nNRBP", "MAP_IA", "P_IA@5", "StRecall@3",
)  # fmt: skip
GOLDEN = {
    "abcxde": (0.5, 0.693449, 0.749229, 0.48605, 0.419566, 0.609971, 0.363281, 0.537572, 0.488889, 0.333333, 0.333333),
    "adexbc": (0.871892, 0.84726, 0.87515, 0.593859, 0.548664, 0.797654, 0.541016, 0.800578, 0.572222, 0.333333, 1.0),
}  # fmt: skip


def deliver(ids, facts=FACTS, **more) -> Delivery:
    return Delivery(tuple(Passage(id, (id,)) for id in ids), Judgments.binary(facts, **more))


@pytest.mark.parametrize("run", GOLDEN)
@pytest.mark.parametrize("name", NAMES)
def test_the_two_runs_score_as_ndeval_scores_them(run: str, name: str) -> None:
    expected = GOLDEN[run][NAMES.index(name)]
    assert parse(name).value(deliver(run)) == pytest.approx(expected, abs=5e-7)


def test_worked_alpha_ndcg() -> None:
    delivery = deliver("qrp", {"fact1": ["p", "q"], "fact2": ["p"], "fact3": ["r"]})
    assert parse("alpha_nDCG(alpha=0.5)@3").value(delivery) == pytest.approx(2.38093 / 2.88093, abs=1e-5)


def test_at_cutoff_one_the_collection_independent_measures_are_not_divided() -> None:
    """A trap of ndeval.c kept on purpose: at 1 the value is the gain itself, here 2 of 3 facts."""
    delivery = deliver("dab")
    assert parse("alpha_DCG@1").value(delivery) == 2.0
    assert parse("ERR_IA@1").value(delivery) == 2.0
    assert parse("alpha_DCG@2").value(delivery) < 1.0


def test_an_ideal_may_lie_outside_the_pool() -> None:
    delivery = deliver("ab")
    assert parse("StRecall@2").value(delivery) == pytest.approx(1 / 3)
    assert parse("alpha_nDCG@1").value(delivery) == pytest.approx(1 / 2)


def test_facts_total_counts_facts_that_nobody_listed() -> None:
    delivery = deliver("ad", total=6)
    assert parse("StRecall@2").value(delivery) == pytest.approx(3 / 6)
    assert parse("StRecall(listed=True)@2").value(delivery) == 1.0


def test_weights_count_and_unlisted_facts_weigh_one() -> None:
    weights = {"1": 1.0, "2": 0.5, "3": 0.5}
    assert parse("WeightedStRecall@1").value(deliver("a", weights=weights)) == pytest.approx(0.5)
    assert parse("WeightedStRecall(vital=1)@1").value(deliver("a", weights=weights)) == 1.0
    assert parse("WeightedStRecall@1").value(deliver("a", weights=weights, total=5)) == pytest.approx(1 / 4)


def test_redundant_seats_counts_seats_whose_facts_are_all_covered() -> None:
    assert parse("RedundantSeats@6").value(deliver("abcxde")) == pytest.approx(3 / 6)  # b, c and, after d, e
    assert parse("RedundantSeats@2").value(deliver("xa")) == 0.0


def test_reciprocal_rank_and_ndcg() -> None:
    assert parse("RR@3").value(deliver("xya")) == pytest.approx(1 / 3)
    assert parse("MRR@2").value(deliver("xya")) == 0.0
    assert parse("nDCG@2").value(deliver("xa")) == pytest.approx(0.630930 / 1.630930, abs=1e-6)


def test_facts_for_each_thousand_tokens() -> None:
    passages = (Passage("a", ("a",), "…", 100), Passage("d", ("d",), "…", 150))
    assert parse("FactsPer1000Tokens@2").value(Delivery(passages, Judgments.binary(FACTS))) == pytest.approx(12.0)


TEXTS = (
    "Ferries stop at nine",
    "ferries  stop at NINE",
    "Ferries stop at nine",
    "Trams run all night",
    "Taxis cost double",
)


def test_redundant_and_duplicate_rate_are_two_figures() -> None:
    passages = tuple(Passage(str(i), (str(i),), text) for i, text in enumerate(TEXTS))
    delivery = Delivery(passages, Judgments())
    assert parse("RedundantRate@5").value(delivery) == pytest.approx(0.4)
    assert parse("DuplicateRate@5").value(delivery) == pytest.approx(0.6)


def test_spread_counts_a_passage_without_document_as_its_own() -> None:
    places = (("a", "d1", "s"), ("b", "d1", "s"), ("c", None, None), ("d", None, "s2"))
    passages = tuple(Passage(id, (id,), document=document, source=source) for id, document, source in places)
    delivery = Delivery(passages, Judgments())
    assert parse("Documents@4").value(delivery) == 3
    assert parse("Sources@4").value(delivery) == 3
    assert parse("Documents@2").value(delivery) == 1


def test_relevance_loss_is_on_the_scale_of_the_pool() -> None:
    pool = tuple(Passage(id, (id,), score=score) for id, score in zip("abcd", (9.0, 7.0, 3.0, 1.0), strict=True))
    delivery = Delivery((pool[0], pool[2]), Judgments(), pool)
    assert parse("RelevanceLoss@2").value(delivery) == pytest.approx((8.0 - 6.0) / 8.0)


def test_a_merged_span_carries_the_facts_of_its_members() -> None:
    delivery = Delivery((Passage("a", ("a", "d")),), Judgments.binary(FACTS))
    assert parse("StRecall@1").value(delivery) == 1.0
