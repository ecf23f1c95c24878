"""The native doors over a real socket: select, contract, probes, metrics, OpenAPI."""

from __future__ import annotations

import json

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import httpx

from reparto import select
from reparto.service.examples import CANDIDATES, COHERE, SEARCH, SELECT, TEI
from reparto.service.settings import Settings
from reparto.service.testing import in_thread

REQUEST = SELECT["one_request"]


@pytest.fixture(scope="module")
def client():
    with in_thread() as running, httpx.Client(base_url=running.url, timeout=10, trust_env=False) as client:
        yield client


def errors(answer: httpx.Response) -> list[dict]:
    body = answer.json()
    for one in body["errors"]:
        assert set(one) == {"code", "id", "field", "line", "message", "remedy"}
    return body["errors"]


def test_a_request_is_answered_as_by_the_library(client):
    answer = client.post("/v1/select", json=REQUEST)
    assert answer.status_code == 200
    assert answer.json() == json.loads(select(REQUEST).to_json())


def test_every_candidate_has_one_fate(client):
    answer = client.post("/v1/select", json=REQUEST).json()
    assert sorted(one["id"] for one in answer["decisions"]) == sorted(one["id"] for one in CANDIDATES)


def test_bare_candidates_are_a_request(client):
    answer = client.post("/v1/select", json=CANDIDATES).json()
    assert answer["seats"][0]["copies"]["ids"] == ["wire-1", "wire-2"]


def test_a_list_of_requests_is_answered_by_a_list_in_order(client):
    batch = [REQUEST, {**REQUEST, "k": 1}, CANDIDATES]
    answer = client.post("/v1/select", json=batch).json()
    assert answer == [client.post("/v1/select", json=one).json() for one in batch]


def test_an_empty_list_is_answered_by_an_empty_list(client):
    assert client.post("/v1/select", json=[]).json() == []


def test_a_bad_request_of_a_list_stands_in_its_place(client):
    answer = client.post("/v1/select", json=[REQUEST, {"candidates": [{"text": "no id"}]}, REQUEST])
    good, bad, again = answer.json()
    assert answer.status_code == 200
    assert good == again
    assert [(one["line"], one["field"]) for one in bad["errors"]] == [(2, "id"), (2, "score")]


def test_a_list_of_bad_requests_is_refused_with_all_faults(client):
    answer = client.post("/v1/select", json=[{"candidates": 1}, {"candidates": [{"id": "a"}]}])
    assert answer.status_code == 422
    assert sorted({one["line"] for one in errors(answer)}) == [1, 2]


@pytest.mark.parametrize("name", sorted(SELECT))
def test_the_examples_of_the_document_are_served(client, name):
    assert client.post("/v1/select", json=SELECT[name]).status_code == 200


@pytest.mark.parametrize(
    ("path", "example"),
    [*(("/v2/rerank", one) for one in COHERE.values()), *(("/rerank", one) for one in TEI.values())],
)
def test_the_rerank_examples_are_served(client, path, example):
    assert client.post(path, json=example).status_code == 200


def test_all_faults_at_once_each_with_id_and_field(client):
    answer = client.post(
        "/v1/select", json={"candidates": [{"id": "a", "score": "x"}, {"id": "b", "score": 1, "start": -1}], "kk": 1}
    )
    assert answer.status_code == 422
    assert {(one["id"], one["field"]) for one in errors(answer)} >= {("a", "score"), ("b", "start"), (None, "kk")}


def test_an_unknown_class_lists_the_known_ones(client):
    answer = client.post("/v1/select", json={**REQUEST, "query_class": "surveys"})
    assert answer.status_code == 422
    assert "survey" in errors(answer)[0]["remedy"]


def test_an_unknown_class_in_a_list_is_placed(client):
    answer = client.post("/v1/select", json=[REQUEST, {**REQUEST, "query_class": "surveys"}])
    assert answer.json()[1]["errors"][0]["line"] == 2


def test_words_that_are_no_json_are_read_and_the_answer_is_json(client):
    body = (
        '[{"id":"a","score":1,"text":"one two three","metadata":{"n":NaN}},{"id":"b","score":-Infinity,"text":"four"}]'
    )
    answer = client.post("/v1/select", content=body, headers={"content-type": "application/json"})
    strict = json.loads(answer.content, parse_constant=lambda word: pytest.fail(f"{word} in the answer"))
    assert strict["seats"][0]["metadata"] == {"n": None}
    assert [one["ids"] for one in strict["warnings"] if one["code"] == "score_not_finite"] == [["b"]]
    assert {one["id"]: one["fate"] for one in strict["decisions"]}["b"] == "invalid"


def test_a_lone_surrogate_comes_back(client):
    answer = client.post("/v1/select", content=rb'[{"id":"a","score":1,"text":"x \ud800 y"}]')
    assert json.loads(answer.content)["seats"][0]["text"] == "x \ud800 y"


def test_texts_come_back_byte_for_byte(client):
    text = "<script>alert(1)</script> \u200b\u202e e\u0301 \x00 \t ñ 漢字 🙂"
    answer = client.post("/v1/select", json=[{"id": "a", "score": 1, "text": text}])
    assert answer.json()["seats"][0]["text"] == text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_search_without_a_store_says_so(client):
    answer = client.post("/v1/search", json=SEARCH["a_question"])
    assert (answer.status_code, errors(answer)[0]["code"]) == (404, "no_store")


