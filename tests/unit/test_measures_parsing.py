"""Measures are written as in ir-measures: read, printed, refused with a remedy."""

from __future__ import annotations

import pytest

from reparto.errors import InputError, UnknownNameError
from reparto.evaluation.delivery import Delivery
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import known, parse, parse_all


@pytest.mark.parametrize("name", known())
def test_every_registered_measure_prints_and_parses_back(name: str) -> None:
    measure = parse(name)
    assert parse(str(measure)) == measure


def test_parameters_print_only_where_they_are_not_the_default() -> None:
    assert str(parse("alpha_nDCG(alpha=0.5)@10")) == "alpha_nDCG@10"
    assert str(parse("alpha_nDCG(alpha=0.3,rel=2)@10")) == "alpha_nDCG(alpha=0.3,rel=2)@10"
    assert parse("NRBP(beta=1)") == parse("NRBP(beta=1.0)")


@pytest.mark.parametrize(
    "name", ["alpha_nDCG(alpha=0.2)@5", "StRecall@10", "ERR_IA@20", "P_IA@3", "RR@5", "nDCG@10", "nNRBP"]
)
def test_prints_what_ir_measures_prints(name: str) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="ir-measures is an optional test dependency")
    assert str(parse(name)) == str(ir_measures.parse_measure(name))


def test_an_unknown_measure_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'alpha_nDCG'.*StRecall"):
        parse("alpha_NDGC@10")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("StRecall@0", "cutoff 0 is no rank"),
        ("StRecall@2.5", "no rank"),
        ("StRecall@True", "no rank"),
        ("NRBP@5", "whole list"),
        ("alpha_nDCG(alpha=2)@3", "outside 0..1"),
        ("alpha_nDCG(alfa=0.2)@3", "did you mean 'alpha'"),
        ("alpha_nDCG(0.2)@3", "cannot read"),
        ("StRecall(rel=True)", "no int"),
        ("__import__('os').getcwd()", "cannot read"),
        ("", "cannot read"),
        ("VectorDuplicateRate(at=2)", "outside -1..1"),
        ("WeightedStRecall(vital=-1.0)", "negative"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_remedy(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse(text)


def test_all_problems_of_all_measures_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_all(["StRecall@0", "Nonsense@3", "StRecall@3"])
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize("name", known())
def test_every_measure_is_defined_or_none_on_an_empty_delivery(name: str) -> None:
    value = parse(name).value(Delivery((), Judgments()))
    assert value is None or value == 0.0


def test_measures_of_facts_are_undefined_without_a_judged_fact() -> None:
    for name in (
        "alpha_nDCG@10",
        "StRecall@10",
        "ERR_IA@3",
        "NRBP",
        "MAP_IA",
        "P_IA@5",
        "RR@3",
        "nDCG@3",
        "RedundantSeats@3",
    ):
        assert parse(name).value(Delivery((), Judgments())) is None
