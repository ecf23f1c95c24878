"""Blind comparison: sides by lot, nothing given away before the answer, answers kept and summed up."""

from __future__ import annotations

import json
import re
import threading

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "jinja2", "tomli_w"):
    pytest.importorskip(module, reason="the inspector needs the extra `service`")

import httpx

from reparto.demo import feed
from reparto.errors import LogError, RequestError
from reparto.evaluation.statistics import wilson
from reparto.service.inspector.trial import Sealer, Trial
from reparto.service.inspector.votes import Tally, VoteBook
from reparto.service.settings import Settings
from reparto.service.testing import in_thread


def trial_of(id: str, query_class: str = "survey", first: str = "selection") -> Trial:
    second = "top-k" if first == "selection" else "selection"
    return Trial(id, {"trial": id, "query_class": query_class, "k": 8}, "token", (first, second))


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with in_thread(Settings(votes=str(tmp_path_factory.mktemp("votes") / "votes.jsonl"))) as running:
        yield running


@pytest.fixture
def client(running):
    with httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client:
        yield client


def token(page: str) -> str:
    return re.search(r'name="trial" value="([^"]+)"', page)[1]


def sets_of(page: str) -> list[list[str]]:
    parts = page.split('<section aria-labelledby="set-')[1:]
    return [re.findall(r"<h3[^>]*><bdi>(.*?)</bdi></h3>", part.partition("</section>")[0]) for part in parts]


def test_both_orders_come_up_and_the_pages_are_otherwise_alike(client):
    seen: dict[str, list[list[str]]] = {}
    shapes = set()
    for _ in range(24):
        page = client.get("/inspector/compare").text
        first, second = sets_of(page)
        seen[json.dumps(first)] = [first, second]
        shapes.add(re.sub(r"\s+", " ", re.sub(r"<ol>.*?</ol>", "", page.replace(token(page), ""), flags=re.DOTALL)))
    assert len(seen) == 2  # the chance of seeing one order only is 2 ** -23
    one, two = seen.values()
    assert one == two[::-1]
    assert len(shapes) == 1


def test_no_page_gives_away_which_set_is_which(client):
    page = client.get("/inspector/compare").text
    body = page[page.index("<main") :]
    for giveaway in ("seat ", "copies", "by rank", "the selection", "top-k", "λ", "quota", "filled"):
        assert giveaway not in body, giveaway


def test_an_answer_is_kept_once_and_then_the_sides_are_named(client, running):
    book = VoteBook(running.service.settings.votes)
    before = book.tallies()[0].answers
    page = client.get("/inspector/compare", params={"pick": "consecuencias"}).text
    mark, (first, _) = token(page), sets_of(page)
    answers = [
        client.post(
            "/inspector/vote", data={"trial": mark, "choice": "first", "source": "pick", "pick": "consecuencias"}
        )
        for _ in range(3)
    ]
    assert [one.status_code for one in answers] == [200, 200, 200]
    ranked = sorted(
        (one for one in next(q for q in feed() if q["query_id"] == "consecuencias")["candidates"]),
        key=lambda one: (-one["score"], one["id"]),
    )
    was_ranking = first == [one["title"] for one in ranked[: len(first)]]
    named = "You preferred the first places by rank." if was_ranking else "You preferred the selection."
    assert named in answers[0].text
    assert book.tallies()[0].answers == before + 1
    line = json.loads(book.path.read_text().splitlines()[-1])
    assert line["preferred"] == line["shown_first"] == ("top-k" if was_ranking else "selection")
    assert line["query_class"] == "survey"
    assert not {"query", "text", "request"} & set(line)


def test_no_results_are_shown_before_the_answer(client):
    page = client.get("/inspector/compare").text
    assert "<table" not in page
    answered = client.post("/inspector/vote", data={"trial": token(page), "choice": "same"})
    assert "You saw no difference." in answered.text
    assert "95% interval" in answered.text


@pytest.mark.parametrize("bad", ["", "x", "e30.abc", "é", "." * 1000])
def test_a_foreign_or_broken_token_is_refused(client, bad):
    answer = client.post("/inspector/vote", data={"trial": bad, "choice": "first"})
    assert answer.status_code == 422
    assert "not open any more" in answer.text


def test_a_token_cannot_be_bent_and_an_unknown_choice_is_refused(client):
    mark = token(client.get("/inspector/compare").text)
    bent = ("A" if mark[5] != "A" else "B").join([mark[:5], mark[6:]])
    assert client.post("/inspector/vote", data={"trial": bent, "choice": "first"}).status_code == 422
    assert client.post("/inspector/vote", data={"trial": mark, "choice": "third"}).status_code == 422
    with pytest.raises(RequestError):
        Sealer().read(mark)


def test_equal_sets_are_not_put_to_anyone(client):
    request = {"k": 1, "candidates": [{"id": "a", "score": 1, "text": "the only passage there is"}]}
    page = client.post("/inspector/compare", data={"source": "paste", "request": json.dumps(request)}).text
    assert "nothing to compare" in page
    assert 'name="trial"' not in page


def test_the_sum_counts_classes_apart_with_a_wilson_interval(tmp_path):
    book = VoteBook(tmp_path / "votes.jsonl")
    for number in range(10):
        book.write(
            trial_of(f"s{number}", first="selection" if number % 2 else "top-k"), "first" if number % 2 else "second"
        )
    for number in range(5):
        book.write(trial_of(f"f{number}", "factual"), ["first", "second", "second", "same", "second"][number])
    total, factual, survey = book.tallies()
    assert (survey.selection, survey.ranking, survey.same) == (10, 0, 0)
    assert (factual.selection, factual.ranking, factual.same) == (1, 3, 1)
    assert (total.selection, total.ranking, total.same, total.answers) == (11, 3, 1, 15)
    assert factual.interval == wilson(1, 4)
    assert factual.share == 0.25
    assert survey.interval[1] == pytest.approx(1.0)
    assert 0.7 < survey.interval[0] < 0.73
    assert Tally("x", "sets", 0, 0, 4).share is None


def test_a_torn_line_harms_no_other(tmp_path):
    book = VoteBook(tmp_path / "votes.jsonl")
    book.write(trial_of("a"), "first")
    with book.path.open("ab") as file:
        file.write(b'{"vote": 1, "trial": "torn", "pref')
    book.write(trial_of("b"), "second")
    total = book.tallies()[0]
    assert (total.selection, total.ranking) == (1, 1)


def test_answers_from_many_threads_are_all_kept(tmp_path):
    book = VoteBook(tmp_path / "votes.jsonl")
    threads = [threading.Thread(target=book.write, args=(trial_of(str(n % 20)), "first")) for n in range(40)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert book.tallies()[0].answers == 20


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(LogError, match="the file of answers"):
        VoteBook(tmp_path).write(trial_of("a"), "first")
    with (
        in_thread(Settings(votes=str(tmp_path / "none" / "votes.jsonl"))) as running,
        httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client,
    ):
        page = client.get("/inspector/compare").text
        answer = client.post("/inspector/vote", data={"trial": token(page), "choice": "first"})
    assert answer.status_code == 503
    assert "the file of answers" in answer.text
