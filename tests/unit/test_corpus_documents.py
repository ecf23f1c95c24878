"""Documents: reading, identity, digests, dates."""

import pytest

from reparto.documents import Document, document_from, end_of, instant
from reparto.errors import CorpusError


def test_a_record_becomes_a_document_and_back() -> None:
    record = {
        "id": 7,
        "text": "a",
        "version": 2,
        "source": "EFE",
        "desk": "sport",
        "metadata": {"x": float("nan"), "y": [1]},
        "title": None,
    }
    one = document_from(record)
    assert one == Document("7", "a", source="EFE", version="2", metadata={"desk": "sport", "x": None, "y": [1]})
    assert document_from(one.to_dict()) == one


def test_all_problems_of_a_record_are_named_at_once() -> None:
    with pytest.raises(CorpusError) as caught:
        document_from({"id": "", "text": 5, "title": ["x"], "metadata": "no"}, line=3)
    assert [one.field for one in caught.value.problems] == ["id", "text", "title", "metadata"]
    assert {one.line for one in caught.value.problems} == {3}


@pytest.mark.parametrize("record", [None, [], "text", 5, {"id": True, "text": "x"}, {"id": "a", "text": "\ud800"}])
def test_what_is_no_document_is_refused(record: object) -> None:
    with pytest.raises(CorpusError):
        document_from(record)


def test_an_id_of_zero_is_an_id() -> None:
    assert document_from({"id": 0, "text": ""}).id == "0"


def test_the_digest_covers_every_field_and_no_order() -> None:
    base = Document("a", "t", metadata={"x": 1, "y": 2})
    assert base.digest() == Document("a", "t", metadata={"y": 2, "x": 1}).digest()
    others = [
        Document("a", "t"),
        Document("a", "t", title="x"),
        Document("a", "t", markup="mail", metadata=base.metadata),
    ]
    assert len({base.digest(), *(one.digest() for one in others)}) == 4


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:05Z", 5),
        ("1970-01", 0),
        ("1971", 365 * 86400),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_instants(text: str | None, seconds: float | None) -> None:
    assert instant(text) == seconds


def test_until_a_day_includes_the_day() -> None:
    day = end_of("1970-01-01")
    assert day is not None
    assert 86399 < day < 86400
    assert end_of("1970-01-01T00:00:01Z") == 1


def test_values_by_path() -> None:
    one = Document("a", "t", source="s", metadata={"a": {"b": 1}, "a.b": 2})
    assert one.value("source") == "s"
    assert one.value("metadata.a.b") == 2
    assert one.value("metadata.none.at.all") is None
    assert one.value("nothing") is None
