"""Close readings of the public interface, one test a sentence, in small tables."""

from __future__ import annotations

from typing import Any

import pytest

import reparto

OFF: dict[str, Any] = {
    "scores": {"scale": "identity"}, "merge": False, "collapse": False, "canonical": False, "quotas": False,
    "reserve": False, "diversity": {"objective": "relevance"}, "budget": False,
}  # fmt: skip
MERGE = {"merge": {"gap": 1, "max_tokens": 1000}}
SAME = "one two three four five six seven eight nine ten"


def one(id: str, text: str, score: float, **fields: Any) -> dict[str, Any]:
    return {"id": id, "text": text, "score": score, **fields}


def selected(candidates: list[dict[str, Any]], **policy: Any) -> dict[str, Any]:
    return reparto.select({"candidates": candidates, "policy": {**OFF, **policy}}).to_dict()


def chunk(id: str, text: str, start: int, end: int, score: float, **fields: Any) -> dict[str, Any]:
    return one(id, text, score, document="d", start=start, end=end, **fields)


@pytest.mark.parametrize(
    ("chunks", "texts"),
    [
        # More letters than the offsets have room for: the first says that it ends where the second begins.
        ([chunk("a", "hello world", 0, 5, 0.5), chunk("b", "world again", 6, 17, 0.6)], {"hello world", "world again"}),
        ([chunk("a", "hello ", 0, 6, 0.5), chunk("b", "world again", 6, 11, 0.6)], {"hello ", "world again"}),
        # White space beyond the claim is no disagreement.
        ([chunk("a", "hello \n world", 0, 11, 0.5), chunk("b", " again", 11, 17, 0.6)], None),
    ],
)
def test_a_text_that_its_offsets_have_no_room_for_is_not_merged(
    chunks: list[dict[str, Any]], texts: set[str] | None
) -> None:
    answer = selected(chunks, **MERGE)
    warned = [warning["ids"] for warning in answer["warnings"] if warning["code"] == "offsets_disagree"]
    if texts is None:
        assert len(answer["seats"]) == 1 and not warned
    else:
        assert {seat["text"] for seat in answer["seats"]} == texts and warned == [["a", "b"]]


def test_white_space_at_an_overlap_of_trimmed_chunks_is_delivered_once() -> None:
    a = chunk("a", "It is here. ", 0, 13, 0.5)  # one unit short of what it claims
    answer = selected([a, chunk("b", "is here. And there.", 3, 22, 0.6)], **MERGE)
    assert [seat["text"] for seat in answer["seats"]] == ["It is here. And there."]


def test_a_member_of_a_span_is_no_copy_though_it_brings_copies() -> None:
    copies = {"count": 3, "ids": ["a", "p", "q"]}
    answer = selected([chunk("a", "It is here. ", 0, 12, 0.5, copies=copies), chunk("b", "Now.", 12, 16, 0.6)], **MERGE)
    assert [(seat["copies"]["count"], sorted(seat["copies"]["ids"])) for seat in answer["seats"]] == [
        (3, ["b", "p", "q"])
    ]


@pytest.mark.parametrize(
    ("wanted", "languages", "best"),
    [
        ("en", {"a": "es", "b": "en-GB"}, "b"),
        ("en", {"a": "es", "b": "EN_us"}, "b"),
        ("en-GB", {"a": "en", "b": "en-GB"}, "b"),
        ("en", {"a": "es", "b": "enm"}, "a"),
        ("en", {"a": "es", "b": None}, "a"),
    ],
)
def test_a_regional_variant_is_in_the_preferred_language(
    wanted: str, languages: dict[str, str | None], best: str
) -> None:
    candidates = [one("a", SAME, 0.9, language=languages["a"]), one("b", SAME, 0.8, language=languages["b"])]
    assert [seat["id"] for seat in selected(candidates, collapse={"language": wanted})["seats"]] == [best]


@pytest.mark.parametrize(
    ("representative", "a", "b", "warned"),
    [
        ("latest", "2024-02-01T10:00", "2024-03-01", [["a"]]),
        ("earliest", "2024-02-01T10:00", "2024-03-01T10:00", [["a", "b"]]),
        ("latest", "2024-02-01T10:00Z", "2024-03-01", []),
        ("latest", "2024-02-01T10:00", None, []),
        ("score", "2024-02-01T10:00", "2024-03-01", []),
    ],
)
def test_a_time_without_zone_that_chooses_among_copies_is_warned_about(
    representative: str, a: str, b: str | None, warned: list[list[str]]
) -> None:
    candidates = [one("a", SAME, 0.9, published=a), one("b", SAME, 0.8, published=b)]
    answer = selected(candidates, collapse={"representative": representative})
    assert [warning["ids"] for warning in answer["warnings"] if warning["code"] == "zone_missing"] == warned


@pytest.mark.parametrize("scale", ["auto", "identity", "minmax", "rank"])
def test_fused_scores_are_relevance_though_the_channels_give_distances(scale: str) -> None:
    channels = {"dense": [one("a", "First in both", 0.1), one("b", "Second in both", 0.8)]}
    policy = {**OFF, "scores": {"kind": "distance", "scale": scale}}
    answer = reparto.select({"channels": channels, "policy": policy}).to_dict()
    assert [seat["id"] for seat in answer["seats"]] == ["a", "b"]


def test_what_holds_a_seat_of_its_own_is_no_copy_elsewhere() -> None:
    candidates = [
        {"id": "a", "score": 0.9, "text": "The kiln is hot", "copies": {"count": 3, "ids": ["a", "b", "z"]}},
        {"id": "b", "score": 0.8, "text": "Clay must dry first"},
    ]
    selection = reparto.select(candidates, policy={"collapse": False, "diversity": {"objective": "relevance"}})
    assert [(seat.id, seat.copies.count, seat.copies.ids) for seat in selection] == [
        ("a", 2, ("a", "z")),
        ("b", 1, ("b",)),
    ]
