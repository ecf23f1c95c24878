"""`reparto bank`, `evaluate`, `calibrate` and `monitor` from the command line: output, messages, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COPY = "The night ferry between the two islands stops running at nine from Monday on, the harbour said."


def reparto(*args: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from reparto.cli import main; main()", *map(str, args)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=120)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    lines = []
    for number in range(4):
        texts = {"a": COPY, "b": f"{COPY} ", "c": "A second ferry will be bought.", "d": "Trams run all night."}
        candidates = [
            {"id": f"{id}{number}", "text": text, "score": 0.9 - place / 10}
            for place, (id, text) in enumerate(texts.items())
        ]
        facts = {"f1": [f"a{number}", f"b{number}"], "f2": [f"c{number}"]}
        lines.append({"query_id": f"q{number}", "query": "ferry", "query_class": "survey", "candidates": candidates,
                      "facts": facts, "ranking": [f"a{number}", f"b{number}", f"c{number}"]})  # fmt: skip
    path = tmp_path / "bank.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_given_rankings_are_scored_under_the_names_asked_for(bank: Path) -> None:
    done = reparto(
        "evaluate",
        bank,
        "--as-ranked",
        "--measure",
        "alpha_nDCG(alpha=0.5)@2",
        "--measure",
        "RedundantRate@3",
        "--format",
        "json",
    )
    assert done.returncode == 0, done.stderr
    measures: dict[str, Any] = json.loads(done.stdout)["measures"]
    assert set(measures) == {"alpha_nDCG(alpha=0.5)@2", "RedundantRate@3"}
    assert set(measures["RedundantRate@3"]) == {"mean", "low", "high", "per_query"}
    assert measures["RedundantRate@3"]["mean"] == pytest.approx(1 / 3)
    assert measures["RedundantRate@3"]["per_query"]["q0"] == pytest.approx(1 / 3)


def test_a_contract_is_compared_with_top_k(bank: Path) -> None:
    done = reparto("evaluate", bank, "-k", "2", "--baseline", "top-k", "--measure", "StRecall@2", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["comparisons"][0]["difference"] == pytest.approx(0.5)
    assert found["changes"][0]["change"] == "won"
    shown = reparto("evaluate", bank, "-k", "2", "--baseline", "top-k", "--query", "q1")
    assert "won fact f2" in shown.stdout
    assert "q2" not in shown.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--measure", "StRecal@3"], "did you mean 'StRecall'"),
        (["--measure", "NRBP@3"], "whole list"),
        (["--baseline", "topk"], "known: "),
        (["--class", "survy"], "survey"),
        (["--query", "q9"], "no query 'q9'"),
        (["--contract", "absent.toml"], "absent.toml"),
        (["-k", "0"], "range"),
    ],
)
def test_bad_usage_is_exit_code_two_with_a_remedy(bank: Path, args: list[str], said: str) -> None:
    done = reparto("evaluate", bank, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_bank_check_counts_or_names_every_fault(bank: Path, tmp_path: Path) -> None:
    done = reparto("bank", "check", bank, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["facts_listed"] == 8
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"query_id": "q", "candidates": []}\n{"candidates": [{"id": "x"}]}\nno\n', encoding="utf-8")
    done = reparto("bank", "check", bad)
    assert done.returncode == 2
    assert all(f"line {number}" in done.stderr for number in (2, 3))


def test_a_trec_run_is_evaluated_with_its_qrels(tmp_path: Path) -> None:
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text("t Q0 a 1 2 x\nt Q0 b 2 1 x\n", encoding="utf-8")
    qrels.write_text("t s1 b 1\nt s2 c 1\n", encoding="utf-8")
    done = reparto("evaluate", run, "--qrels", qrels, "--as-ranked", "--measure", "StRecall@2", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["measures"]["StRecall@2"]["mean"] == 0.5


def test_plots_are_written(bank: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is an optional dependency")
    done = reparto(
        "evaluate", bank, "-k", "2", "--baseline", "top-k", "--plots", tmp_path / "plots", "--measure", "StRecall@2"
    )
    assert done.returncode == 0, done.stderr
    drawn = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert drawn == ["differences-top-k.svg", "queries-top-k.svg"]
    assert "<svg" in (tmp_path / "plots" / drawn[0]).read_text(encoding="utf-8")


def test_calibrate_writes_a_contract_that_select_reads(bank: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    rows = [
        {"a": {"id": "x", "text": f"{COPY} {n}"}, "b": {"id": "y", "text": f"{COPY}  {n}"}, "label": "copy"}
        if n % 2
        else {"a": {"id": "x", "text": f"{COPY} {n}"}, "b": {"id": "y", "text": "Trams."}, "label": "different"}
        for n in range(300)
    ]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = tmp_path / "contract.toml"
    done = reparto("calibrate", bank, "--pairs", pairs, "--precision", "0.9", "--out", out, "-k", "2")
    assert done.returncode == 0, done.stderr
    text = out.read_text(encoding="utf-8")
    assert "resemblance = " in text
    assert "lower bound" in text, "each number has a comment that says where it came from"
    request = {"query_class": "survey", "candidates": [{"id": "a", "text": COPY, "score": 1}]}
    (tmp_path / "r.json").write_text(json.dumps(request), encoding="utf-8")
    done = reparto("select", tmp_path / "r.json", "--contract", out, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert reparto("calibrate", "--out", out).returncode == 2


def test_what_cannot_be_written_is_said_before_the_work(bank: Path, tmp_path: Path) -> None:
    done = reparto("calibrate", bank, "--out", tmp_path / "absent" / "c.toml")
    assert done.returncode == 2
    assert "no folder" in done.stderr
    assert reparto("calibrate", bank, "--out", tmp_path).returncode == 2
    pytest.importorskip("matplotlib", reason="matplotlib is an optional dependency")
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = reparto("evaluate", bank, "--as-ranked", "--baseline", "top-k", "--plots", tmp_path / "file")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_monitor_reads_the_logs_that_select_writes(bank: Path, tmp_path: Path) -> None:
    log, rules = tmp_path / "log.jsonl", tmp_path / "rules.toml"
    requests = tmp_path / "requests.jsonl"
    lines = [json.loads(line) for line in bank.read_text(encoding="utf-8").splitlines()]
    asked = [{"query": "ferry", "query_class": "survey", "k": 2, "candidates": one["candidates"]} for one in lines * 4]
    requests.write_text("".join(json.dumps(one) + "\n" for one in asked), encoding="utf-8")
    assert reparto("select", requests, "--log", log, "--format", "json").returncode == 0
    quiet = reparto("monitor", log, "--format", "json")
    assert quiet.returncode == 0, quiet.stderr + quiet.stdout
    rates = json.loads(quiet.stdout)["rates"]["overall"]
    assert (rates["queries"], rates["before"]["mean"], rates["after"]["mean"]) == (16, 1.0, 0.0)
    rules.write_text(
        '[alerts.before]\nmeasure = "duplicate_rate_before"\nclass = "survey"\nabove = 0.5\nover = 10\n',
        encoding="utf-8",
    )
    loud = reparto("monitor", log, "--alert", rules)
    assert loud.returncode == 1
    assert "before FIRES" in loud.stdout
    exposed = reparto("monitor", log, "--format", "prometheus").stdout
    assert 'reparto_duplicate_rate_before{class="survey"} 1.0' in exposed
    log.write_text("{}\nno\n", encoding="utf-8")
    broken = reparto("monitor", log)
    assert broken.returncode == 2
    assert "line 1" in broken.stderr
    assert "line 2" in broken.stderr
