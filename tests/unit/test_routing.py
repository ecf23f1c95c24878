"""The router: cues decide, silence is an answer, and anyone's router may take its place."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reparto
from reparto import registry
from reparto.demo import feed
from reparto.errors import UnknownNameError
from reparto.routing import Table, cues, fold, load, route

GOLDEN = Path(__file__).parents[1] / "golden"
CLASSES = {"factual", "navigational", "survey"}


def queries(language: str) -> list[dict]:
    text = (GOLDEN / f"router_queries_{language}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def held_out(id: str) -> bool:
    return int(hashlib.sha256(id.encode()).hexdigest(), 16) % 2 == 1


@pytest.mark.parametrize(("language", "at_least"), [("es", 100), ("en", 60)])
def test_own_queries_are_routed_as_labelled(language: str, at_least: int) -> None:
    rows = queries(language)
    assert len(rows) >= at_least
    got = [(row["class"], route(row["query"])) for row in rows if held_out(row["id"])]
    told = [(label, name) for label, name in got if name]
    assert sum(label == name for label, name in told) / len(told) >= 0.97
    assert sum(label == name for label, name in got) / len(got) >= 0.85


def test_every_rule_decides_some_query() -> None:
    rows = queries("es") + queries("en")
    rows += [
        {"query": text}
        for text in ("Is nihilism sound?", "on the north side, who was the guard?", "www.orvelia.example")
    ]
    decided = Counter(rule.name for row in rows if (rule := cues().match(row["query"])))
    assert {rule.name for rule in cues().rules} <= set(decided)


def test_the_table_names_only_the_built_in_classes() -> None:
    assert {rule.query_class for rule in cues().rules} == CLASSES | {None}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("¿QUÉ ES LA ECONOMÍA CIRCULAR?", "survey"),
        ("que es la economia circular", "survey"),
        ("What’s the difference between lime and mortar?", "survey"),
        ("whats the difference between lime and mortar", "survey"),
        ("  how   many\tlifts stopped ?!", "factual"),
        ("Dime cuántos ascensores se pararon", "factual"),
        ("can you tell me how many lifts stopped", "factual"),
        ("how to open a lift by hand", None),
        ("cómo puedo abrir un ascensor", None),
        ("lifts", None),
        ("", None),
        ("   ", None),
        ("¿?", None),
        ("\ud800", None),
        ("地震の原因", None),
    ],
)
def test_accents_case_apostrophes_and_openings_do_not_matter(query: str, expected: str | None) -> None:
    assert route(query) == expected


def test_a_pasted_page_is_judged_by_its_head() -> None:
    head = "how many lifts stopped " + "x" * 380
    assert route(head + " why " * 1000) == route(head) == "factual"
    assert len(fold("ﷺ" * 100_000)) < 10_000


@given(st.text())
def test_any_text_has_an_answer(query: str) -> None:
    assert route(query) in CLASSES | {None}


def test_the_first_matching_rule_decides_and_unknown_stops_the_search() -> None:
    table = Table.parse(
        """
        opening = ['please ']
        [words]
        fruit = "apple pears?"
        [[rule]]
        name = "stop"
        class = "unknown"
        match = ['^stop ']
        [[rule]]
        name = "fruit"
        class = "orchard"
        match = ['the <fruit>', 'a plum']
        [[rule]]
        name = "rest"
        class = "rest"
        match = ['plum']
        """
    )
    assert table("please buy the pear") == "orchard"
    assert table("buy the peartree") is None
    assert table("a plum") == "orchard"
    assert table("plum") == "rest"
    assert table("stop the apple") is None
    assert table("nothing") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[rule]]\nname = "a"\nmatch = ["x"]', "class"),
        ('[[rule]]\nname = "a"\nclass = "b"\nmatch = ["<nowhere>"]', "nowhere"),
        ('[[rule]]\nname = "a"\nclass = "b"\nmatch = ["(x"]', "a"),
    ],
)
def test_a_faulty_table_says_which_rule(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Table.parse(text)


def test_routers_are_found_by_name() -> None:
    assert load()("why did it fail") == "survey"
    with pytest.raises(UnknownNameError, match="cues"):
        load("cuse")


@pytest.mark.parametrize("name", registry.names("routers"))
def test_every_registered_router_answers_a_name_or_none(name: str) -> None:
    router = load(name)
    for query in ("how many", "¿por qué?", "", "x" * 10_000, "\x00\ud800", "orvelia"):
        answer = router(query)
        assert answer is None or isinstance(answer, str)
        assert router(query) == answer


def test_the_queries_of_the_example_feed_are_routed_as_annotated() -> None:
    assert {line["query"]: route(line["query"]) for line in feed()} == {
        line["query"]: line["query_class"] for line in feed()
    }


def test_the_request_wins_over_the_router_and_the_router_over_the_default() -> None:
    candidates = [{"id": "a", "text": "The lifts stopped.", "score": 0.5}]

    def served(query: str, **more: object) -> tuple[str, str]:
        selection = reparto.select(candidates, query=query, **more)
        return selection.query_class, selection.class_from

    assert served("how many lifts stopped?") == ("factual", "router")
    assert served("lifts") == ("survey", "default")
    assert served("how many lifts stopped?", query_class="navigational") == ("navigational", "request")
    assert served("lifts", router=lambda query: "navigational") == ("navigational", "router")
    assert served("how many lifts stopped?", router=lambda query: None) == ("survey", "default")
