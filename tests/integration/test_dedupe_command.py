"""`reparto dedupe` as a person runs it: files in, rows out, killed and started again."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from bench.corpus_generator import corpus

from reparto.corpus.writing import read_groups


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    path = tmp_path_factory.mktemp("dedupe") / "texts.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for one, _ in corpus(1500, seed=11):
            stream.write(json.dumps(one) + "\n")
    return path


SCRIPT = "import reparto.corpus.readers.lines as l; l.BLOCK = 100_000; from reparto.cli import main; main()"


def command(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "dedupe", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def done(*arguments, stdin=None):
    run = command(*arguments, stdin=subprocess.PIPE)
    out, err = run.communicate(stdin)
    return run.returncode, out, err


def test_rows_and_account(texts, tmp_path):
    code, out, err = done(texts, "--out", tmp_path / "groups.jsonl")
    account = json.loads(out)
    rows = read_groups(tmp_path / "groups.jsonl")
    assert (code, err) == (0, "")
    assert account["documents"] == len(rows) == 1500
    assert account["documents"] == account["groups"] + account["copies"]
    assert rows.columns["doc_id"] == sorted(rows.columns["doc_id"])
    assert not (tmp_path / "groups.jsonl.work").exists()


def test_parquet_holds_the_same_rows(texts, tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    for name in ("a.jsonl", "a.parquet"):
        assert done(texts, "--out", tmp_path / name)[0] == 0
    assert read_groups(tmp_path / "a.jsonl").columns == read_groups(tmp_path / "a.parquet").columns


@pytest.mark.parametrize("name", ["none.jsonl", "none.parquet"])
def test_nothing_in_gives_nothing_out(name, tmp_path):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    (tmp_path / "empty.jsonl").write_text("")
    for options in ([], ["--state", tmp_path / "state"], ["--state", tmp_path / "state"]):
        code, out, err = done(tmp_path / "empty.jsonl", "--out", tmp_path / name, *options)
        assert (code, err, json.loads(out)["documents"]) == (0, "", 0)
        assert len(read_groups(tmp_path / name)) == 0


def test_standard_input_and_what_cannot_be_read(tmp_path):
    lines = '{"id": "a", "text": "One text."}\nnot json\n{"id": "b"}\n'
    code, out, err = done("-", "--out", tmp_path / "g.jsonl", stdin=lines)
    assert code == 0
    assert len(json.loads(out)["skipped"]) == 2
    assert "line 2" in err
    assert "line 3" in err
    assert done("-", "--strict", "--out", tmp_path / "g.jsonl", stdin=lines)[0] == 1
    assert done(tmp_path / "missing.jsonl", "--out", tmp_path / "g.jsonl")[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [("--engine", "nothing"), ("--resemblance", "7"), ("--revisions", "maybe"), ("--option", "x")],
)
def test_bad_usage_is_named(texts, tmp_path, arguments):
    code, out, err = done(texts, "--out", tmp_path / "g.jsonl", *arguments)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    assert err.strip()


@pytest.mark.slow
def test_a_run_killed_at_any_moment_ends_in_the_same_rows(texts, tmp_path):
    assert done(texts, "--out", tmp_path / "whole.jsonl")[0] == 0
    rng = random.Random(0)
    for trial in range(6):
        out = tmp_path / f"g{trial}.jsonl"
        run = command(texts, "--out", out)
        time.sleep(rng.uniform(0.3, 2.0))
        if run.poll() is None:
            os.kill(run.pid, signal.SIGKILL)
        run.communicate()
        assert done(texts, "--out", out)[0] == 0
        assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.slow
def test_a_load_into_a_state_killed_at_any_moment_ends_in_the_same_rows(texts, tmp_path):
    lines = texts.read_text("utf-8").splitlines(keepends=True)
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("".join(lines[300:]), "utf-8")
    new.write_text("".join(lines[:300]), "utf-8")
    assert done(texts, "--out", tmp_path / "whole.jsonl")[0] == 0
    rng = random.Random(1)
    for trial in range(4):
        out, state = tmp_path / f"g{trial}.jsonl", tmp_path / f"s{trial}"
        assert done(old, "--out", out, "--state", state)[0] == 0
        run = command(new, "--out", out, "--state", state)
        time.sleep(rng.uniform(0.3, 1.5))
        if run.poll() is None:
            os.kill(run.pid, signal.SIGKILL)
        run.communicate()
        assert done(new, "--out", out, "--state", state)[0] == 0
        assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_state_refuses_other_settings(texts, tmp_path):
    assert done(texts, "--out", tmp_path / "g.jsonl", "--state", tmp_path / "s")[0] == 0
    code, _, err = done(texts, "--out", tmp_path / "g.jsonl", "--state", tmp_path / "s", "--resemblance", ".7")
    assert code == 2
    assert "other_settings" in err


def test_the_same_file_again_changes_nothing(texts, tmp_path):
    out = tmp_path / "g.jsonl"
    assert done(texts, "--out", out, "--state", tmp_path / "s")[0] == 0
    before = out.read_bytes()
    code, printed, _ = done(texts, "--out", out, "--state", tmp_path / "s")
    assert code == 0
    assert out.read_bytes() == before
    assert json.loads(printed)["added"] == 0


def test_a_folder_that_is_not_ours_is_not_emptied(texts, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "keep.txt").write_text("mine")
    assert done(texts, "--out", tmp_path / "g.jsonl", "--work", tmp_path / "mine")[0] == 2
    assert (tmp_path / "mine" / "keep.txt").exists()
