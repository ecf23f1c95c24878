"""A tampered log fails: any change breaks the seal, and a change that matters breaks a rule even under a forged seal."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reparto
from reparto.intake import read_request
from reparto.log import digest, record_of
from reparto.testing.requests import requests
from reparto.verification import verify_record

POLICY = {
    "k": 6,
    "scores": {"scale": "auto"},
    "quotas": {"document": 2, "source": 2},
    "reserve": [{"field": "document", "distinct": 3, "within": 5}],
    "diversity": {"objective": "mmr", "lambda": 0.7},
    "budget": {"tokens": 900},
}


@cache
def feed() -> list[dict[str, Any]]:
    lines = files("reparto.demo").joinpath("feed.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@cache
def logged(query: int) -> str:
    request = {**feed()[query], "policy": POLICY}
    return json.dumps(record_of(read_request(request), reparto.select(request)))


def forged(record: dict[str, Any]) -> dict[str, Any]:
    """The seals made anew, as somebody who knows how would."""
    record = {name: value for name, value in record.items() if name != "seal"}
    record["inputs_digest"] = digest(record["request"])
    return {**record, "seal": digest(record)}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list) and value:
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, (*path, key))
    else:
        yield path


def get(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def put(record: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    record = copy.deepcopy(record)
    get(record, path[:-1])[path[-1]] = value
    return record


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x" if isinstance(value, str) else "x"


@given(requests(), st.data())
@settings(max_examples=1000)
def test_any_changed_leaf_breaks_the_seal(request_: dict[str, Any], data: st.DataObject) -> None:
    record = record_of(read_request(request_), reparto.select(request_))
    path = data.draw(st.sampled_from(sorted(leaves(record), key=str)))
    try:
        violations: Any = verify_record(put(record, path, other(get(record, path))))
    except reparto.InputError as error:  # what is no record any more is refused as such
        violations = error.problems
    assert violations, path


# What of a seat, a decision or the report decides something: changed under a forged seal, a rule must notice.
SEAT = (
    "seat",
    "id",
    "score",
    "relevance",
    "redundancy",
    "value",
    "document",
    "source",
    "published",
    "tokens",
    "filled",
)
REPORT = ("candidates", "seats", "documents", "sources", "tokens", "duplicate_rate_after", "empty_seats", "revisions")


@pytest.mark.parametrize("query", range(4))
def test_what_matters_in_a_seat_is_noticed(query: int) -> None:
    record = json.loads(logged(query))
    assert verify_record(record) == []
    for place, seat in enumerate(record["selection"]["seats"]):
        for name in SEAT:
            path = ("selection", "seats", place, name)
            assert verify_record(forged(put(record, path, other(seat[name])))), path
        text = ("selection", "seats", place, "text")
        assert verify_record(forged(put(record, text, seat["text"] + " And more."))), text
        ids = ("selection", "seats", place, "copies", "ids")
        assert verify_record(forged(put(record, ids, [*seat["copies"]["ids"], "nobody"]))), ids


@pytest.mark.parametrize("query", range(4))
def test_what_matters_in_a_decision_is_noticed(query: int) -> None:
    record = json.loads(logged(query))
    for place, decision in enumerate(record["selection"]["decisions"]):
        base = ("selection", "decisions", place)
        changes: list[tuple[tuple[Any, ...], Any]] = [((*base, "id"), "nobody"), ((*base, "fate"), "vanished")]
        if decision["fate"] in ("copy", "merged", "depth"):
            changes += [((*base, "by"), None), ((*base, "fate"), "outranked"), ((*base, "seat"), 99)]
        if decision["fate"] == "copy":
            changes += [((*base, "relation"), None), ((*base, "evidence", "resemblance"), 7.0)]
            changes += [((*base, "evidence"), {"resemblance": 0.01, "containment": 0.01})]
        if decision["fate"] == "seated":
            changes += [
                ((*base, "fate"), "outranked"),
                ((*base, "evidence", "value"), 9.0),
                ((*base, "evidence", "place"), 77),
            ]
        for path, value in changes:
            assert verify_record(forged(put(record, path, value))), (path, value)


@pytest.mark.parametrize("query", range(4))
@pytest.mark.parametrize("name", REPORT)
def test_what_matters_in_the_report_is_noticed(query: int, name: str) -> None:
    record = json.loads(logged(query))
    path = ("selection", "report", name)
    assert verify_record(forged(put(record, path, other(get(record, path))))), path


@pytest.mark.parametrize(
    ("section", "table", "rule"),
    [
        ("quotas", {"language": {"max": 1, "fill": False}}, "limits"),
        ("budget", {"tokens": 20}, "limits"),
        ("collapse", False, "copies"),
        ("collapse", {"exact": True, "resemblance": 0.999, "containment": False, "cosine": False}, "copies"),
        ("reserve", [{"field": "document", "distinct": 50}], "reserves"),
        ("diversity", {"objective": "mmr", "lambda": 0.05}, "order"),
        ("scores", {"scale": "rank"}, "relevance"),
        ("order", "edges", "order"),
        ("k", 2, "seats"),
    ],
)
def test_a_selection_is_held_to_its_own_contract(section: str, table: Any, rule: str) -> None:
    record = json.loads(logged(0))
    broken = {violation.rule for violation in verify_record(forged(put(record, ("policy", section), table)))}
    assert rule in broken


def test_a_better_candidate_that_was_passed_over_is_noticed() -> None:
    request = {
        "candidates": [{"id": "a", "score": 0.9, "text": "one"}, {"id": "b", "score": 0.5, "text": "two"}],
        "k": 1,
    }
    policy = {"diversity": {"objective": "relevance"}, "reserve": False}
    record = record_of(read_request({**request, "policy": policy}), reparto.select({**request, "policy": policy}))
    swapped = json.loads(json.dumps(record).replace('"a"', '"#"').replace('"b"', '"a"').replace('"#"', '"b"'))
    swapped["request"] = record["request"]
    assert "order" in {violation.rule for violation in verify_record(forged(swapped))}


def test_a_line_that_is_no_record_is_named(tmp_path: Any) -> None:
    from reparto.verification import verify_log

    log = tmp_path / "log.jsonl"
    log.write_text(logged(0) + "\n" + '{"half": ' + "\n" + '{"record": 1}\n', encoding="utf-8")
    checked = {one.line: [violation.rule for violation in one.violations] for one in verify_log(log)}
    assert checked == {1: [], 2: ["form"], 3: ["form"]}
