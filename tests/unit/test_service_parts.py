"""The service's small parts: documents with metadata, scores, the breaker, JSON in and out, the log's mending."""

from __future__ import annotations

import json
import math

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "yaml"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

from hypothesis import given
from hypothesis import strategies as st

from reparto import read_request, select
from reparto.errors import LogError, RequestError
from reparto.service.breaker import Breaker
from reparto.service.faults import Refusal
from reparto.service.reading import deeper_than, read_json
from reparto.service.recorder import Recorder
from reparto.service.rerank.documents import DocumentReader, yaml_object
from reparto.service.rerank.ranking import class_named, results_of
from reparto.service.scorer import Lexical, Order, make_scorer
from reparto.service.settings import Settings
from reparto.service.writing import json_bytes

READ = DocumentReader()


@pytest.mark.parametrize(
    "text",
    [
        "A plain passage: with a colon.", "Note: this is a text", "title: only a title", "text", "", "{", "{}", '{"text": 7}', '["text"]', "text:\n  - a\n",
        "text: &a [*a]", "- text: a", "text: 'unclosed", "? text\n: a\n: b", "text: a\n  bad: indent: here", "{" * 5000, "text: " + "[" * 20000,
    ],
)  # fmt: skip
def test_what_is_no_object_with_a_text_is_a_text(text):
    assert READ(text).text == text
    assert READ(text).fields == {}


@pytest.mark.parametrize(
    "make", [json.dumps, lambda fields: "".join(f"{name}: {json.dumps(value)}\n" for name, value in fields.items())]
)
def test_json_and_yaml_give_the_same_candidate(make):
    found = READ(
        make(
            {
                "title": "A",
                "source": "daily",
                "date": "2026-03-04",
                "doc_id": 7,
                "text": "a: b",
                "section": "local",
                "lang": "es",
            }
        )
    )
    assert found.text == "a: b"
    assert found.fields == {
        "title": "A", "source": "daily", "published": "2026-03-04", "document": "7", "language": "es", "metadata": {"section": "local"},
    }  # fmt: skip


def test_nothing_that_certifies_is_read_from_a_text():
    found = READ(
        '{"text": "a", "score": 9, "tier": "gold", "concept": "x", "copies": {"count": 99}, "id": "b", "vector": [1]}'
    )
    assert set(found.fields) == {"metadata"}
    assert set(found.fields["metadata"]) == {"score", "tier", "concept", "copies", "id", "vector"}


def test_offsets_come_in_pairs_and_in_order():
    assert READ('{"text": "a", "start": 3, "end": 4}').fields == {"start": 3, "end": 4}
    for odd in (
        '"start": 3',
        '"start": 5, "end": 4',
        '"start": -1, "end": 4',
        '"start": "x", "end": 4',
        '"start": true, "end": 4',
        '"start": 1e999, "end": 4',
    ):
        assert not {"start", "end"} & set(READ(f'{{"text": "a", {odd}}}').fields)


def test_rank_fields_say_what_the_text_is():
    read = DocumentReader(["headline", "lead"])
    assert read({"headline": "A", "lead": "B", "text": "C"}).text == "A\nB"
    assert DocumentReader(parse=False)('{"text": "a"}').text == '{"text": "a"}'


def test_nested_values_and_aliases_in_yaml_are_passed_over_or_refused():
    assert yaml_object("text: a\nnested:\n  b: [c, {d: e}]\nsource: f\n") == {"text": "a", "source": "f"}
    assert yaml_object("a: &x [y]\ntext: *x\n") is None
    assert yaml_object("text: ~\nsource: 'null'\n") == {"text": None, "source": "null"}


@given(st.one_of(st.text(), st.dictionaries(st.text(), st.text()).map(json.dumps), st.text().map("text: {}".format)))
def test_any_text_is_a_document_that_a_candidate_can_be_made_of(text):
    found = READ(text)
    read_request([{"id": "a", "score": 1, "text": found.text, **found.fields}])


