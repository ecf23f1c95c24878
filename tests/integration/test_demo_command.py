"""`reparto demo` as it is called."""

from __future__ import annotations

import json
import subprocess
import sys

from reparto.demo import documents, feed


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    call = "from reparto.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", call, "demo", *arguments], capture_output=True, text=True, encoding="utf-8"
    )


def test_the_table_is_the_same_on_every_run() -> None:
    first, second = run(), run()
    assert first.returncode == 0, first.stderr
    assert first.stderr == ""
    assert first.stdout == second.stdout
    assert "Facts delivered over all queries" in first.stdout


def test_json_is_one_object_with_selection_and_figures() -> None:
    done = run("--format", "json")
    found = json.loads(done.stdout)
    assert [one["query_id"] for one in found["queries"]] == [line["query_id"] for line in feed()]
    for one in found["queries"]:
        assert len(one["selection"]["decisions"]) == len({d["id"] for d in one["selection"]["decisions"]})
        assert set(one["measures"][f"StRecall@{one['k']}"]) == {"top_k", "selection"}
    assert found["index"]["selection"]["seats"]


def test_the_feed_and_its_documents_can_be_printed_for_other_commands() -> None:
    assert [json.loads(line) for line in run("--format", "feed").stdout.splitlines()] == feed()
    assert [json.loads(line) for line in run("--format", "documents").stdout.splitlines()] == documents()


def test_another_contract_shows_another_selection(tmp_path) -> None:
    contract = tmp_path / "contract.toml"
    contract.write_text("version = 1\n[defaults]\ncollapse = false\n[classes.survey]\nk = 4\n", encoding="utf-8")
    done = run("--contract", str(contract), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["queries"][0]["k"] == 4


def test_a_missing_contract_is_bad_input() -> None:
    done = run("--contract", "nowhere.toml")
    assert done.returncode == 2
    assert "nowhere.toml" in done.stderr
    assert "Traceback" not in done.stderr