def test_the_contract_is_the_one_that_selections_name(client):
    contract = client.get("/v1/contract").json()
    answer = client.post("/v1/select", json=REQUEST).json()
    assert answer["contract"] == {"version": contract["version"], "digest": contract["digest"]}
    assert contract["classes"]["survey"]["diversity"]["objective"]
    assert client.get("/v1/contract/schema").json()["title"] == "reparto contract"


def test_probes(client):
    health = client.get("/healthz").json()
    assert (health["status"], health["kernels"]["name"] in ("native", "numpy")) == ("ok", True)
    assert client.get("/readyz").json() == {"ready": True, "because": []}


def test_metrics_count_what_was_delivered():
    with in_thread() as running, httpx.Client(base_url=running.url, trust_env=False) as client:
        client.post("/v1/select", json=REQUEST)
        client.post("/v1/select", content=b"{")
        client.get("/no/such/path-that-is-no-label")
        text = client.get("/metrics").text
    seats = running.service.metrics.registry.get_sample_value
    assert seats("reparto_delivered_passages_total", {"policy": "survey"}) == 3
    assert seats("reparto_delivered_duplicates_total", {"policy": "survey", "method": "lexical"}) == 0
    assert seats("reparto_ranked_duplicates_total", {"policy": "survey", "method": "lexical"}) == 2
    assert seats("reparto_fates_total", {"policy": "survey", "fate": "copy"}) == 1
    assert seats("reparto_selection_seconds_count", {"policy": "survey"}) == 1
    assert seats("reparto_http_requests_total", {"route": "/v1/select", "method": "POST", "status": "422"}) == 1
    assert seats("reparto_http_requests_total", {"route": "unmatched", "method": "GET", "status": "404"}) == 1
    assert "no/such" not in text
    assert "wire-1" not in text


def test_a_request_id_is_kept_where_it_is_safe(client):
    assert client.get("/healthz", headers={"x-request-id": "abc-123"}).headers["x-request-id"] == "abc-123"
    odd = client.get("/healthz", headers={"x-request-id": 'a"} {"level": "forged'}).headers["x-request-id"]
    assert odd.isalnum()


def test_paths_and_methods_that_are_not_there_have_the_error_body(client):
    assert errors(client.get("/v1/nothing"))[0]["code"] == "http_404"
    refused = client.get("/v1/select")
    assert (refused.status_code, errors(refused)[0]["code"]) == (405, "http_405")


def test_the_document_names_every_route_with_examples(client):
    document = client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for path in ("/v1/select", "/v1/search", "/v1/rerank", "/v2/rerank", "/rerank"):
        content = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        assert content["examples"], path
    assert {"/v1/contract", "/healthz", "/readyz", "/metrics"} <= set(document["paths"])


def test_inline_policies_can_be_forbidden():
    with (
        in_thread(Settings(allow_policy=False)) as running,
        httpx.Client(base_url=running.url, trust_env=False) as client,
    ):
        answer = client.post("/v1/select", json=SELECT["inline_policy"])
        assert (answer.status_code, errors(answer)[0]["code"]) == (422, "policy_forbidden")
        assert client.post("/v1/select", json=REQUEST).status_code == 200


def test_a_store_is_searched(tmp_path):
    documents = [
        {"id": f"d{number}", "source": f"s{number % 3}", "text": f"{one['text']} Number {number} of the series."}
        for number, one in enumerate(CANDIDATES * 2)
    ]
    feed = tmp_path / "feed.jsonl"
    feed.write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    indexed(feed, tmp_path / "store")
    with (
        in_thread(Settings(store=str(tmp_path / "store"))) as running,
        httpx.Client(base_url=running.url, trust_env=False) as client,
    ):
        answer = client.post("/v1/search", json={"query": "river bridge", "query_class": "survey", "k": 2, "pool": 5})
        assert answer.status_code == 200, answer.text
        assert 1 <= len(answer.json()["seats"]) <= 2
        narrow = client.post("/v1/search", json={"query": "river bridge", "where": {"source": "s0"}}).json()
        assert {seat["source"] for seat in narrow["seats"]} <= {"s0"}
        assert errors(client.post("/v1/search", json={"query": "x", "k": 8, "pool": 3}))[0]["field"] == "pool"
        faults = errors(client.post("/v1/search", json={"k": "8", "wher": {}}))
        assert {one["field"] for one in faults} == {"k", "wher", "query"}
        assert client.get("/readyz").json()["ready"]


def indexed(feed, store):
    from click.testing import CliRunner

    from reparto.cli import group

    result = CliRunner().invoke(group, ["index", str(feed), "--store", str(store), "--embedder", "none"])
    assert result.exit_code == 0, result.output


def test_a_store_that_is_not_there_is_not_ready(tmp_path):
    with in_thread(Settings(store=str(tmp_path / "none"))) as running:
        answer = httpx.get(f"{running.url}/readyz", trust_env=False)
        assert answer.status_code == 503
        assert "there is no store" in answer.json()["because"][0]
        assert httpx.get(f"{running.url}/healthz", trust_env=False).status_code == 200