@given(
    st.recursive(
        st.none() | st.floats() | st.text() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_whatever_is_answered_is_json(value):
    raw = json_bytes(value)
    json.loads(raw.decode("utf-8"), parse_constant=lambda word: pytest.fail(word))


@given(
    st.recursive(
        st.just(0),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
        max_leaves=30,
    ),
    st.integers(0, 6),
)
def test_depth_is_what_recursion_says(value, depth):
    def height(one):
        if not isinstance(one, dict | list):
            return 0
        return 1 + max(map(height, one.values() if isinstance(one, dict) else one), default=0)

    assert deeper_than(value, depth) == (height(value) > depth)


def test_braces_in_texts_are_no_objects():
    settings = Settings(containers=10)
    assert read_json(json.dumps(["{[" * 100 + '\\"']).encode(), settings) == ["{[" * 100 + '\\"']
    with pytest.raises(Refusal):
        read_json(b"[" + b"{}," * 10 + b"{}]", settings)
    with pytest.raises(RequestError):
        read_json(b'{"a": "' + b"{" * 8, settings)


WIRE = "The river rose above four metres on Tuesday night and the old bridge was closed to traffic."


@given(
    st.lists(
        st.sampled_from(
            [
                WIRE,
                WIRE + " ",
                "",
                "Farmers count two hundred hectares of orchards under water.",
                "alpha beta gamma delta",
                "zeta eta theta",
            ]
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["survey", "factual", "navigational"]),
)
def test_every_document_has_one_place_and_scores_fall(texts, name):
    relevance = [(7 * place % 5) / 5 for place in range(len(texts))]
    candidates = [{"id": f"{place:06d}", "score": relevance[place], "text": text} for place, text in enumerate(texts)]
    selection = select(candidates, query_class=name, policy={"merge": False})
    found = results_of(selection, relevance, None)
    assert sorted(one.index for one in found) == list(range(len(texts)))
    scores = [one.score for one in found]
    assert scores == sorted(set(scores), reverse=True)
    assert all((score > 0.5) == (place < len(selection.seats)) for place, score in enumerate(scores))
    assert all(0 < score <= 0.25 for score in scores[len(selection.seats) :])
    assert [one.index for one in results_of(selection, relevance, 3)] == [int(seat.id) for seat in selection.seats]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("survey", "survey"),
        ("reparto/factual", "factual"),
        ("rerank-v3.5", None),
        (None, None),
        ("", None),
        ("survey/", None),
    ],
)
def test_which_class_a_model_names(model, name):
    assert class_named(model, ["survey", "factual"]) == name


def test_lexical_relevance_prefers_rare_words_and_stays_in_range():
    found = Lexical()("rare common", ["rare thing", "common thing", "common", "common", "nothing"]).relevance
    assert found[0] == max(found)
    assert found[4] == 0
    assert all(0 <= one <= 1 for one in found)
    assert Lexical()("", ["a"]).relevance == [0]
    assert Lexical()("a", []).relevance == []
    assert Lexical()("CANCIÓN", ["cancion"]).relevance[0] > 0


def test_order_falls_in_equal_steps():
    assert Order()("x", list("abcd")).relevance == [1, 0.75, 0.5, 0.25]
    with pytest.raises(Exception, match="did you mean 'lexical'"):
        make_scorer("lexicl")


def test_the_breaker_opens_rests_tries_once_and_closes():
    now = [0.0]
    breaker = Breaker(2, 10, lambda: now[0])
    for _ in range(2):
        assert breaker.allows()
        breaker.failed()
    assert (breaker.state, breaker.allows()) == ("open", False)
    now[0] = 10.0
    assert breaker.state == "half_open"
    assert breaker.allows()
    assert not breaker.allows()
    breaker.failed()
    assert breaker.state == "open"
    now[0] = 20.0
    assert breaker.allows()
    breaker.gave_up()
    assert breaker.allows()
    breaker.succeeded()
    assert (breaker.state, breaker.allows()) == ("closed", True)


def test_the_log_is_as_it_was_when_a_write_fails(tmp_path, monkeypatch):
    import os

    log = tmp_path / "log"
    recorder = Recorder(log)
    request = read_request([{"id": "a", "score": 1.0, "text": "one", "metadata": {"n": math.nan}}])
    recorder.write(request, select(request))
    before = log.read_bytes()
    real = os.write
    calls = []

    def short(handle, data):
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(handle, data[:10])

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(LogError, match="No space left"):
        recorder.write(request, select(request))
    monkeypatch.undo()
    assert log.read_bytes() == before
    assert len(calls) == 2
    json.loads(before, parse_constant=lambda word: pytest.fail(word))
    with log.open("ab") as stream:
        stream.write(b'{"torn')
    recorder.write(request, select(request))
    assert len([json.loads(line) for line in log.read_bytes().splitlines()]) == 2


def test_a_log_that_cannot_be_opened_is_said(tmp_path):
    with pytest.raises(LogError, match="selection log"):
        Recorder(tmp_path / "no" / "such" / "folder").open()
