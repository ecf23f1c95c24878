"""Indexing: incremental, replacing, deleting, the same on every store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reparto import registry
from reparto.corpus.chunking.paragraphs import Paragraphs
from reparto.corpus.indexing import Indexer
from reparto.documents import Document
from reparto.errors import CorpusError, MissingExtraError, Problem
from reparto.stores.base import Store
from reparto.stores.location import PENDING, Location
from reparto.stores.manifest import Manifest
from reparto.testing.embedders import HashedWords

WIRE = "The harbour bridge was closed on Monday after a crane struck its northern pillar, the port authority said."
EMBEDDER = {"name": "hashed-words", "version": "1", "dimension": 64}


@pytest.fixture(params=registry.names("stores"))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    try:
        made = registry.load("stores", request.param)(
            Location(str(tmp_path)), Manifest(request.param, embedder=EMBEDDER)
        )
    except MissingExtraError as error:
        pytest.skip(str(error))
    yield made
    made.close()


def indexer(store: Store, embedder: Any = None) -> Indexer:
    return Indexer(store, Paragraphs(200, 0), embedder or HashedWords())


def state(store: Store) -> dict[str, Any]:
    return {row.chunk.id: (row.chunk.text, row.membership, dict(row.fields)) for row in store.rows()}


def test_the_same_again_changes_nothing(store: Store) -> None:
    documents = [Document("A", WIRE, source="EFE"), Document("B", WIRE, source="dpa"), Document("C", "Other news.")]
    first = indexer(store).index(documents)
    before = state(store)
    again = indexer(store).index(reversed(documents))
    assert (first.read, first.added, first.replaced) == (3, 3, 0)
    assert (again.read, again.added, again.replaced, again.unchanged, again.regrouped) == (3, 0, 0, 3, 0)
    assert state(store) == before
    assert first.held == again.held
    assert first.held.leaders == 2


def test_a_changed_document_replaces_its_chunks(store: Store) -> None:
    long = "First sentence of some length, so that it fills a chunk of its own without any doubt at all about it. "
    indexer(store).index([Document("A", long * 4), Document("B", "kept")])
    assert store.counts().chunks > 2
    summary = indexer(store).index([Document("A", "Now short.")])
    assert (summary.added, summary.replaced) == (0, 1)
    assert sorted(state(store)) == ["A", "B"]


def test_the_last_of_one_id_in_a_run_stands(store: Store) -> None:
    summary = indexer(store).index([Document("A", "one"), Document("A", "two")])
    assert [one.text for one in store.documents()] == ["two"]
    assert (summary.read, summary.held.documents) == (2, 1)


def test_a_leader_that_goes_hands_its_place_on(store: Store) -> None:
    documents = [Document(name, WIRE, published=f"2026-01-0{n}") for n, name in enumerate("CBA", 1)]
    indexer(store).index(documents)
    assert {row.membership.by for row in store.rows() if row.membership} == {"C"}
    summary = indexer(store).delete(["C"])
    assert (summary.removed, summary.held.documents) == (1, 2)
    assert {row.membership.by for row in store.rows() if row.membership} == {"B"}
    assert [one.id for one in store.holders(["B"])["B"]] == ["A", "B"]


def test_deleting_what_is_not_there_removes_nothing(store: Store) -> None:
    indexer(store).index([Document("A", "a"), Document("B", "b")])
    with pytest.raises(CorpusError) as caught:
        indexer(store).delete(["A", "X", "Y"])
    assert [one.id for one in caught.value.problems] == ["X", "Y"]
    assert sorted(store.stamps()) == ["A", "B"]


def test_a_dry_run_says_and_does_not(store: Store) -> None:
    indexer(store).index([Document("A", "a")])
    summary = indexer(store).index([Document("A", "changed"), Document("B", "b")], dry_run=True)
    assert (summary.added, summary.replaced, summary.dry_run) == (1, 1, True)
    assert indexer(store).delete(["A"], dry_run=True).removed == 1
    assert [one.text for one in store.documents()] == ["a"]


def test_what_was_skipped_is_in_the_summary(store: Store) -> None:
    problem = Problem("unreadable", "x.pdf: broken", "mend it")
    summary = indexer(store).index([problem, Document("A", " ")])
    assert summary.to_dict()["skipped"] == [problem.to_dict()]
    assert (summary.read, summary.blank, summary.held.chunks) == (1, 1, 0)


def test_copies_are_grouped_and_revisions_stay_apart(store: Store) -> None:
    revised = WIRE.replace("Monday", "Tuesday")
    indexer(store).index([Document("A", WIRE), Document("B", "(AP) " + WIRE.upper()), Document("C", revised)])
    by = {row.chunk.id: row.membership.by for row in store.rows() if row.membership}
    assert by == {"A": "B", "B": "B", "C": "C"}


def test_overlapping_chunks_of_one_document_are_no_copies(store: Store) -> None:
    text = " ".join(f"Sentence number {n} tells of something new." for n in range(40))
    Indexer(store, Paragraphs(200, 90), HashedWords()).index([Document("A", text)])
    assert store.counts().leaders == store.counts().chunks > 5


def test_an_embedder_that_gives_other_shapes_is_refused(store: Store) -> None:
    class Wrong(HashedWords):
        def passages(self, texts: Any) -> Any:
            return super().passages(texts)[:, :10]

    with pytest.raises(CorpusError, match="shape"):
        indexer(store, Wrong()).index([Document("A", "a")])
    assert store.stamps() == {}


def test_a_run_that_was_cut_off_is_finished_by_the_next(tmp_path: Path) -> None:
    location = Location(str(tmp_path))
    store = registry.load("stores", "sqlite")(location, Manifest("sqlite", embedder=EMBEDDER))
    work = indexer(store)

    def cut() -> Iterator[Document]:
        yield from (Document(f"d{n}", WIRE, published=f"2026-01-{n % 28 + 1:02}") for n in range(600))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work.index(cut())
    assert location.read(PENDING) is not None
    assert store.counts().leaders == store.counts().documents == 500
    summary = work.index([])
    assert location.read(PENDING) is None
    assert summary.held.leaders == 1
    store.close()
