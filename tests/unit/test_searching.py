"""Search: pools, fusion, filters, widening, and multiplicity from index time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reparto import registry
from reparto.corpus.chunking.paragraphs import Paragraphs
from reparto.corpus.indexing import Indexer
from reparto.documents import Document
from reparto.errors import CorpusError, MissingExtraError, RequestError
from reparto.retrieval.hybrid import fuse, one_a_group, scored
from reparto.retrieval.searching import Search, check_embedder
from reparto.stores.base import Chunk, Hit, Row, Store
from reparto.stores.filters import Filters, filters_from
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest
from reparto.stores.memory import MemoryStore
from reparto.testing.embedders import HashedWords

EMBEDDER = {"name": "hashed-words", "version": "1", "dimension": 64}
WIRE = "The harbour bridge was closed on Monday after a crane struck its northern pillar, the port authority said."
FEED = [
    *(
        Document(f"w{n}", WIRE, source=f"outlet{n}", published=f"2026-03-0{n + 1}", language="en" if n % 2 else "es")
        for n in range(6)
    ),
    Document("angle1", "Ferries will carry commuters while the harbour bridge is repaired.", source="local"),
    Document("angle2", "Economists put the cost of the closed bridge at two million a week.", source="daily"),
    Document("off", "A recipe for lentil soup.", source="food"),
]


@pytest.fixture(params=registry.names("stores"))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    try:
        kind = registry.load("stores", request.param)
        made = kind(Location(str(tmp_path)), Manifest(request.param, embedder=EMBEDDER))
    except MissingExtraError as error:
        pytest.skip(str(error))
    Indexer(made, Paragraphs(), HashedWords()).index(FEED)
    yield made
    made.close()


def test_a_wire_story_takes_one_seat_and_counts_its_outlets(store: Store) -> None:
    selection = Search(store, HashedWords())("harbour bridge closed", query_class="survey", k=3).selection
    story = next(seat for seat in selection.seats if seat.id.startswith("w"))
    assert story.id == "w0"
    assert story.copies.count == 6
    assert sorted(story.copies.documents) == [f"w{n}" for n in range(6)]
    assert sorted(story.copies.sources) == [f"outlet{n}" for n in range(6)]
    assert (story.copies.first_published, story.copies.last_published) == ("2026-03-01", "2026-03-06")
    assert {seat.id for seat in selection.seats} == {"w0", "angle1", "angle2"}
    assert selection.report["candidates"] < len(FEED)


def test_search_without_an_embedder_is_lexical(store: Store) -> None:
    answer = Search(store)("bridge", query_class="survey", k=5)
    assert {one.row.chunk.id for one in answer.pool} == {"w0", "angle1", "angle2"}
    assert all(one.cosine is None and one.bm25 for one in answer.pool)


def test_filters_apply_to_the_copies_too(store: Store) -> None:
    filters = filters_from(["language=en"])
    selection = Search(store, HashedWords())("harbour bridge closed", query_class="survey", filters=filters).selection
    assert [seat.id for seat in selection.seats] == ["w1"]
    assert sorted(selection.seats[0].copies.sources) == ["outlet1", "outlet3", "outlet5"]
    dated = filters_from([], since="2026-03-03", until="2026-03-04")
    seats = Search(store, HashedWords())("bridge", query_class="survey", filters=dated).selection.seats
    assert sorted(seats[0].copies.ids) == ["w2", "w3"]
    nothing = filters_from(["source=nobody"])
    assert len(Search(store)("bridge", query_class="survey", filters=nothing).selection) == 0


def test_a_pool_smaller_than_k_is_refused(store: Store) -> None:
    with pytest.raises(RequestError, match=r"pool of 2 .* k = 3") as caught:
        Search(store)("bridge", k=3, pool=2)
    assert caught.value.problems[0].field == "pool"


def test_scores_are_relevances_in_rank_order(store: Store) -> None:
    pool = Search(store, HashedWords())("harbour bridge closed", query_class="survey").pool
    scores = [one.score for one in pool]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert pool[0].evidence().keys() == {"bm25", "cosine", "rrf"}


def test_the_pool_widens_while_seats_stay_empty() -> None:
    store = MemoryStore()
    trees = ["alder", "birch", "cedar", "dogwood", "elder", "fir", "ginkgo", "hazel"]
    documents = [Document(f"c{tree}", f"River {tree} by the {tree}.", source="one") for tree in trees]
    long = "A river of which a long paragraph tells, after many words on other things, that it carries"
    documents += [Document(f"z{what}", f"{long} {what}.", source=what) for what in ("dams", "fish", "ferries")]
    Indexer(store, Paragraphs()).index(documents)
    search = Search(store)
    narrow = search("river", query_class="survey", k=2, pool=2, policy={"quotas": {"source": 1}, "collapse": False})
    assert narrow.first_size == 2
    assert narrow.widened
    assert len({seat.source for seat in narrow.selection.seats}) == 2
    assert not any(seat.filled for seat in narrow.selection.seats)


def test_it_does_not_widen_when_nothing_more_is_there(store: Store) -> None:
    answer = Search(store)("lentil", query_class="survey", k=8)
    assert not answer.widened
    assert answer.selection.report["empty_because"] == "pool"


def test_another_embedder_is_refused(store: Store) -> None:
    class Other(HashedWords):
        version = "2"

    check_embedder(store, HashedWords())
    for other in (Other(), HashedWords("32"), None):
        with pytest.raises(CorpusError, match="--rebuild"):
            check_embedder(store, other)


def test_a_copy_that_adds_something_is_found_by_what_it_adds() -> None:
    store = MemoryStore()
    longer = WIRE + " Divers found a wreck of the seventeenth century below."
    documents = [Document("A", WIRE, published="2026-01-01"), Document("B", longer, published="2026-01-02")]
    Indexer(store, Paragraphs()).index(documents)
    assert {row.membership.by for row in store.rows() if row.membership} == {"A"}
    selection = Search(store)("wreck", query_class="survey").selection
    assert [seat.id for seat in selection.seats] == ["B"]
    assert sorted(selection.seats[0].copies.ids) == ["A", "B"]
    assert [seat.id for seat in Search(store)("crane", query_class="survey").selection.seats] == ["A"]


def test_fusion_by_hand() -> None:
    one = [Hit("a", 9, "a"), Hit("b", 5, "b")]
    two = [Hit("b", 0.9, "b"), Hit("c", 0.5, "c")]
    sums = fuse([one, two], 10)
    assert list(sums) == ["b", "a", "c"]
    assert sums["b"] == pytest.approx(1 / 62 + 1 / 61)
    assert list(fuse([one, two], 1)) == ["b"]
    assert fuse([], 5) == {}


def test_ties_of_fusion_go_by_id() -> None:
    assert list(fuse([[Hit("b", 1, "b")], [Hit("a", 1, "a")]], 5)) == ["a", "b"]


def test_one_member_a_group_and_the_leader_first() -> None:
    hits = [Hit("copy", 3, "lead"), Hit("x", 2, "x"), Hit("lead", 1, "lead"), Hit("c2", 1, "far"), Hit("c3", 1, "far")]
    assert [hit.id for hit in one_a_group(hits)] == ["x", "lead", "c2"]


def row(id: str, vector: Any) -> Row:
    return Row(Chunk(id, id, 0, 1, "t"), {}, None, None if vector is None else np.array(vector, np.float32))


def test_relevance_by_hand() -> None:
    rows = [row("a", [4, 3]), row("b", [0, 1]), row("c", None), row("d", [0.65, 0.76])]
    rrf = dict.fromkeys("abcd", 0.1)
    lexical = [Hit("b", 8.0, "b"), Hit("c", 2.0, "c")]
    found = {one.row.chunk.id: one for one in scored(rows, rrf, lexical, np.array([1, 0], np.float32), floor=0.5)}
    assert found["a"].score == pytest.approx(0.5), "the nearest has the whole of the dense part"
    assert found["b"].score == pytest.approx(0.5), "the best BM25 that of the lexical part"
    assert found["d"].score == pytest.approx(0.5 * 0.15 / 0.3, abs=0.01), "half of what lies above the floor"
    assert found["c"].score == pytest.approx(0.125), "no vector, no dense part"
    assert found["c"].cosine is None
    alone = scored(rows, rrf, lexical, None)
    assert [(one.row.chunk.id, one.score) for one in alone] == [("b", 1.0), ("c", 0.25), ("a", 0.0), ("d", 0.0)]
    assert scored(rows[:1], rrf, [], None)[0].score == 0.0


def test_filters_are_read_with_all_their_faults() -> None:
    with pytest.raises(CorpusError) as caught:
        filters_from(["sorce=EFE", "nonsense", "metadata.=x"], since="tomorrow", until="2026-13-01")
    assert [one.field for one in caught.value.problems] == ["where", "where", "where", "since", "until"]
    assert "did you mean source" in caught.value.problems[1].remedy
    assert filters_from({"source": ["a", "b"], "metadata.year": 2026}).fields == (
        ("metadata.year", ("2026",)),
        ("source", ("a", "b")),
    )
    assert not Filters()
