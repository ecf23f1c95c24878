"""A reranker behind the service: every protocol, answers unsorted and partial, failures that pass and failures that stay."""

from __future__ import annotations

import asyncio
import math
import random

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from reparto.errors import InputError
from reparto.service.app import create_app
from reparto.service.protocols import PROTOCOLS, BadAnswerError, scores_of
from reparto.service.settings import Settings
from reparto.service.testing import in_thread

TEXTS = [
    f"a passage about subject {word}, and nothing else of note"
    for word in ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")
]
RELEVANCE = [0.1, 0.9, 0.3, 0.8, 0.2, 0.7]
BY_RELEVANCE = [1, 3, 5, 2, 4, 0]
CONTRACT = "[classes.survey]\nquotas = false\nreserve = []\ncollapse = false\ndiversity = { objective = 'relevance' }\n"


class Reranker:
    """An upstream on a socket of its own, which answers as `answers` says and remembers what it was asked."""

    def __init__(self, *answers, shape="cohere"):
        self.answers, self.shape, self.asked, self.headers = list(answers), shape, [], []
        self.app = Starlette(
            routes=[Route("/rerank", self.rerank, methods=["POST"]), Route("/elsewhere", self.rerank, methods=["POST"])]
        )

    async def rerank(self, request: Request) -> Response:
        self.asked.append(await request.json())
        self.headers.append(dict(request.headers))
        step = self.answers.pop(0) if self.answers else "good"
        if step == "slow":
            await asyncio.sleep(3)
        if isinstance(step, Response):
            return step
        if isinstance(step, int):
            return Response("no", step, {"Retry-After": "0"})
        results = [{"index": place, "score": score, "relevance_score": score} for place, score in enumerate(RELEVANCE)]
        if step == "partial":
            results = results[1:4]
        random.Random(1).shuffle(results)
        return JSONResponse(
            results if self.shape == "tei" else {("data" if self.shape == "voyage" else "results"): results}
        )


