"""Answers compared blind: both written through a server that speaks OpenAI's protocol, kept by digest, summed up apart."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "jinja2", "tomli_w"):
    pytest.importorskip(module, reason="the inspector needs the extra `service`")

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from reparto.evaluation.statistics import wilson
from reparto.log import digest
from reparto.service.inspector.testing import Reading
from reparto.service.inspector.trial import Trial
from reparto.service.inspector.votes import VoteBook
from reparto.service.settings import Settings
from reparto.service.testing import Running, in_thread

PASSAGE = re.compile(r"^\[(\d+)\] [^\n]*\n`{3,}\n(.*?)\n`{3,}$", re.MULTILINE | re.DOTALL)


@dataclass
class Model:
    """Writes an answer by quoting the beginning of every passage it is given, each with its citation."""

    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    status: int = 200
    fixed: str | None = None
    more: str = ""
    gate: threading.Event = field(default_factory=threading.Event)

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/v1/chat/completions")
        def complete(body: dict[str, Any], request: Request) -> JSONResponse:
            self.asked.append(body)
            self.keys.append(request.headers.get("authorization"))
            self.gate.wait(20)
            if self.status != 200:
                return JSONResponse({"error": {"message": "sk-secret of the provider"}}, self.status)
            passages = PASSAGE.findall(body["messages"][-1]["content"])
            quoted = " ".join(f"{' '.join(text.split()[:12])} [{number}]." for number, text in passages)
            text = self.fixed if self.fixed is not None else quoted + self.more
            return JSONResponse({"choices": [{"message": {"role": "assistant", "content": text}}]})

        return app


@pytest.fixture
def model() -> Iterator[Model]:
    made = Model()
    made.gate.set()
    yield made
    made.gate.set()


@pytest.fixture
def running(model: Model, tmp_path, monkeypatch) -> Iterator[Running]:
    monkeypatch.setenv("REPARTO_ANSWER_KEY", "k-1")
    with in_thread(app=model.app()) as endpoint:
        settings = Settings(
            votes=str(tmp_path / "votes.jsonl"), answer_url=f"{endpoint.url}/v1/", answer_model="quoter", workers=2
        )
        with in_thread(settings) as running:
            yield running


@pytest.fixture
def client(running: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.url, timeout=60, trust_env=False) as client:
        yield client


def sides(page: str) -> list[str]:
    parts = page.split('<section aria-labelledby="set-')[1:]
    return [Reading(part.partition("</section>")[0]).words for part in parts]


def test_both_sets_are_answered_judged_and_kept_by_digest(client, running, model, tmp_path):
    page = client.get("/inspector/compare/answers?pick=consecuencias").text
    assert [one["model"] for one in model.asked] == ["quoter", "quoter"]
    assert model.keys == ["Bearer k-1"] * 2
    contexts = {one["messages"][-1]["content"] for one in model.asked}
    assert len(contexts) == 2
    assert len({len(PASSAGE.findall(one)) for one in contexts}) == 1  # as many passages for either side
    first, second = sides(page)
    assert first != second
    assert "[1]" in first and "[1]" in second
    assert "the selection" not in page.partition('<div class="blind">')[2].partition("</div>")[0]

    answered = client.post("/inspector/vote", data={**Reading(page).hidden(), "choice": "second"})
    assert answered.status_code == 200
    line = json.loads((tmp_path / "votes.jsonl").read_text())
    assert (line["of"], line["model"], line["query_class"]) == ("answers", "quoter", "survey")
    assert line["preferred"] == {"selection": "top-k", "top-k": "selection"}[line["shown_first"]]
    assert set(line["answers"]) == {"selection", "top-k"}
    written = {digest(model_text(one)) for one in model.asked}
    assert set(line["answers"].values()) == written
    assert not [one for one in PASSAGE.findall(contexts.pop()) if one[1][:40] in json.dumps(line)]
    assert "Results so far: answers" in answered.text
    assert "Results so far: sets" not in answered.text
    assert "/inspector/compare/answers?pick=" in answered.text


def model_text(body: dict[str, Any]) -> str:
    passages = PASSAGE.findall(body["messages"][-1]["content"])
    return " ".join(f"{' '.join(text.split()[:12])} [{number}]." for number, text in passages)


def test_the_first_places_reach_the_model_as_the_ranker_had_them(client, model):
    candidates = [
        {"id": f"c{n}", "score": 1 - n / 10, "text": text, "document": "one", "source": "one"}
        for n, text in enumerate(
            ["The dam held through the night, say engineers."] * 3 + ["Two villages were emptied."]
        )
    ]
    request = {"query": "what happened to the dam?", "query_class": "survey", "k": 3, "candidates": candidates}
    page = client.post("/inspector/compare/answers", data={"source": "paste", "request": json.dumps(request)})
    assert page.status_code == 200
    told = [[text for _, text in PASSAGE.findall(one["messages"][-1]["content"])] for one in model.asked]
    assert [one["text"] for one in candidates[:3]] in told
    assert any("Two villages were emptied." in one for one in told)


def test_both_orders_come_up(client):
    firsts = {sides(client.get("/inspector/compare/answers").text)[0] for _ in range(16)}
    assert len(firsts) == 2  # the chance of one order only is 2 ** -15


def test_equal_answers_and_equal_sets_are_put_to_no_one(client, model):
    model.fixed = "Nothing is known."
    page = client.get("/inspector/compare/answers").text
    assert "there is nothing to compare" in page
    assert 'name="trial"' not in page
    before = len(model.asked)
    alone = {"query": "q", "k": 1, "candidates": [{"id": "a", "score": 1, "text": "the only passage there is"}]}
    page = client.post("/inspector/compare/answers", data={"source": "paste", "request": json.dumps(alone)}).text
    assert "there is nothing to compare" in page
    assert len(model.asked) == before  # and the model is not asked


def test_an_answer_is_escaped_and_its_citations_are_checked(client, model):
    model.more = " <script>alert(this)</script> It cost 987654 million [1]. And that [99]."
    page = client.get("/inspector/compare/answers").text
    assert "<script>alert" not in page
    for side in sides(page):
        assert "<script>alert(this)</script> It cost 987654 million [1]⚠(not in it: 987654)" in side
        assert "And that [99]⚠(no such passage)." in side


def test_a_model_that_fails_is_a_502_without_its_words(client, model):
    model.status = 500
    answer = client.get("/inspector/compare/answers")
    assert answer.status_code == 502
    assert "sk-secret" not in answer.text
    assert "did not answer" in answer.text
    assert client.get("/inspector/compare").status_code == 200


def test_who_waits_for_a_model_holds_up_no_selection(client, running, model):
    """More comparisons than threads wait; selecting goes on, and a fifth comparison is turned away."""
    model.gate.clear()
    codes: list[int] = []

    def compare() -> None:
        codes.append(httpx.get(f"{running.url}/inspector/compare/answers", trust_env=False, timeout=60).status_code)

    threads = [threading.Thread(target=compare) for _ in range(4)]
    for one in threads:
        one.start()
    until = time.monotonic() + 30
    while len(model.asked) < 5 and time.monotonic() < until:  # eight, if the endpoint's and our threads allow
        time.sleep(0.01)
    body = [{"id": "a", "score": 1, "text": "a passage"}]
    assert client.post("/v1/select", json=body).status_code == 200
    turned = client.get("/inspector/compare/answers")
    assert turned.status_code == 429
    assert turned.headers["retry-after"]
    assert running.service.work.taken == 0
    model.gate.set()
    for one in threads:
        one.join(60)
    assert codes == [200] * 4


def test_without_an_endpoint_or_a_question_it_is_said(client):
    with in_thread(Settings()) as running:
        answer = httpx.get(f"{running.url}/inspector/compare/answers", trust_env=False)
        assert (answer.status_code, "--answer-url" in answer.text) == (404, True)
        assert "/inspector/compare/answers" not in httpx.get(running.url, trust_env=False).text
    assert "/inspector/compare/answers" in client.get("/").text
    bare = json.dumps([{"id": "a", "score": 1, "text": "a passage"}, {"id": "b", "score": 0.5, "text": "another one"}])
    answer = client.post("/inspector/compare/answers", data={"source": "paste", "request": bare})
    assert answer.status_code == 422
    assert "no query" in answer.text


def test_answers_and_sets_are_summed_up_apart(tmp_path):
    book = VoteBook(tmp_path / "votes.jsonl")
    trial = Trial("0", {"trial": "0", "query_class": "survey"}, "", ("selection", "top-k"))
    for number, (of, name, choice) in enumerate(
        [("answers", "survey", "first")] * 3
        + [("answers", "factual", "second"), ("answers", "survey", "same")]
        + [("sets", "survey", "second"), (None, "survey", "second")]
    ):
        about = {"trial": str(number), "query_class": name, **({"of": of} if of else {})}
        book.write(replace(trial, id=str(number), about=about), choice)
    total, factual, survey = book.tallies("answers")
    assert (total.selection, total.ranking, total.same) == (3, 1, 1)
    assert (factual.share, survey.share) == (0.0, 1.0)
    assert survey.interval == wilson(3, 3)
    assert [(one.name, one.ranking) for one in book.tallies()] == [(None, 2), ("survey", 2)]
