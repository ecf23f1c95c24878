"""The shipped feed is what its sources say, and holds every situation that it promises."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import pytest

from reparto.demo import documents, feed, feed_path
from reparto.demo.build import bank
from reparto.demo.compose import compose
from reparto.demo.prose import Prose, windows

CANDIDATES = {one["id"]: one for line in feed() for one in line["candidates"]}
FACTS = {piece.id: piece.facts for piece in compose()}


def test_the_shipped_file_is_what_the_sources_compose() -> None:
    built = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in bank())
    assert feed_path().read_text(encoding="utf-8") == built


def test_every_written_piece_is_in_some_pool() -> None:
    assert set(CANDIDATES) == set(FACTS)
    assert len(CANDIDATES) >= 60


def test_classes_and_languages_of_the_queries() -> None:
    classes = Counter(line["query_class"] for line in feed())
    assert classes == {"survey": 2, "factual": 1, "navigational": 1}
    spanish = next(line for line in feed() if line["query_id"] == "consecuencias")
    assert spanish["query"].startswith("¿")
    assert spanish["candidates"][0]["language"] == "es"


def test_scores_descend_and_stand_on_several_scales() -> None:
    ranges = []
    for line in feed():
        scores = [one["score"] for one in line["candidates"]]
        assert scores == sorted(scores, reverse=True)
        ranges.append((min(scores), max(scores)))
    assert any(low < 0 for low, _ in ranges)
    assert any(low > 0 and high > 1 for low, high in ranges)
    assert sum(low >= 0 and high <= 1 for low, high in ranges) == 2


@pytest.mark.parametrize("line", feed(), ids=lambda line: line["query_id"])
def test_facts_name_candidates_of_the_pool_and_all_that_carry_them(line: dict) -> None:
    pool = {one["id"] for one in line["candidates"]}
    for fact, ids in line["facts"].items():
        assert ids == sorted(id for id in pool if fact in FACTS[id])
        assert ids, fact
    assert set(line.get("weights", line["facts"])) == set(line["facts"])


def test_a_dozen_outlets_carry_the_story_and_a_trimmed_tail_loses_its_fact() -> None:
    # The last sentence of the story is in the outlets that kept the tail and in no other.
    outlets = {id for id in CANDIDATES if id.startswith("wire-") and "-es-" not in id}
    assert len({CANDIDATES[id]["source"] for id in outlets}) >= 12
    for id in outlets:
        assert ("longest_since_2009" in FACTS[id]) == ("since a storm brought down lines" in CANDIDATES[id]["text"])
        assert ("homes_41000" in FACTS[id]) == ("41,000" in CANDIDATES[id]["text"].replace("(Corrects", ""))
        assert ("homes_48300" in FACTS[id]) == ("48,300" in CANDIDATES[id]["text"])


def test_chunk_offsets_are_exact_and_overlap() -> None:
    report = next(one for one in documents() if one["id"] == "report")
    chunks = sorted((one for one in CANDIDATES.values() if one.get("document") == "report"), key=lambda c: c["start"])
    assert len(chunks) >= 4
    for one in chunks:
        assert report["text"][one["start"] : one["end"]] == one["text"]
    for earlier, later in pairwise(chunks):
        assert earlier["start"] < later["start"] < earlier["end"] < later["end"]
    assert chunks[0]["start"] == 0
    assert chunks[-1]["end"] == len(report["text"])


def test_a_chunk_carries_the_facts_of_its_whole_sentences_only() -> None:
    carried = set().union(*(FACTS[id] for id in CANDIDATES if id.startswith("report-")))
    whole = Prose.parse("First. {a}\nSecond one. {b}\n\nThird. {c}")
    assert [fact for _, _, facts in whole.places() for fact in facts] == ["a", "b", "c"]
    assert "restored_2315" not in FACTS["report-2"]  # its sentence is cut off before the time
    assert {"cable_joint", "homes_48300", "final_report_autumn"} <= carried


def test_a_later_mail_quotes_the_earlier_one_whole() -> None:
    for later, earlier in (("mail-2", "mail-1"), ("mail-3", "mail-2")):
        quoted = [line[1:].removeprefix(" ") for line in CANDIDATES[later]["text"].splitlines() if line.startswith(">")]
        assert "\n".join(quoted) == CANDIDATES[earlier]["text"]
        assert FACTS[earlier] <= FACTS[later]


def test_pages_of_one_site_share_header_and_footer_but_no_fact() -> None:
    pages = [one for one in CANDIDATES.values() if one["text"].startswith("Orvelia Council | Residents")]
    assert len(pages) >= 4
    assert {one["source"] for one in pages} == {"Orvelia Council"}
    assert len({one["text"].split("\n\n")[0] for one in pages}) == 1
    assert len({one["text"].split("\n\n")[-1] for one in pages}) == 1


def test_versions_of_the_notice_are_in_natural_and_in_time_order() -> None:
    notices = sorted(
        (one for one in CANDIDATES.values() if one.get("document") == "notice-claims"),
        key=lambda one: one["published"],
    )
    assert [one["version"] for one in notices] == ["2", "9", "10"]
    assert len(set().union(*(FACTS[one["id"]] for one in notices))) == 3


def test_the_gold_piece_has_silver_variants_in_both_languages() -> None:
    concept = [one for one in CANDIDATES.values() if one.get("concept") == "outage-cause"]
    assert Counter(one["tier"] for one in concept) == {"gold": 1, "silver": 3}
    assert {one["language"] for one in concept} == {"en", "es"}


def test_documents_cover_every_text_once() -> None:
    found = documents()
    assert [one["id"] for one in found] == sorted({one["id"] for one in found})
    whole = {one["id"]: one["text"] for one in found}
    for id, one in CANDIDATES.items():
        assert one["text"] in whole["report" if id.startswith("report-") else id]


def test_windows_of_a_text_without_spaces_still_end() -> None:
    assert windows("x" * 10, 4, 1)[-1][1] == 10
    assert windows("", 4, 1) == [(0, 0)]
    text = "one two three four five six"
    assert all(text[start:end] == text[start:end].strip() for start, end in windows(text, 12, 4))
