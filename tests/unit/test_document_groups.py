"""Groups of documents in a store: made when it is written, counted when it is searched, handed on."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from reparto import registry
from reparto.corpus.chunking.paragraphs import Paragraphs
from reparto.corpus.indexing import Indexer
from reparto.documents import Document
from reparto.errors import MissingExtraError
from reparto.retrieval.searching import Search
from reparto.stores.base import Store
from reparto.stores.filters import Filters, filters_from
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest

WORDS = [
    first + last for first in ("ba", "co", "du", "fe", "gi", "lo") for last in ("rran", "stil", "ndor", "mbex", "lko")
]
DRAWN = random.Random(5)
BODY = (
    " ".join(f"{' '.join(DRAWN.choices(WORDS, k=12)).capitalize()}." for _ in range(24))
    + " The gangway and the tender."
)
INTRO = "Readers of this paper had asked what the keepers of the old port do all day long in winter."
STORY = Document("story", f"MADRID, 3 mar (EFE).- {BODY}", source="daily", published="2026-03-03")
COPY = Document("copy", f"{INTRO} {BODY}", source="weekly", published="2026-03-05")
OTHER = Document("other", "A recipe for lentil soup, with leeks and a bay leaf.", source="food")
SIZE = 300  # characters of a chunk: the intro shifts every one of the copy


@pytest.fixture(params=registry.names("stores"))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    try:
        made = registry.load("stores", request.param)(Location(str(tmp_path)), Manifest(request.param))
    except MissingExtraError as error:
        pytest.skip(str(error))
    Indexer(made, Paragraphs(SIZE, 0)).index([STORY, COPY, OTHER])
    yield made
    made.close()


def test_chunks_cut_elsewhere_are_counted_by_their_documents(store: Store) -> None:
    chunks = {row.chunk.id: row.membership for row in store.rows() if row.membership}
    assert any(place.leads(id) for id, place in chunks.items() if id.startswith("copy#")), "cut at other places"
    answer = Search(store)(" ".join(WORDS[:3]), query_class="survey", k=3)
    story = answer.selection.seats[0]
    assert story.document == "story"
    assert (story.copies.count, sorted(story.copies.documents)) == (2, ["copy", "story"])
    assert sorted(story.copies.sources) == ["daily", "weekly"]
    assert (story.copies.first_published, story.copies.last_published) == ("2026-03-03", "2026-03-05")
    assert "carried by 2 outlets" in answer.selection.to_context()


def test_what_a_group_of_documents_amounts_to(store: Store) -> None:
    places = store.standings()
    assert places["other"].by == "other"
    assert places["copy"].by == places["story"].by == "story"
    assert (places["copy"].relation, places["copy"].wire, places["copy"].wire_by) == ("near", "EFE", "copy")
    assert (places["story"].copies, places["story"].sources, places["story"].wire_by) == (2, 2, "dateline")
    assert places["story"].first_published == places["copy"].first_published == "2026-03-03"
    seats = Search(store)(BODY[:60], query_class="survey", k=3).selection.seats
    told = next(seat for seat in seats if seat.document == "story").metadata["retrieval"]["document"]
    assert told == {"copies": 2, "sources": 2, "first_published": "2026-03-03", "wire": "EFE", "wire_by": "dateline"}


def test_chunks_that_lie_within_the_leading_document_are_not_retrieved(store: Store) -> None:
    within = [row.chunk.id for row in store.rows() if row.membership and (row.membership.within or 0) >= 0.9]
    assert within
    assert all(id.startswith("copy#") for id in within)
    found = {hit.id for hit in store.lexical(" ".join(WORDS[:3]), 50, Filters())}
    assert not found & set(within)
    assert any(id.startswith("copy#") for id in (hit.id for hit in store.lexical("readers", 5, Filters()))), "its own"
    filtered = Search(store)(WORDS[0], query_class="survey", k=3, filters=filters_from(["source=weekly"])).selection
    assert {seat.document for seat in filtered.seats} == {"copy"}
    assert all(seat.copies.count == 1 for seat in filtered.seats)


def test_a_copy_counts_only_for_the_chunks_that_it_carries(store: Store) -> None:
    half = Document("half", BODY[: len(BODY) * 3 // 4], source="evening", published="2026-03-06")
    Indexer(store, Paragraphs(SIZE, 0)).index([half])
    place = store.standings()["half"]
    chunks = [row.chunk for row in store.rows() if row.chunk.document == "story"]
    assert place.by == "story"
    assert 0 < len(place.lacks) < len(chunks)
    rows = list(store.rows([chunk.id for chunk in chunks]))
    search = Search(store)
    answer = search("gangway tender", query_class="survey", k=1).selection.seats[0]
    assert answer.id in place.lacks
    assert "half" not in answer.copies.documents
    first = search(rows[0].chunk.text, query_class="survey", k=1).selection.seats[0]
    assert sorted(first.copies.documents) == ["copy", "half", "story"]


def test_a_leading_document_that_goes_hands_its_place_on(store: Store) -> None:
    Indexer(store, Paragraphs(SIZE, 0)).delete(["story"])
    places = store.standings()
    assert sorted(places) == ["copy", "other"]
    assert (places["copy"].by, places["copy"].copies, places["copy"].lacks) == ("copy", 1, ())
    assert not [row for row in store.rows() if row.membership and row.membership.within]
    seat = Search(store)(" ".join(WORDS[:2]), query_class="survey", k=1).selection.seats[0]
    assert (seat.document, seat.copies.count) == ("copy", 1)


def test_groups_do_not_depend_on_the_order_of_writing(store: Store, tmp_path: Path) -> None:
    other = registry.load("stores", "memory")(Location(str(tmp_path / "other")), Manifest("memory"))
    for one in (COPY, OTHER, STORY):
        Indexer(other, Paragraphs(SIZE, 0)).index([one])
    assert other.standings() == store.standings()
    assert {row.chunk.id: row.membership for row in other.rows()} == {
        row.chunk.id: row.membership for row in store.rows()
    }
