"""The demo tells what selection did to the feed, and tells it truly."""

from __future__ import annotations

import json

import pytest

from reparto.demo import feed
from reparto.demo.funnel import Shown, funnel
from reparto.demo.picture import picture
from reparto.demo.stored import stored
from reparto.demo.tables import plain

BANK = {line["query_id"]: line for line in feed()}


@pytest.fixture(scope="module")
def shown() -> dict[str, Shown]:
    return {one.id: one for one in funnel()}


def carried(ids: list[str], facts: dict[str, list[str]]) -> set[str]:
    return {fact for fact, holders in facts.items() if set(ids) & set(holders)}


def test_one_seat_stands_for_the_dozen_outlets(shown: dict[str, Shown]) -> None:
    one = shown["what-happened"]
    story = next(part for part in one.behind if part.id.startswith("wire-"))
    assert len(story.sources) >= 12
    others = [part.id for part in one.behind if part.id.startswith("wire-") and part is not story]
    assert all("correction" in id or id.startswith("wire-es-") for id in others), "told once, corrected, and translated"


def test_each_situation_of_the_feed_shows_in_the_panorama(shown: dict[str, Shown]) -> None:
    one = shown["what-happened"]
    behind = {part.id: part for part in one.behind}
    assert set(behind["synthesis"].depth) >= {"synthesis-silver-a", "synthesis-silver-b"}
    assert behind["mail-3"].copies == {"contained": 2}
    assert any(part.merged == ("report-1", "report-2", "report-3", "report-4") for part in one.behind)
    corrections = [revision for revision in one.revisions if "correction" in revision.id]
    assert [revision.differ for revision in corrections] == [("41,000", "48,300")]


def test_pages_that_share_header_and_footer_stay_apart(shown: dict[str, Shown]) -> None:
    for line in shown.values():
        for page in ("council-claims", "council-faults", "council-halls", "council-registry"):
            if page in line.pool:
                assert str(line.selection.decision(page).fate) != "copy", (line.id, page)


def test_the_newer_figure_is_no_copy_of_the_older_one(shown: dict[str, Shown]) -> None:
    one = shown["how-many-homes"]
    assert carried(one.selection.ids, BANK[one.id]["facts"]) == {"homes_48300", "homes_41000"}


@pytest.mark.parametrize("id", list(BANK))
def test_facts_and_figures_agree_with_the_bank(id: str, shown: dict[str, Shown]) -> None:
    # Counted here from the ids alone, with merged chunks taken for their members.
    one, line = shown[id], BANK[id]
    top = [candidate["id"] for candidate in line["candidates"][: one.k]]
    seats = [member for seat in one.selection.seats for member in (seat.span.members if seat.span else (seat.id,))]
    had, has = carried(top, line["facts"]), carried(seats, line["facts"])
    assert list(one.top) == top
    assert (set(one.won), set(one.lost)) == (has - had, had - has)
    before, after = one.measures[f"StRecall@{one.k}"]
    assert before == pytest.approx(len(had) / len(line["facts"]))
    assert after == pytest.approx(len(has) / len(line["facts"]))
    assert after >= before
    assert one.selection.report["duplicate_rate_after"] <= one.selection.report["duplicate_rate_before"]


def test_the_table_holds_lists_figures_and_reasons(shown: dict[str, Shown]) -> None:
    text = plain(list(shown.values()), "no store here")
    for line in BANK.values():
        assert line["query"] in text
    for words in ("carried by 12 outlets", "4 chunks", "over 3 drafts", "= 2", "'48,300' against '41,000'"):
        assert words in text
    assert "Left out: no store here" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 110


def test_the_indexed_feed_finds_the_story_again() -> None:
    line = BANK["what-happened"]
    found = stored(line["query"], "survey")
    assert found.summary["read"] == 57
    assert len(found.selection.seats) == 8
    assert found.selection.report["duplicate_rate_after"] == 0
    stories = [seat for seat in found.selection.seats if seat.id.startswith("wire-")]
    assert any(seat.copies.count > 1 for seat in stories)
    json.dumps(found.to_dict())


def test_the_picture_is_made_of_the_output_and_loads_nothing() -> None:
    drawn = picture()
    assert drawn.startswith("<svg")
    assert "url(http" not in drawn.replace('"', "")
    assert "12&#160;outlets" in drawn
    assert picture() == drawn
