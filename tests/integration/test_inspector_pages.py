"""The page without a browser: what it shows, what it refuses, and what it never lets through."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "jinja2", "tomli_w"):
    pytest.importorskip(module, reason="the inspector needs the extra `service`")

import httpx

from reparto import Contract, read_request, select
from reparto.demo import feed
from reparto.log import record_of
from reparto.service.inspector.testing import Reading, seats_of
from reparto.service.settings import Settings
from reparto.service.testing import in_thread

LINES = {line["query_id"]: line for line in feed()}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inspector")
    with in_thread(
        Settings(votes=str(folder / "votes.jsonl"), log=str(folder / "log.jsonl"), body_bytes=400_000)
    ) as one:
        yield one


@pytest.fixture
def client(running):
    with httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client:
        yield client


def paste(client, value, **fields):
    text = value if isinstance(value, str) else json.dumps(value)
    return client.post("/", data={"source": "paste", "request": text, **fields})


@pytest.mark.parametrize("name", LINES)
def test_a_shipped_query_shows_the_library_selection(client, name):
    page = client.get("/", params={"pick": name})
    assert page.status_code == 200
    assert seats_of(page.text) == select(LINES[name]).ids


def test_the_first_page_needs_no_query(client):
    page = client.get("/")
    assert page.status_code == 200
    assert LINES["what-happened"]["query"] in html.unescape(page.text)
    assert page.headers["content-type"] == "text/html; charset=utf-8"


def test_every_candidate_is_somewhere_on_the_page(client):
    line = LINES["what-happened"]
    page = client.get("/").text
    part = page[page.index('class="seats"') : page.index('class="figures')] + page[page.index('class="losers"') :]
    assert {one["id"] for one in line["candidates"]} <= set(re.findall(r"<code>([^<]+)</code>", part))


def test_seats_show_both_terms_of_mmr(client):
    page = client.post("/", data={"source": "pick", "objective": "mmr", "lambda": "0.6"})
    selection = select(LINES["what-happened"], policy={"diversity": {"objective": "mmr", "lambda": 0.6}})
    words = Reading(page.text).words
    for seat in selection.seats:
        assert f"{0.6 * seat.relevance:.3f}" in words
        assert f"{0.4 * seat.redundancy:.3f}" in words
    assert "λ · relevance" in words
    bars = [one for one in Reading(page.text).named("rect") if one.get("class") == "plus"]
    widths = [float(one["width"]) for one in bars]
    order = sorted(range(len(widths)), key=lambda i: selection.seats[i].relevance)
    assert [widths[i] for i in order] == sorted(widths)


def test_quota_reserve_and_filled_seats_are_marked(client):
    request = {
        "k": 4,
        "policy": {"quotas": {"source": 1}, "diversity": {"objective": "relevance"}, "reserve": [{"where": {"tier": "gold"}, "at_least": 1}], "canonical": False},
        "candidates": [
            {"id": "a", "score": 0.9, "text": "the bridge was closed at noon by the harbour police", "source": "x"},
            {"id": "b", "score": 0.8, "text": "a second bridge stayed open for buses all afternoon", "source": "x"},
            {"id": "c", "score": 0.7, "text": "ferries ran every ten minutes until the evening", "source": "y"},
            {"id": "d", "score": 0.1, "text": "the city names an engineer to look into the cause", "source": "z", "tier": "gold"},
        ],
    }  # fmt: skip
    words = Reading(paste(client, request).text).words
    selection = select(request)
    assert any(seat.filled for seat in selection.seats)
    assert "quota on outlet" in words
    assert "filled: quotas lifted" in words
    request["k"], request["policy"]["quotas"] = 3, False
    assert "reserved seat" in Reading(paste(client, request).text).words


def test_the_slider_walks_from_stretch_to_stretch(client):
    fields = {"source": "pick", "pick": "what-happened", "objective": "mmr"}
    first = Reading(client.post("/", data=fields).text)
    slider = next(one for one in first.named("input") if one.get("type") == "range")
    last = int(slider["max"])
    seen = set()
    for step in range(last + 1):
        page = client.post("/", data={**fields, **first.hidden(), "step": str(step)})
        now = Reading(page.text)
        assert now.hidden()["at"] == str(step)
        lam = now.hidden()["lambda"]
        if lam:
            chosen = select(LINES["what-happened"], policy={"diversity": {"objective": "mmr", "lambda": float(lam)}})
            assert seats_of(page.text) == chosen.ids
        seen.add(tuple(seats_of(page.text)))
    assert len(seen) > last // 2


def test_a_chosen_lambda_survives_another_setting(client):
    fields = {"source": "pick", "pick": "what-happened", "objective": "mmr"}
    first = Reading(client.post("/", data=fields).text)
    moved = Reading(client.post("/", data={**fields, **first.hidden(), "step": "2"}).text)
    lam = moved.hidden()["lambda"]
    assert lam
    again = Reading(client.post("/", data={**fields, **moved.hidden(), "step": "2", "k": "5"}).text)
    assert again.hidden()["lambda"] == lam


def test_coverage_is_drawn_when_facts_are_given(client):
    line = LINES["what-happened"]
    assert "Coverage against relevance" in paste(client, line).text
    bare = {key: value for key, value in line.items() if key != "facts"}
    page = paste(client, bare)
    assert page.status_code == 200
    assert "Coverage against relevance" not in page.text
    assert "Facts covered" not in page.text


def test_facts_on_the_tile_are_those_of_the_measure(client):
    line = LINES["what-happened"]
    selection = select(line)
    carried = {member for seat in selection.seats for member in (seat.span.members if seat.span else [seat.id])}
    facts = sum(bool(carried & set(ids)) for ids in line["facts"].values())
    tile = Reading(client.get("/").text).words
    assert re.search(rf"Facts covered\s+by rank \d+\s+→\s+{facts} in the selection", tile)


def test_the_language_is_negotiated_and_kept(running):
    with httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client:
        spanish = client.get("/", headers={"accept-language": "es-ES,es;q=0.9"})
        assert spanish.headers["content-language"] == "es"
        assert '<html lang="es">' in spanish.text
        assert "La selección" in spanish.text
        assert "set-cookie" not in spanish.headers
        kept = client.post("/", data={"source": "pick", "lang": "es"})
        assert "SameSite=strict" in kept.headers["set-cookie"]
        assert "HttpOnly" in kept.headers["set-cookie"]
        assert client.get("/").headers["content-language"] == "es"
        assert client.get("/", params={"lang": "en"}).headers["content-language"] == "en"


def test_the_settings_come_down_as_a_contract_that_says_the_same(client, tmp_path):
    fields = {
        "source": "pick",
        "pick": "what-happened",
        "k": "6",
        "objective": "mmr",
        "lambda": "0.35",
        "quota_document": "off",
        "quota_source": "2",
    }
    answer = client.post("/inspector/contract", data=fields)
    assert answer.headers["content-disposition"] == 'attachment; filename="reparto-survey.toml"'
    file = tmp_path / "contract.toml"
    file.write_bytes(answer.content)
    contract = Contract.load(file)
    expected = Contract().resolve(
        "survey",
        {"k": 6, "diversity": {"objective": "mmr", "lambda": 0.35}, "quotas": {"document": False, "source": 2}},
    )
    assert contract.resolve("survey").policy == expected.policy
    assert select(LINES["what-happened"], contract).ids == seats_of(client.post("/", data=fields).text)


def test_a_look_is_neither_logged_nor_counted(running, client):
    client.post("/v1/select", json=LINES["claim-form"])
    log = Path(running.service.settings.log)
    before, counted = log.read_bytes(), client.get("/metrics").text
    paste(client, LINES["what-happened"])
    client.get("/inspector/compare")
    assert log.read_bytes() == before
    delivered = [line for line in counted.splitlines() if "delivered" in line and not line.startswith("#")]
    assert delivered
    assert [
        line for line in client.get("/metrics").text.splitlines() if "delivered" in line and not line.startswith("#")
    ] == delivered


def test_the_page_is_not_in_the_openapi_document(client):
    paths = client.get("/openapi.json").json()["paths"]
    assert "/" not in paths
    assert not any(path.startswith("/inspector") for path in paths)


def test_an_unknown_file_is_404(client):
    assert client.get("/inspector/static/x/../../settings.py").status_code == 404
    assert client.get("/inspector/static/x/words.toml").status_code == 404
    assert client.get("/inspector/static/x/%2e%2e%2fwords.toml").status_code == 404


def test_without_inline_policy_only_class_and_seats_can_be_chosen():
    with (
        in_thread(Settings(allow_policy=False)) as running,
        httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client,
    ):
        page = client.get("/")
        assert page.status_code == 200
        assert 'name="objective"' not in page.text
        assert 'type="range"' not in page.text
        assert client.post("/", data={"source": "pick", "k": "3"}).status_code == 200
        refused = client.post("/", data={"source": "pick", "lambda": "0.1"})
        assert refused.status_code == 422
        assert "takes no inline policy" in refused.text


def test_with_keys_the_page_asks_for_one(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("a-key-that-is-long-enough\n")
    with (
        in_thread(Settings(api_keys=str(keys))) as running,
        httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client,
    ):
        asked = client.get("/")
        assert asked.status_code == 401
        assert asked.headers["www-authenticate"].startswith("Basic")
        assert client.get("/", auth=("anyone", "a-key-that-is-long-enough")).status_code == 200
        assert client.get("/inspector/history").status_code == 401


def test_a_store_is_searched_and_its_pool_inspected(tmp_path):
    from reparto.corpus.readers import Inputs
    from reparto.corpus.setup import Wanted, prepared
    from reparto.demo import documents

    file, where = tmp_path / "documents.jsonl", str(tmp_path / "store")
    file.write_text("".join(json.dumps(one) + "\n" for one in documents()))
    with prepared(Wanted(where, kind="sqlite", chunker="paragraphs", embedder="none")) as indexer:
        indexer.index(Inputs((str(file),), None, None, False))
    with (
        in_thread(Settings(store=where)) as running,
        httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client,
    ):
        question = "What happened in the power outage?"
        page = client.post("/", data={"source": "search", "search": question, "class": "survey", "k": "5"})
        assert page.status_code == 200
        found = client.post("/v1/search", json={"query": question, "query_class": "survey", "k": 5}).json()
        assert seats_of(page.text) == [seat["id"] for seat in found["seats"]]
        assert client.post("/", data={"source": "search", "search": ""}).status_code == 422


def test_duplicate_rates_over_time_come_from_the_log(tmp_path):
    log = tmp_path / "log.jsonl"
    with (
        in_thread(Settings(log=str(log))) as running,
        httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client,
    ):
        assert "The log is empty so far." in client.get("/inspector/history").text
        start = datetime(2025, 3, 1, tzinfo=UTC)
        expected = {}
        with log.open("a") as file:
            for day, line in enumerate([*LINES.values()] * 2):
                selection = select(line)
                at = start + timedelta(days=day // 2)
                expected.setdefault(f"{at:%Y-%m-%d}", []).append(selection.report["duplicate_rate_before"])
                file.write(json.dumps(record_of(read_request(line), selection, at=at, texts=False)) + "\n")
            file.write("no record\n")
        page = client.get("/inspector/history")
    read = Reading(page.text)
    for day, rates in expected.items():
        assert re.search(rf"{day}\s*2\s*{sum(rates) / len(rates):.0%}", read.words), day
    assert "8 selections read." in read.words
    assert "1 line could not be read." in read.words


def test_without_a_log_the_page_says_how_to_get_one():
    with in_thread(Settings()) as running, httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client:
        assert "--log FILE" in client.get("/inspector/history").text
        assert "--votes FILE" in client.get("/inspector/compare").text
        assert client.post("/inspector/vote", data={"choice": "first", "trial": "x"}).status_code == 404