def served(tmp_path, reranker, ask, **settings):
    """What `ask(client, service)` gives with the reranker behind the service."""
    (tmp_path / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    with in_thread(app=reranker.app) as behind:
        named = {
            "upstream": f"{behind.url}/rerank",
            "contract": str(tmp_path / "contract.toml"),
            "upstream_protocol": reranker.shape,
            **settings,
        }
        with (
            in_thread(Settings(**named)) as running,
            httpx.Client(base_url=running.url, trust_env=False, timeout=20) as client,
        ):
            return ask(client, running.service)


def ask_once(client, service=None):
    return client.post("/v2/rerank", json={"model": "survey", "query": "subject", "documents": TEXTS})


def order(answer) -> list[int]:
    assert answer.status_code == 200, answer.text
    return [one["index"] for one in answer.json()["results"]]


@pytest.mark.parametrize("shape", ["cohere", "tei", "voyage"])
def test_relevance_comes_from_upstream_whatever_it_speaks(tmp_path, shape):
    reranker = Reranker(shape=shape)
    assert order(served(tmp_path, reranker, ask_once, upstream_model="big-one")) == BY_RELEVANCE
    asked = reranker.asked[0]
    assert asked["query"] == "subject"
    assert asked["texts" if shape == "tei" else "documents"] == TEXTS
    assert asked.get("top_k" if shape == "voyage" else "top_n") == (None if shape == "tei" else len(TEXTS))
    assert asked.get("model") == (None if shape == "tei" else "big-one")


def test_what_upstream_left_out_goes_last_and_is_said(tmp_path):
    answer = served(tmp_path, Reranker("partial"), ask_once)
    assert order(answer) == [1, 3, 2, 0, 4, 5]
    assert "left out 3 of 6" in answer.json()["meta"]["warnings"][0]
    assert answer.headers["x-reparto-degraded"]


def test_failures_that_pass_are_tried_again(tmp_path):
    reranker = Reranker(503, 429)
    assert order(served(tmp_path, reranker, ask_once)) == BY_RELEVANCE
    assert len(reranker.asked) == 3


def test_failures_that_stay_are_not(tmp_path):
    reranker = Reranker(400)
    answer = served(tmp_path, reranker, ask_once)
    assert len(reranker.asked) == 1
    assert "failed" in answer.headers["x-reparto-degraded"]
    assert sorted(order(answer)) == list(range(len(TEXTS)))


BAD = [
    Response("not json"), Response(b"[" * 100_000), JSONResponse({"results": []}), JSONResponse({"results": [{"index": 99, "relevance_score": 1}]}),
    Response('{"results": [{"index": 0, "relevance_score": NaN}]}'), Response(b'"' + b"x" * (17 * 2**20) + b'"'), Response(status_code=302, headers={"location": "/elsewhere"}),
]  # fmt: skip


@pytest.mark.parametrize(
    "bad", BAD, ids=["no JSON", "deep", "empty", "index out of range", "NaN", "too long", "redirect"]
)
def test_answers_that_are_none_are_not_used(tmp_path, bad):
    reranker = Reranker(*[bad] * 3)
    answer = served(tmp_path, reranker, ask_once)
    assert answer.headers["x-reparto-degraded"]
    assert len(reranker.asked) == 1


def test_without_fallback_the_failure_is_the_answer(tmp_path):
    answer = served(tmp_path, Reranker(500, 500, 500), ask_once, upstream_fallback=False)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (503, "upstream")
    assert answer.json()["message"]


def test_a_slow_upstream_is_given_up_in_time(tmp_path):
    answer = served(tmp_path, Reranker("slow"), ask_once, upstream_seconds=0.4)
    assert answer.elapsed.total_seconds() < 2
    assert answer.headers["x-reparto-degraded"]


def test_a_broken_upstream_is_left_alone_then_found_to_be_back(tmp_path):
    reranker = Reranker(400, 400)

    def ask(client, service):
        seen = [ask_once(client) for _ in range(4)]
        state, asked = client.get("/readyz").json(), len(reranker.asked)
        while service.upstream.breaker.state == "open":
            continue
        return seen, state, asked, ask_once(client)

    seen, state, asked, after = served(tmp_path, reranker, ask, upstream_failures=2, upstream_rest_seconds=1.0)
    assert asked == 2
    assert all("x-reparto-degraded" in one.headers for one in seen)
    assert state == {"ready": True, "because": [], "upstream": "open"}
    assert order(after) == BY_RELEVANCE
    assert "x-reparto-degraded" not in after.headers


def test_the_key_goes_upstream_and_nowhere_else(tmp_path, monkeypatch, caplog):
    caplog.set_level(0)
    monkeypatch.setenv("REPARTO_UPSTREAM_KEY", "s3cret-upstream-key")
    reranker = Reranker(400)
    served(tmp_path, reranker, lambda client, service: (ask_once(client), client.get("/metrics").text))
    assert reranker.headers[0]["authorization"] == "Bearer s3cret-upstream-key"
    assert "s3cret" not in caplog.text


def test_a_protocol_that_is_not_known_is_named():
    with pytest.raises(InputError, match="did you mean 'cohere'"):
        create_app(Settings(upstream="http://127.0.0.1:1/rerank", upstream_protocol="coher"))
    with pytest.raises(InputError, match="no http"):
        create_app(Settings(upstream="file:///etc/passwd"))


def test_scores_are_read_from_what_is_usable():
    listed = PROTOCOLS["cohere"].listed
    items = [
        {"index": 0, "relevance_score": -3},
        {"index": 0, "score": 2},
        {"index": True, "score": 9},
        {"index": 1, "score": 10**400},
        "x",
        {"index": -1, "score": 1},
    ]
    assert scores_of({"results": items}, listed, 3) == ([2.0, 1.0, 1.0], 2)
    assert scores_of([{"index": 1, "score": 0.4}], listed, 2) == ([0.2, 0.4], 1)
    for answer in (None, 7, {}, {"results": {}}, [{"index": 0, "score": math.nan}]):
        with pytest.raises(BadAnswerError):
            scores_of(answer, listed, 3)
