"""Odd but legal requests of each reranking protocol's published schema: all of them are served, and as its clients read.

Where the services themselves differ, docs/service.md says what is answered here.
"""

from __future__ import annotations

import json

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "yaml"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import httpx

from reparto.service.settings import Settings
from reparto.service.testing import in_thread

RIVER = "The river rose above four metres on Tuesday night and the old bridge was closed to traffic."
FARMS = "Farmers upstream count their losses: two hundred hectares of orchards under water after the flood."
RULES = "What a flood alert means: level one is watch, level two is prepare, level three is leave."
THREE = [RIVER, FARMS, RULES]


@pytest.fixture(scope="module")
def client():
    with in_thread(Settings()) as running, httpx.Client(base_url=running.url, timeout=10, trust_env=False) as client:
        yield client


def rows(client, path: str, body: dict) -> list[dict]:
    answer = client.post(path, json={"query": "river flood", **body})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    return found if isinstance(found, list) else found["results"]


def every(number: int, listed: list[dict]) -> None:
    assert sorted(one["index"] for one in listed) == list(range(number))
    scores = [one.get("relevance_score", one.get("score")) for one in listed]
    assert scores == sorted(set(scores), reverse=True)


COHERE_V2 = {
    "all options": {"model": "rerank-v3.5", "documents": THREE, "max_tokens_per_doc": 4096, "priority": 0},
    "top_n = n": {"model": "rerank-v3.5", "documents": THREE, "top_n": 3},
    "top_n > n": {"model": "rerank-v3.5", "documents": THREE, "top_n": 50},
    "one document": {"model": "rerank-v3.5", "documents": [RIVER]},
    "one document, top_n 1": {"model": "rerank-v3.5", "documents": [RIVER], "top_n": 1},
    "the same document three times": {"model": "rerank-v3.5", "documents": [RIVER] * 3},
    "texts as YAML": {"model": "rerank-v3.5", "documents": [f"Title: a\nContent: {json.dumps(one)}\n" for one in THREE]},
    "texts as JSON": {"model": "rerank-v3.5", "documents": [json.dumps({"text": one, "n": [1]}) for one in THREE]},
    "texts that are other JSON": {"model": "rerank-v3.5", "documents": ["[1, 2]", "7", '"a"', "null", "{}", "- a\n- b", "a: b"]},
    "scripts without spaces": {"model": "rerank-v3.5", "documents": ["河水在星期二晚上上涨", "洪水之后", "ภาษาไทย", "עברית", "😀"], "query": "洪水"},
    "blank texts": {"model": "rerank-v3.5", "documents": ["", " ", "\u200b", RIVER]},
    "an empty question": {"model": "rerank-v3.5", "documents": THREE, "query": ""},
    "control characters": {"model": "rerank-v3.5", "documents": ["a\x00b", "\x1b[31mred", "\u202eabc", "\ufeff" + RIVER]},
}  # fmt: skip
COHERE_V1 = {
    "objects": {"documents": [{"text": one} for one in THREE]},
    "objects and texts": {"documents": [RIVER, {"text": FARMS}, {"text": RULES, "title": "x", "year": 2024}]},
    "rank_fields": {"documents": [{"title": "t", "body": one, "n": 1} for one in THREE], "rank_fields": ["title", "body"]},
    "rank_fields that some lack": {"documents": [{"title": RIVER}, {"body": FARMS}, {}], "rank_fields": ["title"]},
    "objects without a text": {"documents": [{"title": RIVER}, {"title": FARMS, "year": 2024}, {"tags": ["a"]}]},
    "all options": {"model": "rerank-english-v3.0", "documents": THREE, "return_documents": False, "max_chunks_per_doc": 10, "rank_fields": None, "top_n": None},
}  # fmt: skip
JINA = {
    "objects": {"model": "jina-reranker-v2-base-multilingual", "documents": [{"text": one} for one in THREE], "top_n": 3},
    "a question as an object": {"model": "jina-reranker-m0", "query": {"text": "river flood"}, "documents": THREE},
    "an image among texts": {"model": "jina-reranker-m0", "documents": [RIVER, {"image": "https://example.org/a.png"}, FARMS]},
    "truncation and length": {"model": "jina-reranker-v3", "documents": THREE, "truncation": True, "max_doc_length": 1024},
}  # fmt: skip
VOYAGE = {
    "truncation": {"model": "rerank-2.5", "documents": THREE, "top_k": 3, "truncation": True},
    "top_k null": {"model": "rerank-2.5", "documents": THREE, "top_k": None, "return_documents": False},
    "top_k > n": {"model": "rerank-2.5", "documents": THREE, "top_k": 20},
    "truncation alone": {"model": "rerank-2.5", "documents": THREE, "truncation": False},
}  # fmt: skip
PARTS = [{"type": "text", "text": one} for one in THREE]
VLLM = {
    "top_n = 0": {"model": "m", "documents": THREE, "top_n": 0},
    "all options": {"documents": THREE, "truncate_prompt_tokens": -1, "priority": 0, "softmax": None, "use_activation": True, "mm_processor_kwargs": None},
    "documents as parts": {"model": "m", "documents": {"content": PARTS}},
    "a question of parts": {"model": "m", "query": {"content": [{"type": "text", "text": "river flood"}]}, "documents": THREE},
    "documents of parts": {"model": "m", "documents": [{"content": [one]} for one in PARTS]},
    "infinity": {"model": "default/not-specified", "documents": THREE, "return_documents": True, "raw_scores": True, "top_n": None},
}  # fmt: skip
TEI = {
    "all options": {"texts": THREE, "raw_scores": True, "return_text": True, "truncate": True, "truncation_direction": "Left"},
    "nulls": {"texts": THREE, "truncate": None, "truncation_direction": "right", "return_text": False},
    "one text": {"texts": [RIVER]},
    "blank texts": {"texts": ["", RIVER, ""]},
    "texts that parse": {"texts": ['{"text": "a"}', "text: a", "[]"]},
}  # fmt: skip
CASES = [
    (path, name, body)
    for path, table in (
        ("/v2/rerank", COHERE_V2), ("/v1/rerank", COHERE_V1), ("/v1/rerank", JINA), ("/v1/rerank", VOYAGE), ("/rerank", VLLM),
        ("/v1/rerank", VLLM), ("/v2/rerank", VLLM), ("/rerank", TEI),
    )
    for name, body in table.items()
]  # fmt: skip


