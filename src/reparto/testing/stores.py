"""Conformance of stores: what indexing and search rely on.

    from reparto.testing.stores import check_store
    check_store(MyStore, folder)      # `folder` is empty and writable

Raises `AssertionError` with the broken rule in its message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from reparto.documents import Document
from reparto.stores.base import Chunk, Counts, Entry, Membership, Standing, Store
from reparto.stores.filters import Filters, filters_from
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest

Make = Callable[[Location, Manifest], Store]
DIMENSION = 8
NO_FILTERS = Filters()
ODD_IDS = ("a'b", 'say "no"', "100%", "x#1", "ñandú", "東京", "a\\b", "null", "-- drop")


def entry(document: Document, *spans: tuple[int, int], seed: int | None = None) -> Entry:
    """A document with chunks at `spans` (by default one, all of it) and seeded vectors (None: without)."""
    spans = spans or ((0, len(document.text)),)
    names = [document.id] if len(spans) == 1 else [f"{document.id}#{n}" for n in range(1, len(spans) + 1)]
    chunks = [
        Chunk(name, document.id, start, end, document.text[start:end])
        for name, (start, end) in zip(names, spans, strict=True)
    ]
    vectors = None
    if seed is not None:
        vectors = np.random.default_rng(seed).normal(size=(len(chunks), DIMENSION)).astype(np.float32)
    return Entry(document, document.digest(), tuple(chunks), vectors)


def check_store(make: Make, folder: Path, kind: str = "any", lasting: bool = True) -> None:
    """Run every rule on stores made in subfolders of `folder`; `lasting` is False for a store in memory."""
    rules = (_holds, _replaces, _finds_words, _finds_neighbours, _filters, _groups, _stand, _odd_ids, _stands_empty)
    for number, rule in enumerate((*rules, *((_lasts,) if lasting else ()))):
        with _store(make, folder / f"{number}", kind) as store:
            rule(store)
            store.settle()
            problems = store.check(deep=True)
            assert problems == [], f"check after {rule.__name__}: {problems}"
        if rule is _lasts:
            with _store(make, folder / f"{number}", kind) as store:
                assert sorted(store.stamps()) == ["kept"], "what was written must be there after reopening"
                assert [hit.id for hit in store.lexical("lighthouse", 5, NO_FILTERS)] == ["kept"]
                assert store.holders(["kept"])["kept"][0].document == "kept"


@contextmanager
def _store(make: Make, folder: Path, kind: str) -> Iterator[Store]:
    folder.mkdir(parents=True, exist_ok=True)
    embedder = {"name": "seeded", "version": "1", "dimension": DIMENSION}
    store = make(Location(str(folder)), Manifest(kind, embedder=embedder))
    try:
        yield store
    finally:
        store.close()


def _holds(store: Store) -> None:
    text = "First part. Second part."
    one = Document(
        "d1",
        text,
        "T",
        "EFE",
        "2026-11-30",
        "https://e.org",
        "en",
        "gold",
        "c",
        "2",
        {"n": {"a": 1}, "b": [True]},
    )
    store.write([entry(one, (0, 11), (12, 24), seed=1), entry(Document("d0", "Other."), seed=2)])
    store.settle()
    assert store.stamps() == {"d1": one.digest(), "d0": Document("d0", "Other.").digest()}, "stamps"
    assert list(store.documents()) == [Document("d0", "Other."), one], "documents come back whole, ordered by id"
    assert list(store.documents(["d1", "none"])) == [one], "documents by id; unknown ids are left out"
    rows = list(store.rows())
    assert [row.chunk.id for row in rows] == ["d0", "d1#1", "d1#2"], "rows in ascending order of id"
    assert all(row.chunk.text == text[row.chunk.start : row.chunk.end] for row in rows[1:]), "offsets"
    assert rows[1].fields["source"] == "EFE", "fields of the document"
    assert rows[1].fields["metadata"] == {"n": {"a": 1}, "b": [True]}, "metadata"
    named = list(store.rows(["d1#2", "gone", "d0"], vectors=True))
    assert [row.chunk.id for row in named] == ["d1#2", "d0"], "rows in the order asked for"
    wanted = np.random.default_rng(1).normal(size=(2, DIMENSION)).astype(np.float32)[1]
    assert named[0].vector is not None, "vectors are asked for"
    assert np.array_equal(named[0].vector, wanted), "vectors bit for bit"
    assert [row.chunk.id for row in store.of(["d1"])] == ["d1#1", "d1#2"], "chunks of a document"
    assert store.counts() == Counts(2, 3, 3, 3), "counts"
    assert store.unfinished() == [], "nothing is left half written"


def _replaces(store: Store) -> None:
    long = Document("d", "alpha beta. gamma delta.")
    store.write([entry(long, (0, 11), (12, 24), seed=1), entry(Document("e", "epsilon"), seed=2)])
    store.write([entry(Document("d", "omega"), seed=3)])
    store.settle()
    assert [row.chunk.id for row in store.rows()] == ["d", "e"], "a replaced document loses its old chunks"
    assert store.lexical("gamma", 5, NO_FILTERS) == [], "and cannot be found by its old words"
    assert [hit.id for hit in store.lexical("omega", 5, NO_FILTERS)] == ["d"], "but by its new ones"
    store.write([entry(Document("d", "omega"), seed=3)])
    assert store.counts() == Counts(2, 2, 2, 2), "the same again is held once"
    store.write([], remove=["d", "never there"])
    store.settle()
    assert list(store.stamps()) == ["e"], "removed"
    assert store.counts() == Counts(1, 1, 1, 1), "with its chunks and vectors"
    store.write([entry(Document("f", "zeta"), seed=4)], remove=["e"])
    store.settle()
    assert list(store.stamps()) == ["f"], "put and remove in one step"


def _finds_words(store: Store) -> None:
    texts = {
        "es": "La canción de los niños suena en la radio",
        "zh": "北京大学的学生在图书馆",
        "en": "the sluice opens at low tide",
        "long": "tide " + "filler words of no use " * 20,
        "same1": "harbour bridge",
        "same2": "harbour bridge",
    }
    store.write([entry(Document(id, text), seed=n) for n, (id, text) in enumerate(texts.items())])
    store.settle()
    for query, wanted in {"CANCION": "es", "canción": "es", "北京": "zh", "Sluice?": "en"}.items():
        found = [hit.id for hit in store.lexical(query, 5, NO_FILTERS)]
        assert found[:1] == [wanted], f"{query!r} finds {wanted!r}, not {found}"
    hits = store.lexical("tide", 5, NO_FILTERS)
    assert [hit.id for hit in hits] == ["en", "long"], "BM25: a short passage before a long one"
    assert all(hit.score > 0 for hit in hits), "scores are above 0 and fall"
    assert hits[0].score > hits[1].score, "scores fall"
    assert [hit.id for hit in store.lexical("bridge", 5, NO_FILTERS)] == ["same1", "same2"], "ties by id"
    assert len(store.lexical("harbour", 1, NO_FILTERS)) == 1, "limit"
    for nothing in ("", "   ", "?!", "zzzz", '"', "AND OR NOT (", "* ^ ~"):
        store.lexical(nothing, 5, NO_FILTERS)
    assert store.lexical("zzzz", 5, NO_FILTERS) == [], "no word, no hit"


def _finds_neighbours(store: Store) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, DIMENSION)).astype(np.float32) * rng.uniform(0.1, 9, (40, 1)).astype(np.float32)
    rows[7] = 0
    for n in range(40):
        document = Document(f"d{n:02}", f"text {n}")
        store.write([Entry(document, document.digest(), entry(document).chunks, rows[n : n + 1])])
    store.settle()
    query = rng.normal(size=DIMENSION).astype(np.float32)
    length = np.linalg.norm(rows, axis=1) * np.linalg.norm(query)
    cosine = np.where(length > 0, rows @ query / np.maximum(length, 1e-12), -2)
    wanted = [f"d{n:02}" for n in np.argsort(-cosine, kind="stable")[:10]]
    hits = store.nearest(query, 10, NO_FILTERS)
    assert [hit.id for hit in hits] == wanted, "exact cosine, not the dot product nor L2"
    assert np.allclose([hit.score for hit in hits], np.sort(cosine)[::-1][:10], atol=1e-5), "the cosine itself"


def _filters(store: Store) -> None:
    for n in range(12):
        document = Document(
            f"d{n:02}",
            "storm at sea",
            source=("EFE", "dpa")[n % 2],
            language=("es", "en", None)[n % 3],
            published=None if n == 5 else f"2026-11-{n + 1:02}",
            metadata={
                "year": 2020 + n % 2,
                "ok": n % 4 == 0,
                "deep": {"er": f"v{n % 3}"},
                "dotted.name": "x",
            },
        )
        store.write([entry(document, seed=n)])
    store.settle()
    cases = (
        filters_from(["source=EFE"]),
        filters_from(["source=EFE", "source=dpa", "language=es"]),
        filters_from(["metadata.year=2021"]),
        filters_from(["metadata.ok=true"]),
        filters_from(["metadata.deep.er=v1"]),
        filters_from(["metadata.dotted.name=x", "document=d03"]),
        filters_from([], since="2026-11-04", until="2026-11-08"),
        filters_from(["source=o'Neil"]),
    )
    everything = {row.chunk.id: row for row in store.rows()}
    query = np.ones(DIMENSION, np.float32)
    for filters in cases:
        wanted = sorted(id for id, row in everything.items() if filters.match(row.fields))
        for hits in (store.lexical("storm", 50, filters), store.nearest(query, 50, filters)):
            assert sorted(hit.id for hit in hits) == wanted, f"{filters} lets pass {wanted}"


def _groups(store: Store) -> None:
    store.write([entry(Document(id, "same words", source=f"s{id}", published="2026-01-01"), seed=1) for id in "abc"])
    near = Membership("b", "near", 0.75, 0.95)
    store.regroup({"a": near, "b": Membership("b"), "c": Membership("b", "exact", 1.0, 1.0)})
    store.settle()
    assert store.counts() == Counts(3, 3, 1, 3), "one leader"
    assert [row.membership for row in store.rows(["a"])] == [near], "membership comes back"
    hits = store.lexical("words", 5, NO_FILTERS)
    assert [(hit.id, hit.by) for hit in hits] == [("b", "b")], "copies that say nothing new are not found"
    assert [hit.id for hit in store.nearest(np.ones(DIMENSION, np.float32), 5, NO_FILTERS)] == ["b"], "densely too"
    found = store.lexical("words", 5, filters_from(["source=sc"]))
    assert [(hit.id, hit.by) for hit in found] == [("c", "b")], "with filters every member that passes"
    store.regroup({"a": Membership("b", "near", 0.75, 0.8)})
    assert {hit.id for hit in store.lexical("words", 5, NO_FILTERS)} == {"a", "b"}, "one that adds something is"
    store.regroup({"a": Membership("b", "near", 0.75, 0.8, within=0.95)})
    assert {hit.id for hit in store.lexical("words", 5, NO_FILTERS)} == {"b"}, "not one within the leading document"
    assert [row.membership.within for row in store.rows(["a"]) if row.membership] == [0.95], "which comes back"
    holders = store.holders(["b", "nobody"])
    assert [(one.id, one.source) for one in holders["b"]] == [("a", "sa"), ("b", "sb"), ("c", "sc")], "holders"
    assert holders["nobody"] == [], "a group without members"
    store.regroup({})
    store.regroup({"a": Membership("a")})
    assert store.counts().leaders == 2, "regrouped"


def _stand(store: Store) -> None:
    store.write([entry(Document(id, "same words", source=f"s{id}", published="2026-01-01"), seed=1) for id in "abc"])
    assert store.standings() == {id: Standing(id) for id in "abc"}, "a document stands alone until it is grouped"
    near = Standing("b", "near", 0.75, 0.95, 3, 3, "2026-01-01", None, "EFE", "dateline", "https://e.org/b", ("b#1",))
    store.stand({"a": near, "b": Standing("b", copies=3), "c": Standing("b", "exact", 1.0, 1.0)})
    store.settle()
    assert store.standings(["a", "nobody"]) == {"a": near}, "a place comes back"
    carriers = store.carriers(["b", "nobody"])
    assert [(one.id, one.source) for one in carriers["b"]] == [("a", "sa"), ("b", "sb"), ("c", "sc")], "carriers"
    assert (carriers["b"][0].standing, carriers["b"][0].fields["document"]) == (near, "a"), "with their places"
    assert carriers["nobody"] == [], "a group without members"
    store.stand({})
    store.write([entry(Document("a", "other words"), seed=2)])
    assert store.standings(["a"]) == {"a": Standing("a")}, "written anew, it stands alone"
    store.write([], remove=["b"])
    assert sorted(store.standings()) == ["a", "c"], "removed"
    store.stand({"c": Standing("c")})


def _odd_ids(store: Store) -> None:
    store.write([entry(Document(id, f"word {n}"), seed=n) for n, id in enumerate(ODD_IDS)])
    store.settle()
    assert sorted(store.stamps()) == sorted(ODD_IDS), "any text is an id"
    for id in ODD_IDS:
        assert [row.chunk.id for row in store.rows([id])] == [id], f"row of {id!r}"
        assert [one.id for one in store.holders([id])[id]] == [id], f"holders of {id!r}"
    store.regroup({id: Membership(ODD_IDS[0], "exact") for id in ODD_IDS[1:]})
    assert len(store.holders([ODD_IDS[0]])[ODD_IDS[0]]) == len(ODD_IDS), "a group of them"
    store.regroup({id: Membership(id) for id in ODD_IDS})
    store.stand({id: Standing(ODD_IDS[0], "exact") for id in ODD_IDS[1:]})
    assert len(store.carriers([ODD_IDS[0]])[ODD_IDS[0]]) == len(ODD_IDS), "and of documents"
    store.stand({id: Standing(id) for id in ODD_IDS})
    store.write([], remove=ODD_IDS[:4])
    assert sorted(store.stamps()) == sorted(ODD_IDS[4:]), "removed by id"


def _stands_empty(store: Store) -> None:
    store.settle()
    assert store.counts() == Counts(0, 0, 0, 0), "empty"
    assert store.lexical("word", 5, NO_FILTERS) == [], "nothing to find"
    assert store.nearest(np.ones(DIMENSION, np.float32), 5, NO_FILTERS) == [], "nothing near"
    blank = Document("blank", "  ")
    store.write([Entry(blank, blank.digest(), (), np.zeros((0, DIMENSION), np.float32))])
    store.settle()
    assert list(store.stamps()) == ["blank"], "a document without chunks is held"
    assert store.counts() == Counts(1, 0, 0, 0), "and counts no chunk"


def _lasts(store: Store) -> None:
    store.write([entry(Document("kept", "the lighthouse keeper"), seed=1), entry(Document("gone", "x"), seed=2)])
    store.write([], remove=["gone"])
    store.settle()
