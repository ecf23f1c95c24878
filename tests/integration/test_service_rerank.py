"""The rerank doors: shapes of every protocol, an order that says everything by scores, metadata, classes by model."""

from __future__ import annotations

import json

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "yaml"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import httpx

from reparto.service.settings import Settings
from reparto.service.testing import in_thread

WIRE = "The river rose above four metres on Tuesday night and the old bridge was closed to traffic, the town hall said."
OTHERS = [
    "Farmers upstream count their losses: two hundred hectares of orchards under water after the river flood.",
    "What a flood alert means: level one is watch, level two is prepare, level three is leave the ground floor.",
    "The insurer expects eleven million in claims from the flood, most of them for cellars and parked cars.",
]
TEXTS = [WIRE, WIRE, OTHERS[0], WIRE + " ", OTHERS[1], WIRE, OTHERS[2], ""]
COPIES = {0, 1, 3, 5}
DOORS = ("/v2/rerank", "/v1/rerank", "/rerank")


@pytest.fixture(scope="module")
def client():
    with in_thread() as running, httpx.Client(base_url=running.url, timeout=10, trust_env=False) as client:
        yield client


def results(client, path, **body) -> list[tuple[int, float]]:
    body = {"query": "river flood", "model": "survey", **body}
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    listed = answer.json() if "texts" in body else answer.json()["results"]
    return [(one["index"], one.get("relevance_score", one.get("score"))) for one in listed]


@pytest.mark.parametrize(
    "extra", [{}, {"top_n": len(TEXTS)}, {"top_n": 99}, {"top_n": 0}, {"top_n": None}, {"top_k": 8.0}]
)
@pytest.mark.parametrize("path", DOORS)
def test_nothing_is_lost_when_all_are_asked_for(client, path, extra):
    found = results(client, path, documents=TEXTS, **extra)
    assert sorted(index for index, _ in found) == list(range(len(TEXTS)))


