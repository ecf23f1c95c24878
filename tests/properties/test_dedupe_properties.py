"""De-duplication whatever the input: order decides nothing, loads add up to a full run, memory and disk agree."""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reparto.corpus.engines.local import Local
from reparto.corpus.groups import group_documents
from reparto.corpus.job import Job
from reparto.corpus.readers import lines
from reparto.corpus.settings import Settings
from reparto.corpus.writing import read_groups
from reparto.documents import Document
from reparto.kernels import COLLAPSE, Spec, fingerprint

WORDS = [
    a + b + c for a in ("ta", "ri", "mo", "ke") for b in ("lo", "na", "su") for c in ("ber", "dan", "vik", "pol", "est")
]
SMALL = Settings(bucket=2, sentences=4, bands=24, rows=2)


@st.composite
def corpora(draw):
    """Families of texts: originals, and edits of them that replace, drop, append, repeat or number."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    stories, documents = [], []
    for i in range(draw(st.integers(1, 24))):
        kind = rng.integers(6) if stories else 0
        story = [" ".join(rng.choice(WORDS, 10)).capitalize() + "." for _ in range(rng.integers(1, 6))]
        if kind:
            story = list(stories[rng.integers(len(stories))])
        if kind == 2:
            at = rng.integers(len(story))
            story[at] = story[at].replace(" ", f" {rng.choice(WORDS)} ", 1)
        elif kind == 3 and len(story) > 1:
            story.pop(rng.integers(len(story)))
        elif kind == 4:
            story.append(" ".join(rng.choice(WORDS, 8)).capitalize() + ".")
        elif kind == 5:
            story[-1] = story[-1][:-1] + f" {rng.integers(1, 4)}."
        stories.append(story)
        date = f"2024-01-{rng.integers(1, 9):02d}" if rng.random() < 0.8 else None
        source = rng.choice(["a", "b", None])
        tier = "gold" if rng.random() < 0.1 else None
        documents.append(Document(f"d{i}", " ".join(story), source=source, published=date, tier=tier))
    return documents


def _dump(path, documents):
    path.write_text("".join(json.dumps(one.to_dict()) + "\n" for one in documents), "utf-8")
    return str(path)


def _local(folder, documents, name, keep=False, chosen=SMALL):
    out = folder / f"{name}.out.jsonl"
    work = folder / ("state" if keep else f"{name}.work")
    Local().run(Job((_dump(folder / f"{name}.jsonl", documents),), out, work, chosen, keep=keep))
    return out.read_bytes()


@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_decides_nothing(documents, random):
    shuffled = list(documents)
    random.shuffle(shuffled)
    assert group_documents(documents, SMALL).columns == group_documents(shuffled, SMALL).columns


@given(corpora())
def test_groups_are_stars_and_every_number_can_be_checked(documents):
    grouped = group_documents(documents, SMALL)
    rows = {row["doc_id"]: row for row in grouped.rows()}
    assert sorted(rows) == sorted(one.id for one in documents)
    sets = fingerprint([one.text for one in documents], Spec(COLLAPSE, scale=1))
    at = {one.id: i for i, one in enumerate(documents)}
    for row in rows.values():
        leader = rows[row["leader_id"]]
        assert leader["leader_id"] == leader["doc_id"]
        assert row["group_id"] == leader["group_id"]
        if row["relation"] in ("near", "update", "contained"):
            own, other = sets.of(at[row["doc_id"]]), sets.of(at[leader["doc_id"]])
            shared = len(np.intersect1d(own, other))
            sources = [one.source for one in documents]
            if max(map(sources.count, sources)) < 3:  # else what three pages of one source share may be left out
                assert row["resemblance"] == shared / (len(own) + len(other) - shared)
                assert row["containment"] == shared / len(own)
            assert row["resemblance"] >= 0.6 or row["containment"] >= 0.8
    for leader, members in grouped.groups().items():
        assert {rows[id]["copies"] for id in members} == {len(members)}
        assert leader in members


@settings(max_examples=40)
@given(corpora(), st.lists(st.integers(0, 24), max_size=3))
def test_loads_one_after_the_other_equal_one_full_run(documents, cuts):
    bounds = sorted({0, len(documents), *(min(cut, len(documents)) for cut in cuts)})
    with TemporaryDirectory() as name:
        folder = Path(name)
        full = _local(folder, documents, "full")
        for number, (low, high) in enumerate(itertools.pairwise(bounds)):
            last = _local(folder, documents[low:high], f"load{number}", keep=True)
        assert last == full
        assert read_groups(folder / "full.out.jsonl").columns == group_documents(documents, SMALL).columns


@settings(max_examples=25)
@given(corpora(), st.data())
def test_a_document_loaded_again_is_replaced(documents, data):
    changed = data.draw(st.lists(st.sampled_from(range(len(documents))), max_size=3, unique=True))
    news = [replace(documents[i], text=documents[(i + 1) % len(documents)].text + " Indeed so.") for i in changed]
    held = [one for i, one in enumerate(documents) if i not in changed] + news
    with TemporaryDirectory() as name:
        folder = Path(name)
        _local(folder, documents, "first", keep=True)
        again = _local(folder, news, "second", keep=True) if news else _local(folder, documents, "first", keep=True)
        assert again == _local(folder, held, "full")


@settings(max_examples=10)
@given(corpora(), st.integers(1, 5))
def test_the_size_of_parts_decides_nothing(documents, size):
    with TemporaryDirectory() as name:
        folder, before = Path(name), lines.BLOCK
        whole = _local(folder, documents, "whole")
        lines.BLOCK = 200 * size  # bytes, of whole lines
        try:
            assert _local(folder, documents, "parts") == whole
        finally:
            lines.BLOCK = before
