"""Values of the right form and of no sensible size: refused by name or served, never a failure, and never slow."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from reparto import select
from reparto.cli import group
from reparto.errors import InputError
from reparto.finite import DEEPEST
from reparto.intake.values import LARGEST

GOOD = {"id": "a", "score": 1, "text": "one two three"}


def nested(levels: int, inner: Any = 1) -> Any:
    for _ in range(levels):
        inner = {"x": inner}
    return inner


def one(**fields: Any) -> dict[str, Any]:
    return {"candidates": [{**GOOD, **fields}]}


REFUSED = {
    "tokens": (one(tokens=10**30), "tokens", "out_of_range"),
    "tokens, just": (one(tokens=LARGEST + 1), "tokens", "out_of_range"),
    "end": (one(document="d", start=0, end=10**30), "end", "out_of_range"),
    "copies": (one(copies={"count": 10**30}), "copies.count", "out_of_range"),
    "metadata in an object": (one(metadata=nested(DEEPEST + 1)), "metadata", "too_deep"),
    "metadata in lists": (one(metadata={"x": json.loads("[" * 900 + "]" * 900)}), "metadata", "too_deep"),
    "an unknown field": (one(extra=nested(DEEPEST)), "metadata", "too_deep"),
    "a policy": ({**one(), "policy": {"reserve": [nested(900)]}}, "policy", "too_deep"),
    "a quota": ({**one(), "policy": {"quotas": {"source": 10**30}}}, "policy.quotas.source.max", "invalid_value"),
    "a window": (
        {**one(), "policy": {"collapse": {"window_days": 1e300}}}, "policy.collapse.window_days", "invalid_value",
    ),
    "revisions": (
        {**one(), "policy": {"collapse": {"revision_seats": 10**30}}}, "policy.collapse.revision_seats", "invalid_value",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_beyond_all_measure_is_refused_by_name(name):
    request, field, code = REFUSED[name]
    with pytest.raises(InputError) as caught:
        select(request)
    assert (field, code) in {(one.field, one.code) for one in caught.value.problems}


SERVED = {
    "tokens": one(tokens=LARGEST),
    "many tokens together": {
        "candidates": [{**GOOD, "id": str(n), "text": f"t{n} w{n}", "tokens": LARGEST} for n in range(60)],
        "policy": {"budget": {"tokens": 10**18}},
    },
    "copies": one(copies={"count": LARGEST}),
    "metadata": one(metadata=nested(DEEPEST)),
    "a score": one(score=1e308),
    "a score beyond floats": one(score=10**400),
    "vectors": {
        "candidates": [{**GOOD, "vector": [1e308] * 4}, {**GOOD, "id": "b", "text": "b", "vector": [1e-320] * 4}]
    },
    "a gap": {**one(document="d", start=0, end=13), "policy": {"merge": {"gap": 10**30, "max_tokens": 10**30}}},
    "buckets": {**one(published="2024"), "policy": {"reserve": [{"field": "published", "buckets": 10**30}]}},
    "a budget": {**one(), "policy": {"budget": {"tokens": 10**30}}},
    "at least": {**one(), "policy": {"reserve": [{"where": {"source": "x"}, "at_least": 10**30, "within": 10**30}]}},
    "k and within": {
        **one(document="d"),
        "k": 2**31 - 1,
        "policy": {"reserve": [{"field": "document", "distinct": 2}]},
    },
    "offsets that claim a terabyte": {
        "candidates": [
            {**GOOD, "document": "d", "start": 0, "end": LARGEST},
            {**GOOD, "id": "b", "text": "three four", "document": "d", "start": LARGEST - 10, "end": LARGEST},
        ]
    },
    "dates": {
        "candidates": [
            {**GOOD, "id": str(n), "text": f"text {n} on {date}", "published": date}
            for n, date in enumerate(
                [
                    "0001-01-01T00:00:00+14:00",
                    "9999-12-31T23:59:59-23:59",
                    "2024",
                    " 2024-05 ",
                    "2024-W01-1",
                    "24",
                    "x" * 9999,
                ]
            )
        ],
        "policy": {"reserve": [{"field": "published", "buckets": 3}], "collapse": {"window_days": 1}},
    },
}


@pytest.mark.parametrize("name", SERVED)
def test_what_can_be_served_is_and_its_log_verifies(name, tmp_path):
    file, log = tmp_path / "request.json", tmp_path / "log.jsonl"
    file.write_text(json.dumps(SERVED[name]), encoding="utf-8")
    done = CliRunner().invoke(group, ["select", str(file), "--log", str(log)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    verified = CliRunner().invoke(group, ["verify", str(log)], catch_exceptions=False)
    assert verified.exit_code == 0, verified.output


def test_a_selection_of_many_long_texts_is_within_its_budget():
    found = select(SERVED["many tokens together"])
    assert sum(seat.tokens for seat in found.seats) <= 10**18


@pytest.mark.parametrize("arguments", [["contract", "check"], ["serve", "--settings"]])
def test_a_file_of_brackets_is_a_bad_file(arguments, tmp_path):
    file = tmp_path / "deep.toml"
    file.write_text("a = " + "[" * 5000 + "]" * 5000, encoding="utf-8")
    with pytest.raises(InputError, match="not_toml"):
        CliRunner().invoke(group, [*arguments, str(file)], standalone_mode=False, catch_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "99999"], "port"),
        (["--answer-model", "m"], "answer_url"),
        (["--answer-url", "http://127.0.0.1:9/v1"], "answer_model"),
        (["--answer-url", "file:///etc/passwd", "--answer-model", "m"], "answer_url"),
    ],
)
def test_settings_that_cannot_be_used_are_named(arguments, said):
    pytest.importorskip("fastapi", reason="the service needs the extra `service`")
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(group, ["serve", *arguments], standalone_mode=False, catch_exceptions=False)
    assert said in {one.field for one in caught.value.problems}
