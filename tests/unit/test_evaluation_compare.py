"""Systems against baselines: paired, corrected, explained; small banks made up for the purpose."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy as np
import pytest

from reparto.contract import Contract
from reparto.errors import MissingExtraError, UnknownNameError
from reparto.evaluation import baselines
from reparto.evaluation.bank import Bank, BankQuery
from reparto.evaluation.baselines.oracle import Oracle
from reparto.evaluation.baselines.topk import TopK
from reparto.evaluation.evaluate import evaluate, of_query
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import parse_all
from reparto.evaluation.report import markdown
from reparto.evaluation.systems import BaselineSystem, ContractSystem, GivenRanking, Seats
from reparto.intake import read_request
from reparto.pipeline import select

MEASURES = parse_all(["StRecall@2", "RedundantRate@2", "ILD@2"])
STORY = "The night ferry between the two islands stops running at nine from Monday on, the harbour said."


def query(name: str, texts: dict[str, str], facts: dict[str, list[str]], **more: Any) -> BankQuery:
    """A query whose candidates score in the order they are given."""
    candidates = [
        {"id": id, "text": text, "score": 1.0 - place / 10, **more} for place, (id, text) in enumerate(texts.items())
    ]
    request = read_request({"query": "ferry", "query_class": "factual", "k": 2, "candidates": candidates})
    return BankQuery(name, request, Judgments.binary(facts))


def small_bank(n: int = 6) -> Bank:
    """Each query: a story, its copy, and another text with a second fact. top-2 finds one fact, collapse two."""
    texts = {"a": STORY, "a2": STORY + " ", "b": "A second ferry will be bought, says the mayor of the smaller island."}
    queries = [
        query(
            f"q{i}",
            {f"{id}{i}": f"{text} {i}" for id, text in texts.items()},
            {"f1": [f"a{i}", f"a2{i}"], "f2": [f"b{i}"]},
        )
        for i in range(n)
    ]
    return Bank("small", tuple(queries))


def report(bank: Bank, names: list[str] = ["top-k"]) -> Any:  # noqa: B006
    seats = Seats(Contract())
    return evaluate(bank, [ContractSystem("ours", seats)], names, MEASURES, seats, samples=500)


def test_collapse_wins_the_second_fact_in_every_query() -> None:
    found = report(small_bank())
    compared = {one.measure: one for one in found.comparisons}
    assert compared["StRecall@2"].interval.mean == pytest.approx(0.5)
    assert (compared["StRecall@2"].better, compared["StRecall@2"].worse) == (6, 0)
    assert compared["RedundantRate@2"].interval.mean == pytest.approx(-0.5)
    assert compared["RedundantRate@2"].better == 6, "less repetition is better"
    assert "ILD@2" not in compared, "without vectors the measure is not defined and not compared"


def test_corrected_p_is_never_below_the_plain_one_and_decides() -> None:
    for one in report(small_bank(8)).comparisons:
        assert one.p_holm >= one.p
        assert one.helps is (True if one.p_holm < 0.05 else None)


def test_each_won_fact_is_told_with_its_seat() -> None:
    found = report(small_bank(2))
    assert [one.because for one in found.changes] == [
        f"query q{i} won fact f2, which top-k lacks: b{i} has seat 2 (rank 3)" for i in range(2)
    ]
    assert [one.query for one in of_query(found, "q1").changes] == ["q1"]


def test_a_lost_fact_is_told_with_the_fate_of_its_passages() -> None:
    bank = Bank("b", (query("q17", {"p1": STORY, "p4": STORY + " ", "c": "Trams run all night."}, {"f3": ["p4"]}),))
    change = report(bank).changes[0]
    assert change.lost
    assert change.because.startswith("query q17 lost fact f3, which top-k delivers, because p4 (rank 2) is a")
    assert "copy of p1" in change.because
    assert change.passages[0]["fate"] == "copy"


def test_a_span_carries_the_facts_of_its_members() -> None:
    text = "First sentence of the page. Second sentence of the page."
    cut = text.index("Second")
    candidates = [
        {"id": "x", "text": text[:cut], "score": 0.9, "document": "d", "start": 0, "end": cut},
        {"id": "y", "text": text[cut:], "score": 0.8, "document": "d", "start": cut, "end": len(text)},
    ]
    request = read_request(
        {"query": "", "query_class": "factual", "k": 1, "candidates": candidates, "policy": {"merge": {}}}
    )
    bank = Bank("b", (BankQuery("q", request, Judgments.binary({"f1": ["x"], "f2": ["y"]})),))
    found = evaluate(bank, [ContractSystem("ours", Seats(Contract()))], [], parse_all(["StRecall@1"]))
    assert found.systems[0].scores["StRecall@1"].mean == 1.0


def test_the_seats_of_a_baseline_are_those_of_the_contract() -> None:
    bank = small_bank(1)
    assert len(BaselineSystem(TopK(), Seats(Contract(), k=3)).serve(bank.queries[0]).delivery.passages) == 3
    assert len(BaselineSystem(TopK(), Seats(Contract())).serve(bank.queries[0]).delivery.passages) == 2, (
        "the query's own k"
    )


def test_a_query_without_a_class_is_served_as_select_would_serve_it() -> None:
    candidates = [{"id": str(i), "text": f"Text number {i} of its own", "score": 0.5} for i in range(12)]
    for asked, expected in (("When did the ferry stop running?", "factual"), ("zzz", Contract().default_class)):
        request = read_request({"query": asked, "candidates": candidates})
        one = BankQuery("q", request, Judgments())
        assert Seats(Contract()).class_of(one) == expected == select(request).query_class
        assert len(ContractSystem("ours", Seats(Contract())).serve(one).delivery.passages) == len(select(request))
    assert (
        Seats(Contract(), "navigational").of(BankQuery("q", read_request({"candidates": candidates}), Judgments())) == 1
    )


def test_a_given_ranking_is_scored_as_it_stands() -> None:
    bank = small_bank(1)
    given = BankQuery("q", bank.queries[0].request, bank.queries[0].judgments, ("b0", "nobody"))
    outcome = GivenRanking().serve(given)
    assert [one.id for one in outcome.delivery.passages] == ["b0", "nobody"]
    assert [one.id for one in GivenRanking().serve(bank.queries[0]).delivery.passages] == ["a0", "a20", "b0"]


def test_the_oracle_covers_all_it_can() -> None:
    assert Oracle().rank(small_bank(1).queries[0], 2) == ["a0", "b0"]


def test_a_baseline_that_lacks_vectors_is_left_out_with_a_warning() -> None:
    pytest.importorskip("pyversity", reason="pyversity is an optional dependency")
    found = report(small_bank(2), ["top-k", "pyversity-mmr"])
    assert [one.name for one in found.baselines] == ["top-k"]
    assert any("pyversity-mmr is left out" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    "name", ["pyversity-mmr", "pyversity-dpp", "pyversity-msd", "pyversity-cover", "langchain-mmr"]
)
def test_a_library_baseline_serves_or_names_its_extra(name: str) -> None:
    package = "pyversity" if name.startswith("pyversity") else "langchain_core"
    if importlib.util.find_spec(package) is None:
        with pytest.raises(MissingExtraError, match=r"pip install 'reparto\["):
            baselines.load(name)
        return
    baseline = baselines.load(name)
    vectors = np.eye(3)
    made = read_request(
        {"candidates": [{"id": str(i), "text": "t", "score": 0.5, "vector": vectors[i]} for i in range(3)]}
    )
    one = BankQuery("q", made, Judgments.binary({"f": ["0"]}), vector=vectors[0])
    assert baseline.missing(one) is None
    assert len(set(baseline.rank(one, 2))) == 2


def test_an_unknown_baseline_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="top-k"):
        baselines.load("topk")


def test_the_report_reads_as_markdown_and_as_json() -> None:
    found = report(small_bank(3))
    wire = found.to_dict()
    assert wire["measures"]["StRecall@2"]["mean"] == 1.0
    assert wire["measures"]["StRecall@2"]["per_query"] == {"q0": 1.0, "q1": 1.0, "q2": 1.0}
    assert wire["measures"]["ILD@2"]["mean"] is None, "not NaN, which is no JSON"
    text = markdown(found, shown=1)
    assert "| ours | top-k | StRecall@2 | +0.5000 |" in text
    assert "… and 2 more" in text


def test_text_from_a_bank_cannot_break_a_table() -> None:
    bank = small_bank(1)
    odd = Bank("a|b\nc", bank.queries)
    assert markdown(report(odd)).startswith("# a\\|b c: 1 queries\n")


def test_classes_are_told_apart_when_there_are_several() -> None:
    bank = small_bank(4)
    other = BankQuery(
        "s",
        read_request({"query_class": "survey", "candidates": [{"id": "z", "text": "t", "score": 1}]}),
        Judgments.binary({"f": ["z"]}),
    )
    classes = report(Bank("b", (*bank.queries, other))).classes
    assert classes["survey"]["StRecall@2"].mean == 1.0
    assert not math.isnan(classes["factual"]["StRecall@2"].mean)
    assert report(bank).classes == {}
