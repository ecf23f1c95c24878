"""Bad input, through the command line: what is wrong is said with the id, the field and a remedy, all at once."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

GOOD = {"id": "g", "score": 0.5, "text": "A good one"}


def one(**changes: Any) -> dict[str, Any]:
    """A request whose only candidate has these changes; `None` drops a key."""
    candidate = {**GOOD, **changes}
    return {"candidates": [{name: value for name, value in candidate.items() if value is not Ellipsis}]}


def two(a: dict[str, Any], b: dict[str, Any], **request: Any) -> dict[str, Any]:
    return {"candidates": [{**GOOD, "id": "a", **a}, {**GOOD, "id": "b", **b}], **request}


def policy(**table: Any) -> dict[str, Any]:
    return {"candidates": [GOOD], "policy": table}


# name: (request or raw line, [(code, id, field)])
TABLE: dict[str, tuple[Any, list[tuple[str, str | None, str | None]]]] = {
    "no id": (one(id=...), [("missing_id", "candidates[0]", "id")]),
    "null id": (one(id=None), [("missing_id", "candidates[0]", "id")]),
    "empty id": (one(id=""), [("empty_id", "candidates[0]", "id")]),
    "id a list": (one(id=["x"]), [("wrong_type", "candidates[0]", "id")]),
    "id a boolean": (one(id=True), [("wrong_type", "candidates[0]", "id")]),
    "id a fraction": (one(id=1.5), [("wrong_type", "candidates[0]", "id")]),
    "no score": (one(score=...), [("missing_score", "g", "score")]),
    "score as text": (one(score="0.5"), [("wrong_type", "g", "score")]),
    "score a boolean": (one(score=True), [("wrong_type", "g", "score")]),
    "score a list": (one(score=[1]), [("wrong_type", "g", "score")]),
    "text a number": (one(text=5), [("wrong_type", "g", "text")]),
    "vector as text": (one(vector="[1, 0]"), [("wrong_type", "g", "vector")]),
    "vector nested": (one(vector=[[1], [0]]), [("wrong_type", "g", "vector")]),
    "vector ragged": (one(vector=[[1], 2]), [("wrong_type", "g", "vector")]),
    "vector with text": (one(vector=[1, "0"]), [("wrong_type", "g", "vector")]),
    "vector with null": (one(vector=[1, None]), [("wrong_type", "g", "vector")]),
    "vector with a boolean": (one(vector=[1, True, 0.5]), [("wrong_type", "g", "vector")]),
    "vector of booleans": (one(vectors={"body": [True, False]}), [("wrong_type", "g", "vectors.body")]),
    "vector an object": (one(vector={"x": 1}), [("wrong_type", "g", "vector")]),
    "vectors a list": (one(vectors=[1, 0]), [("wrong_type", "g", "vectors")]),
    "vectors field bad": (one(vectors={"body": "x"}), [("wrong_type", "g", "vectors.body")]),
    "vector lengths": (two({"vector": [1, 0]}, {"vector": [1, 0, 0]}), [("vector_length", "a", "vector")]),
    "start after end": (one(document="d", start=9, end=3), [("out_of_range", "g", "start")]),
    "negative start": (one(document="d", start=-1, end=3), [("negative", "g", "start")]),
    "start a fraction": (one(document="d", start=1.5, end=3), [("wrong_type", "g", "start")]),
    "start without end": (one(document="d", start=1), [("missing_offset", "g", "end")]),
    "tokens negative": (one(tokens=-4), [("negative", "g", "tokens")]),
    "tokens as text": (one(tokens="many"), [("wrong_type", "g", "tokens")]),
    "tier unknown": (one(tier="bronze"), [("unknown_value", "g", "tier")]),
    "document a list": (one(document=["d"]), [("wrong_type", "g", "document")]),
    "published a number": (one(published=20240501), [("wrong_type", "g", "published")]),
    "metadata a list": (one(metadata=[1]), [("wrong_type", "g", "metadata")]),
    "copies a number": (one(copies=3), [("wrong_type", "g", "copies")]),
    "copies unknown key": (one(copies={"cuont": 2}), [("unknown_key", "g", "copies.cuont")]),
    "copies none": (one(copies={"count": 0}), [("out_of_range", "g", "copies.count")]),
    "one id, two texts": (two({"id": "x"}, {"id": "x", "text": "Another"}), [("conflicting_text", "x", "text")]),
    "candidate a text": ({"candidates": ["just text"]}, [("wrong_type", None, "candidates[0]")]),
    "candidates an object": ({"candidates": {"a": 1}}, [("wrong_type", None, "candidates")]),
    "candidates a text": ({"candidates": "abc"}, [("wrong_type", None, "candidates")]),
    "no candidates": ({"query": "x"}, [("missing_candidates", None, "candidates")]),
    "both channels and candidates": ({"candidates": [GOOD], "channels": {}}, [("conflicting_keys", None, "channels")]),
    "channels a list": ({"channels": [[GOOD]]}, [("wrong_type", None, "channels")]),
    "channel without id": ({"channels": {"dense": [{"text": "x"}]}}, [("wrong_type", "channels.dense[0]", "id")]),
    "channel score an object": (
        {"channels": {"dense": [{"id": "x", "text": "t", "score": {}}]}}, [("wrong_type", "x", "channels.dense[0].score")],
    ),
    "policy key like a type": (policy(**{"dict[str,any]": 1}), [("unknown_key", None, "policy.dict[str,any]")]),
    "policy inner key like a type": (policy(collapse={"int": 1}), [("unknown_key", None, "policy.collapse.int")]),
    "unknown request key": ({"candidates": [GOOD], "querry": "x"}, [("unknown_key", None, "querry")]),
    "query a number": ({"candidates": [GOOD], "query": 7}, [("wrong_type", None, "query")]),
    "k zero": ({"candidates": [GOOD], "k": 0}, [("out_of_range", None, "k")]),
    "k as text": ({"candidates": [GOOD], "k": "3"}, [("wrong_type", None, "k")]),
    "offset unit unknown": ({"candidates": [GOOD], "offset_unit": "utf16"}, [("unknown_value", None, "offset_unit")]),
    "query class unknown": ({"candidates": [GOOD], "query_class": "servey"}, [("unknown_query_class", None, "query_class")]),
    "policy a list": ({"candidates": [GOOD], "policy": []}, [("wrong_type", None, "policy")]),
    "policy unknown key": (policy(collapze={}), [("unknown_key", None, "policy.collapze")]),
    "policy unknown inner key": (policy(collapse={"resemblence": 0.5}), [("unknown_key", None, "policy.collapse.resemblence")]),
    "threshold above 1": (policy(collapse={"resemblance": 1.5}), [("invalid_value", None, "policy.collapse.resemblance")]),
    "threshold as text": (policy(collapse={"cosine": "high"}), [("invalid_value", None, "policy.collapse.cosine")]),
    "objective unknown": (policy(diversity={"objective": "mrr"}), [("unknown_objective", None, "policy.diversity.objective")]),
    "objective's key elsewhere": (
        policy(diversity={"objective": "relevance", "lambda": 0.5}), [("unknown_key", None, "policy.diversity.lambda")],
    ),
    "lambda above 1": (policy(diversity={"objective": "mmr", "lambda": 2}), [("invalid_value", None, "policy.diversity.lambda")]),
    "quota zero": (policy(quotas={"document": 0}), [("invalid_value", None, "policy.quotas.document.max")]),
    "quota field unknown": (policy(quotas={"dokument": 1}), [("invalid_value", None, "policy.quotas.dokument")]),
    "budget without tokens": (policy(budget={}), [("invalid_value", None, "policy.budget.tokens")]),
    "budget's counter alone": (policy(budget={"counter": "words"}), [("invalid_value", None, "policy.budget.tokens")]),
    "metadata not finite, refused": (
        {**one(metadata={"a": {"b": [1, float("nan")]}}), "policy": {"on_invalid": "error"}},
        [("metadata_not_finite", "g", "metadata.a.b[1]")],
    ),
    "reserve of no form": (policy(reserve=[{"field": "document"}]), [("invalid_value", None, "policy.reserve.0")]),
    "budget negative": (policy(budget={"tokens": -1}), [("invalid_value", None, "policy.budget.tokens")]),
    "identity out of range": (
        {"candidates": [{**GOOD, "score": 3}], "policy": {"scores": {"scale": "identity"}}}, [("score_out_of_range", "g", "score")],
    ),
    "aspects missing": (policy(diversity={"objective": "aspects"}), [("aspects_missing", None, "aspects")]),
    "NaN under on_invalid error": (
        '{"candidates": [{"id": "g", "score": NaN, "text": "x"}], "policy": {"on_invalid": "error"}}',
        [("score_not_finite", "g", "score")],
    ),
    "truncated JSON": ('{"candidates": [{"id": "g", "sc', [("not_json", None, None)]),
    "not JSON": ("hello", [("not_json", None, None)]),
    "too deep": ("[" * 100_000, [("too_deep", None, None)]),
    "a number": ("5", [("wrong_type", None, "candidates")]),
    "all at once": (
        two({"score": "x", "vector": "y"}, {"score": ..., "start": 5, "end": 1}, k=-1) | {"querry": 1},
        [("wrong_type", "a", "score"), ("wrong_type", "a", "vector"), ("missing_score", "b", "score"), ("out_of_range", "b", "start"), ("negative", None, "k"), ("unknown_key", None, "querry")],
    ),
}  # fmt: skip


def raw(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, default=lambda one: None).replace('"score": null', '"gone": null')


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    """All of the table through one process, a good request between any two."""
    lines = []
    for value, _ in TABLE.values():
        lines += [raw(value), json.dumps({"candidates": [GOOD]})]
    done = subprocess.run(
        [sys.executable, "-m", "reparto", "select", "-"], input="\n".join(lines), capture_output=True, text=True, encoding="utf-8", timeout=120
    )  # fmt: skip
    assert done.returncode == 2, done.stderr[-2000:]
    out = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(out) == 2 * len(TABLE), "an answer for every line, good or bad"
    assert all(len(answer["seats"]) == 1 for answer in out[1::2]), "the lines between are served"
    return dict(zip(TABLE, out[0::2], strict=True))


@pytest.mark.parametrize("name", TABLE)
def test_every_problem_is_named(name: str, answers: dict[str, dict[str, Any]]) -> None:
    errors = answers[name]["errors"]
    line = 1 + 2 * list(TABLE).index(name)
    found = {(error["code"], error["id"], error["field"]) for error in errors}
    assert found == set(TABLE[name][1])
    assert all(error["line"] == line and error["message"] and error["remedy"] for error in errors)


def run(text: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "reparto", "select", "-"], input=text, capture_output=True, timeout=120
    )


def test_one_request_alone_is_refused_on_stderr() -> None:
    done = run(json.dumps(one(score="high"), indent=2).encode())
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"'g'" in done.stderr and b"score" in done.stderr and b"without quotes" in done.stderr


def test_the_nearest_name_is_offered() -> None:
    assert b"did you mean 'resemblance'" in run(json.dumps(policy(collapse={"resemblence": 0.5})).encode()).stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", b"no request"),
        (b"\xff\xfe{}", b"UTF-8"),
        (b'{"candidates": [{"id": "a", "score": 1' + b"0" * 5000 + b"}]}", b"digit"),
    ],
)
def test_what_is_no_text_or_no_number_is_said(text: bytes, words: bytes) -> None:
    done = run(text)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_lone_surrogate_and_ten_megabytes_pass() -> None:
    big = {"id": "big", "score": 0.4, "text": "x" * 10_000_000}
    text = json.dumps({"candidates": [{"id": "s\ud800", "score": 1, "text": "half \udc00 a pair"}, big]})
    done = run(text.encode())
    assert done.returncode == 0, done.stderr[-500:]
    answer = json.loads(done.stdout)
    assert answer["seats"][0]["text"] == "half \udc00 a pair"


def test_an_error_is_one_line_whatever_the_id_holds() -> None:
    done = run(json.dumps(one(id="x\n\x1b[31mred", score="no")).encode())
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr
