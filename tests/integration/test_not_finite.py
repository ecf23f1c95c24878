"""NaN and Infinity are read, named and never written: output, log and service speak JSON that every reader takes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reparto import Contract, read_request, select
from reparto.finite import finite, not_finite
from reparto.log import LogWriter, record_of
from reparto.selection import to_json

NAN, INFINITY = float("nan"), float("inf")
REQUEST = {
    "k": 2,
    "query": "q",
    "query_class": "survey",
    "candidates": [
        {
            "id": "a",
            "score": 1,
            "text": "one passage about the dam",
            "metadata": {"w": NAN, "deep": {"x": [1, INFINITY]}},
        },
        {"id": "b", "score": NAN, "text": "another passage on the ferry"},
        {"id": "b", "score": -INFINITY, "text": "another passage on the ferry"},
        {"id": "c", "score": 0.5, "text": "a third on other things", "extra": -INFINITY, "metadata": {"ok": 1.5}},
        {"id": "d", "score": 0.2, "text": "and the fourth", "vector": [NAN, 1]},
    ],
}


def strict(text: str) -> Any:
    """JSON as the standard has it: the words NaN and Infinity are none of it."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    code = "from reparto.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], input=given, capture_output=True, text=True)


def check(selection: dict[str, Any]) -> None:
    metadata = {seat["id"]: seat["metadata"] for seat in selection["seats"]}
    assert metadata == {"a": {"w": None, "deep": {"x": [1, None]}}, "c": {"extra": None, "ok": 1.5}}
    said = [one for one in selection["warnings"] if one["code"] == "metadata_not_finite"]
    assert [one["ids"] for one in said] == [["a"], ["a"], ["c"]]
    assert [word in one["message"] for word, one in zip(("w", "deep.x[1]", "extra"), said, strict=True)] == [True] * 3


def test_the_command_and_its_log(tmp_path):
    log = tmp_path / "log.jsonl"
    done = run("select", "-", "--log", str(log), given=json.dumps(REQUEST))
    assert done.returncode == 0, done.stderr
    check(strict(done.stdout))
    for line in log.read_text(encoding="utf-8").splitlines():
        strict(line)
    verified = run("verify", str(log))
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_the_service_and_its_log(tmp_path):
    pytest.importorskip("fastapi", reason="the service needs the extra `service`")
    httpx = pytest.importorskip("httpx", reason="the service needs the extra `service`")
    from reparto.service.settings import Settings
    from reparto.service.testing import in_thread

    log = tmp_path / "log.jsonl"
    with in_thread(Settings(log=str(log), log_texts=True)) as running:
        answer = httpx.post(f"{running.url}/v1/select", content=json.dumps(REQUEST), trust_env=False)
        assert answer.status_code == 200, answer.text
        check(strict(answer.text))
        refused = {**REQUEST, "policy": {"on_invalid": "error"}}
        answer = httpx.post(f"{running.url}/v1/select", content=json.dumps(refused), trust_env=False)
    assert answer.status_code == 422
    fields = {(one["id"], one["field"]) for one in strict(answer.text)["errors"]}
    assert {("a", "metadata.w"), ("a", "metadata.deep.x[1]"), ("b", "score"), ("c", "metadata.extra")} <= fields
    for line in log.read_text(encoding="utf-8").splitlines():
        strict(line)
    assert run("verify", str(log)).returncode == 0


def test_python_objects_that_never_passed_intake(tmp_path):
    """Candidates made by hand may hold anything; what is written is JSON all the same."""
    request = read_request([{"id": "a", "score": 1.0, "text": "a passage"}])
    odd = {"n": np.float32("nan"), "rows": np.array([[1.0, np.inf]]), "s": {"x": NAN}, "t": (1, NAN)}
    request = replace(request, candidates=(replace(request.candidates[0], metadata=odd),))
    selection = select(request, Contract())
    wanted = {"n": None, "rows": [[1.0, None]], "s": {"x": None}, "t": [1, None]}
    assert strict(selection.to_json())["seats"][0]["metadata"] == wanted
    LogWriter(tmp_path / "log").write(request, selection)
    assert strict((tmp_path / "log").read_text())["selection"]["seats"][0]["metadata"] == wanted
    assert record_of(request, selection)["request"]["candidates"][0]["metadata"] == wanted


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4))
def test_finite_is_json_and_changes_only_what_is_named(value):
    paths = list(not_finite(value))
    sound = finite(value)
    strict(json.dumps(sound, allow_nan=False))
    assert list(not_finite(sound)) == []
    assert (sound == value) == (not paths)
    assert strict(to_json(value)) == strict(json.dumps(sound))