@pytest.mark.parametrize(("path", "name", "body"), CASES, ids=lambda one: one if isinstance(one, str) else "")
def test_what_a_schema_allows_is_served_whole(client, path, name, body):
    listed = body.get("texts", body.get("documents"))
    every(len(listed["content"] if isinstance(listed, dict) else listed), rows(client, path, body))


def test_rank_fields_may_be_numbers_and_count_in_their_order(client):
    documents = [{"id": 1871, "city": "Orvelia"}, {"id": 1999, "city": "Alder"}]
    found = rows(client, "/v1/rerank", {"query": "1999", "documents": documents, "rank_fields": ["id", "city"]})
    assert found[0]["index"] == 1


def test_documents_come_back_as_each_protocol_has_it(client):
    given = [{"text": RIVER, "n": 1}, FARMS]
    for model, wanted in (("rerank-v3.5", False), ("jina-reranker-v3", True)):
        found = rows(client, "/v1/rerank", {"model": model, "documents": given})
        assert all(("document" in one) is wanted for one in found)
        asked = rows(client, "/v1/rerank", {"model": model, "documents": given, "return_documents": not wanted})
        assert all(("document" in one) is not wanted for one in asked)
    by_index = {
        one["index"]: one["document"] for one in rows(client, "/v1/rerank", {"model": "jina-x", "documents": given})
    }
    assert by_index == {0: given[0], 1: {"text": FARMS}}


def test_voyage_is_known_by_either_of_its_own_keys(client):
    for own in ({"top_k": None}, {"top_k": 2}, {"truncation": True}):
        answer = client.post("/v1/rerank", json={"query": "flood", "documents": THREE, "model": "rerank-2.5", **own})
        assert answer.json()["object"] == "list"
        assert [one["index"] for one in answer.json()["data"]] == [one["index"] for one in answer.json()["results"]]


def test_an_object_is_held_to_the_length_of_a_text(client):
    for path, body in (
        ("/v1/rerank", {"documents": [RIVER, {"text": "x" * 65_537}]}),
        ("/rerank", {"documents": [RIVER, {"content": [{"type": "text", "text": "x" * 65_537}]}]}),
        ("/v1/rerank", {"documents": [RIVER, {"title": "x" * 65_537}], "rank_fields": ["title"]}),
    ):
        answer = client.post(path, json={"query": "flood", **body})
        assert answer.status_code == 422
        assert [(one["code"], one["field"]) for one in answer.json()["errors"]] == [("too_long", "documents[1]")]


@pytest.mark.parametrize("query", [{}, {"image": "a"}, {"content": "a"}, {"content": []}, {"text": 7}, ["a"]])
def test_a_question_without_words_is_named(client, query):
    answer = client.post("/rerank", json={"query": query, "documents": THREE})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "query"


def test_an_empty_list_gets_an_empty_answer(client):
    assert rows(client, "/v2/rerank", {"documents": []}) == []
    assert rows(client, "/rerank", {"texts": []}) == []
    assert rows(client, "/rerank", {"documents": {"content": []}}) == []
