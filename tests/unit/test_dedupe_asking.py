"""The guard asked ahead of time, credits of many texts, plain records: quick ways that must say what the slow ones do."""

import random
from typing import Any

import numpy as np
import pytest

from reparto.corpus.asking import Asked
from reparto.corpus.leaders import assign
from reparto.corpus.verify import Verified
from reparto.corpus.wire import wire_credit, wire_credits
from reparto.documents import Document, document_from
from reparto.errors import CorpusError

STORY = "The mayor of Ashford opened {n} new schools on Monday, said the council of the town in the evening."


def drawn(n: int, seed: int) -> Verified:
    rng = random.Random(seed)
    pairs = sorted({(later, rng.randrange(later)) for later in rng.choices(range(1, n), k=4 * n)})
    later, earlier = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
    return Verified(later, earlier, np.full(len(pairs), 0.9), np.full(len(pairs), 0.9))


@pytest.mark.parametrize("seed", range(4))
def test_asking_ahead_changes_nothing(seed: int) -> None:
    rng, pairs = random.Random(seed), drawn(300, seed)
    texts = [STORY.format(n=rng.randrange(10, 13)) for _ in range(300)]
    sources = [rng.choice(["a", "b", None]) for _ in texts]
    plain = Asked(texts.__getitem__, sources.__getitem__)
    ahead = Asked(texts.__getitem__, sources.__getitem__)
    ahead.foresee(pairs)
    one, other = assign(300, pairs, plain), assign(300, pairs, ahead)
    assert one.leader.tolist() == other.leader.tolist()
    assert one.revision_of.tolist() == other.revision_of.tolist()
    assert 1 < len(set(one.leader.tolist())) < 300


def test_all_that_is_asked_is_asked_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reparto.corpus.asking._ROUNDS", 300)
    pairs = drawn(300, 9)
    ahead = Asked(lambda rank: STORY.format(n=10 + rank % 3), lambda rank: "a")
    ahead.foresee(pairs)
    read: list[int] = []
    ahead.text = lambda rank: read.append(rank) or ""  # type: ignore[func-returns-value]
    assign(300, pairs, ahead)
    assert not read


def test_with_collapse_no_text_is_read() -> None:
    def none(rank: int) -> str:
        raise AssertionError(rank)

    asked = Asked(none, none, collapse=True)
    asked.foresee(drawn(200, 1))
    assert asked(0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "MADRID, 3 mar (EFE).- El puerto", "LONDON (Reuters) - Shares rose", "Shares rose. " * 60 + "(With reporting by AFP)",
        "By Jane Doe, Associated Press\n\nA bridge", "新华社北京电", "Nothing of the kind", "", "x" * 900, "ä" * 500 + " dpa",
        "A press release of a Reuters rival", "Fuente: Europa Press", "lone \ud800 surrogate (AP) -",
    ],
)  # fmt: skip
def test_credits_of_many_are_those_of_each(text: str) -> None:
    some = ["LONDON (AP) - One", text, "Berlin (dpa) - Zwei", text * 3]
    assert wire_credits(some) == [wire_credit(one) for one in some]
    assert wire_credits([one for one in some if one.isprintable()]) == [
        wire_credit(one) for one in some if one.isprintable()
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"id": "a", "text": "b"}, {"id": "a", "text": "", "source": "ñ", "published": "2026-01-01"},
        {"text": "b", "id": "a", "title": "t", "url": "u", "language": "es", "tier": "gold", "concept": "c", "version": "2"},
        {"id": 7, "text": "b"}, {"id": "a", "text": "b", "version": 3}, {"id": "a", "text": "b", "other": "c"},
        {"id": "a", "text": "b", "source": None}, {"id": "a", "text": "b", "metadata": {"x": 1}},
    ],
)  # fmt: skip
def test_a_plain_record_is_read_as_any(record: dict[str, Any]) -> None:
    class Other(dict[str, Any]):
        """A mapping that is no plain dict goes the long way."""

    assert document_from(record) == document_from(Other(record))
    assert document_from(record).to_dict() == document_from(Other(record)).to_dict()


@pytest.mark.parametrize("record", [{"id": "", "text": "b"}, {"text": "b"}, {"id": "a"}, {"id": "\ud800", "text": "b"}])
def test_a_plain_record_with_a_fault_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(CorpusError):
        document_from(record)


def test_a_plain_record_has_no_metadata() -> None:
    assert document_from({"id": "a", "text": "b"}) == Document("a", "b")