@pytest.mark.parametrize(
    "given", [{"path": path, "documents": TEXTS} for path in DOORS] + [{"path": "/rerank", "texts": TEXTS}]
)
def test_seats_come_first_then_a_gap_then_the_tail(client, given):
    found = results(client, **given)
    scores = [score for _, score in found]
    assert scores == sorted(set(scores), reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    seats = [index for index, score in found if score > 0.5]
    tail = [index for index, score in found if score <= 0.25]
    assert len(seats) + len(tail) == len(TEXTS)
    assert len(COPIES & set(seats)) == 1
    assert {2, 4, 6} <= set(seats)
    assert tail[-1] == 7  # the blank one


def test_a_cut_gives_seats_alone(client):
    found = results(client, "/v2/rerank", documents=TEXTS, top_n=3)
    assert len(found) == 3
    assert len(COPIES & {index for index, _ in found}) <= 1
    assert all(score > 0.5 for _, score in found)


def test_a_cut_is_never_filled_with_copies(client):
    found = results(client, "/v2/rerank", documents=[WIRE] * 6, top_n=5)
    assert len(found) == 1


def test_the_model_names_the_class(client):
    assert sum(score > 0.5 for _, score in results(client, "/v2/rerank", documents=TEXTS, model="factual")) == 3
    assert (
        sum(score > 0.5 for _, score in results(client, "/v2/rerank", documents=TEXTS, model="reparto/navigational"))
        == 1
    )
    other = client.post("/v2/rerank", json={"query": "x", "model": "rerank-v3.5", "documents": TEXTS})
    assert other.json()["model"] == "rerank-v3.5"


def test_shapes_of_cohere_and_jina(client):
    answer = client.post(
        "/v1/rerank",
        json={"query": "flood", "documents": [{"text": WIRE, "source": "x"}, OTHERS[0]], "return_documents": True},
    ).json()
    assert {"id", "object", "model", "results", "usage", "meta"} == set(answer)
    by_index = {one["index"]: one["document"] for one in answer["results"]}
    assert by_index == {0: {"text": WIRE, "source": "x"}, 1: {"text": OTHERS[0]}}
    assert answer["usage"]["total_tokens"] > 0
    assert (
        client.post("/v2/rerank", json={"query": "x", "documents": [WIRE]}).json()["meta"]["api_version"]["version"]
        == "2"
    )


def test_voyage_has_data_with_documents_as_strings(client):
    answer = client.post(
        "/v1/rerank",
        json={"query": "flood", "documents": TEXTS, "top_k": 2, "return_documents": True, "model": "survey"},
    ).json()
    assert [one["index"] for one in answer["data"]] == [one["index"] for one in answer["results"]]
    assert len(answer["data"]) == 2
    assert answer["data"][0]["document"] == TEXTS[answer["data"][0]["index"]]
    assert "data" not in client.post("/v1/rerank", json={"query": "flood", "documents": TEXTS}).json()


def test_documents_are_not_echoed_where_clients_disagree_on_their_form(client):
    answer = client.post("/rerank", json={"query": "flood", "documents": TEXTS, "return_documents": True}).json()
    assert all(set(one) == {"index", "relevance_score"} for one in answer["results"])


def test_tei_is_a_bare_array_with_texts_on_demand(client):
    answer = client.post(
        "/rerank", json={"query": "flood", "texts": TEXTS, "return_text": True, "raw_scores": True, "truncate": True}
    ).json()
    assert isinstance(answer, list)
    assert all(one["text"] == TEXTS[one["index"]] for one in answer)


def test_tei_errors_have_its_shape(client):
    answer = client.post("/rerank", json={"query": "flood", "texts": [1]})
    assert answer.status_code == 422
    assert answer.json()["error_type"] == "Validation"
    assert "texts[0]" in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"documents": TEXTS}, "query"), ({"query": "x"}, "documents"), ({"query": 1, "documents": []}, "query"),
        ({"query": "x", "documents": "abc"}, "documents"), ({"query": "x", "documents": [None]}, "documents[0]"),
        ({"query": "x", "documents": TEXTS, "top_n": -1}, "top_n"), ({"query": "x", "documents": TEXTS, "top_k": True}, "top_k"),
        ({"query": "x", "documents": TEXTS, "model": 7}, "model"), ({"query": "x", "documents": TEXTS, "return_documents": "yes"}, "return_documents"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", DOORS)
def test_faults_are_named(client, path, body, field):
    answer = client.post(path, json=body)
    assert answer.status_code == 422
    assert field in [one["field"] for one in answer.json()["errors"]]
    assert answer.json()["message"]


def test_both_texts_and_documents_is_a_fault(client):
    assert client.post("/rerank", json={"query": "x", "documents": [], "texts": []}).status_code == 422


@pytest.mark.parametrize("path", DOORS)
def test_no_documents_no_results(client, path):
    assert results(client, path, documents=[]) == []


def test_equal_texts_keep_the_order_in_which_they_were_sent(client):
    found = results(client, "/rerank", documents=["alpha", "beta", "gamma"], query="nothing of the kind")
    assert [index for index, _ in found] == [0, 1, 2]


def test_metadata_in_json_and_yaml_texts_spreads_the_seats():
    """Four passages of one outlet and two of others: with a quota on the source the outlet gets one seat."""
    passages = [
        f"Passage {word} on how the river flood was handled that week."
        for word in ("one", "two", "three", "four", "five", "six")
    ]
    sources = ["daily"] * 4 + ["weekly", "agency"]
    as_json = [json.dumps({"text": text, "source": source}) for text, source in zip(passages, sources, strict=True)]
    as_yaml = [f"source: {source}\ntext: {text}\n" for text, source in zip(passages, sources, strict=True)]
    policy = "[classes.survey]\nk = 3\nquotas = { source = 1 }\nreserve = []\ncollapse = { resemblance = false, containment = false }\n"
    plain = top(passages, policy)
    assert len({sources[index] for index in plain}) < 3
    for texts in (as_json, as_yaml):
        assert {sources[index] for index in top(texts, policy)} == {"daily", "weekly", "agency"}
    assert top(as_json, policy, metadata_from_texts=False) != top(as_json, policy)


def top(texts, policy, **settings):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        contract = Path(folder) / "contract.toml"
        contract.write_text(policy, encoding="utf-8")
        with in_thread(Settings(contract=str(contract), scorer="order", **settings)) as running:
            body = {"query": "river", "model": "survey", "documents": texts, "top_n": 3}
            answer = httpx.post(f"{running.url}/v2/rerank", json=body, trust_env=False).json()
            return [one["index"] for one in answer["results"]]


def test_what_was_selected_is_logged_and_can_be_verified(tmp_path):
    log = tmp_path / "log.jsonl"
    with in_thread(Settings(log=str(log))) as running:
        httpx.post(f"{running.url}/v2/rerank", json={"query": "flood", "documents": TEXTS}, trust_env=False)
        httpx.post(f"{running.url}/v1/select", json=[{"id": "a", "text": WIRE, "score": 1}], trust_env=False)
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [len(one["selection"]["decisions"]) for one in records] == [len(TEXTS), 1]
    assert WIRE[:30] not in log.read_text(encoding="utf-8")
    assert "flood" not in log.read_text(encoding="utf-8")


def test_texts_are_logged_on_demand(tmp_path):
    log = tmp_path / "log.jsonl"
    with in_thread(Settings(log=str(log), log_texts=True)) as running:
        httpx.post(f"{running.url}/v1/select", json=[{"id": "a", "text": WIRE, "score": 1}], trust_env=False)
    assert json.loads(log.read_text(encoding="utf-8"))["request"]["candidates"][0]["text"] == WIRE


def test_a_log_on_a_full_disk_stops_delivery():
    with in_thread(Settings(log="/dev/full")) as running:
        answer = httpx.post(f"{running.url}/v1/select", json=[{"id": "a", "text": WIRE, "score": 1}], trust_env=False)
        assert answer.status_code == 503
        assert answer.json()["errors"][0]["code"] == "log_unwritable"
        assert int(answer.headers["retry-after"]) >= 1
