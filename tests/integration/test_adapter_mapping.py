"""Metadata of other systems as candidate fields, and lambdas that turn the other way."""

from __future__ import annotations

import datetime

import pytest

import reparto
from reparto.integrations.mapping import candidate
from reparto.integrations.pools import elastic
from reparto.integrations.pools.lambdas import TO_THEIRS, to_theirs


def test_usual_keys_become_fields() -> None:
    made = candidate(
        "a", "text", 0.5, {"doc_id": "D", "start_index": 3, "site": "S", "date": "2024-01-02", "lang": "en"}
    )
    assert (made["document"], made["start"], made["end"]) == ("D", 3, 7)
    assert (made["source"], made["published"], made["language"]) == ("S", "2024-01-02", "en")
    assert made["metadata"]["doc_id"] == "D"


def test_a_named_field_goes_before_the_usual_one() -> None:
    assert candidate("a", "t", 1, {"source": "path/x.pdf", "host": "H"}, fields={"source": "host"})["source"] == "H"


def test_what_does_not_fit_stays_metadata() -> None:
    made = candidate(
        "a", "t", 1, {"source": {"deep": 1}, "start": 4.5, "tier": "bronze", "date": datetime.date(2024, 1, 2)}
    )
    assert not {"source", "start", "tier"} & made.keys()
    assert reparto.select([made])[0].published == "2024-01-02"


def test_offsets_without_a_document_mean_nothing() -> None:
    assert "start" not in candidate("a", "t", 1, {"start_index": 4})


@pytest.mark.parametrize("system", sorted(TO_THEIRS))
def test_both_maps_are_their_own_inverse(system: str) -> None:
    assert to_theirs(system, to_theirs(system, 0.3)) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("system", "theirs"),
    [("opensearch", 0.25), ("qdrant", 0.25), ("pyversity", 0.25), ("elasticsearch", 0.75), ("langchain", 0.75)],
)
def test_lambda_keeps_its_meaning(system: str, theirs: float) -> None:
    assert to_theirs(system, 0.75) == pytest.approx(theirs)


def test_an_unknown_system_is_named() -> None:
    with pytest.raises(reparto.UnknownNameError, match="qdrant"):
        to_theirs("qdrnat", 0.5)


# The shapes of public responses, with made-up contents.
ELASTIC = {
    "took": 3, "timed_out": False, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {
        "total": {"value": 3, "relation": "eq"}, "max_score": 2.5,
        "hits": [
            {
                "_index": "news", "_id": "1", "_score": 2.5, "fields": {"story": ["s1"]},
                "_source": {"text": "The harbour wall fell", "source": "A", "embedding": [1.0, 0.0], "published": "2024-01-02"},
                "inner_hits": {"story": {"hits": {"total": {"value": 4, "relation": "eq"}, "max_score": 2.5, "hits": [
                    {"_index": "news", "_id": "1", "_score": 2.5, "_source": {"source": "A"}},
                    {"_index": "news", "_id": "7", "_score": 2.1, "_source": {"source": "B"}},
                ]}}},
            },
            {"_index": "news", "_id": "2", "_score": 1.0, "_source": {"text": "The crane stands", "source": "C", "embedding": [0.0, 1.0]}},
        ],
    },
}  # fmt: skip


def test_a_response_with_collapse_keeps_its_multiplicity() -> None:
    found = elastic.pool(ELASTIC, vector="embedding")
    selection = reparto.select(found, k=2)
    assert selection.ids == ["1", "2"]
    assert selection[0].copies.count == 4
    assert selection[0].copies.sources == ("A", "B")
    assert found[0]["vector"] == [1.0, 0.0]


def test_opensearch_totals_as_numbers_and_several_indices() -> None:
    hits = [
        {"_index": "a", "_id": "1", "_score": None, "_source": {"body": {"text": "x y z"}}},
        {"_index": "b", "_id": "1", "_score": None, "_source": {"body": {"text": "p q r"}}},
    ]
    found = elastic.pool({"hits": {"total": 2, "hits": hits}}, text="body.text")
    assert [one["id"] for one in found] == ["a/1", "b/1"]
    assert [one["score"] for one in found] == [1.0, 0.5]


def test_what_is_no_response_is_said() -> None:
    with pytest.raises(reparto.RequestError, match=r"hits\.hits"):
        elastic.pool({"error": "x"})
