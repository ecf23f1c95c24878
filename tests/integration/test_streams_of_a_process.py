"""What a shell does to a process: readers that go, disks that are full, streams that are closed, paths that are not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPARTO = [sys.executable, "-m", "reparto"]
REQUEST = json.dumps({"candidates": [{"id": "a", "score": 0.9, "text": "one two three"}]})

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these are streams of a POSIX shell")


def shell(script: str, *args: str, stdin: str = REQUEST) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script, "bash", *REPARTO, *args], input=stdin, capture_output=True, encoding="utf-8", timeout=120
    )


def test_a_reader_that_goes_is_no_failed_check() -> None:
    lines = (REQUEST + "\n") * 2000
    done = shell('"$@" | head -c 10; exit ${PIPESTATUS[0]}', "select", "-", "--format", "jsonl", stdin=lines)
    assert (done.returncode, len(done.stdout), done.stderr) == (0, 10, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("args", [("select", "-"), ("contract", "show")])
def test_a_full_disk_is_said_in_a_line(args: tuple[str, ...]) -> None:
    done = shell('"$@" > /dev/full', *args)
    assert done.returncode == 2
    assert done.stderr == f"unusable: output: {os.strerror(28)} (look at the path)\n"


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0), ("<&-", 2)])
def test_a_closed_stream_is_an_empty_one(closed: str, code: int) -> None:
    done = shell(f'"$@" {closed}', "select", "-")
    assert done.returncode == code and "Traceback" not in done.stderr
    if closed == "<&-":
        assert done.stderr.startswith("empty_input: ")


def test_a_contract_without_a_folder_to_stand_in_is_said_in_a_line(tmp_path: Path) -> None:
    target = tmp_path / "no" / "such.toml"
    done = shell('"$@"', "contract", "init", str(target))
    assert done.returncode == 2
    assert done.stderr.startswith(f"unwritable: {target}: ") and len(done.stderr.splitlines()) == 1


def test_a_byte_order_mark_before_toml_is_passed_over(tmp_path: Path) -> None:
    target = tmp_path / "contract.toml"
    target.write_bytes(b"\xef\xbb\xbfversion = 1\r\n[classes.survey]\r\nk = 1\r\n")
    done = shell('"$@"', "contract", "check", str(target))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("args", [("select", "-"), ("dedupe", "documents.jsonl", "--out", "groups.jsonl")])
@pytest.mark.parametrize("engine", ["daft", "spark"])
def test_an_engine_without_its_extra_names_it(engine: str, args: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text('{"id": "a", "text": "one"}\n', encoding="utf-8")
    hidden = "import sys; sys.modules['pyarrow'] = None; from reparto.cli import main; main()"
    command = [sys.executable, "-c", hidden, *args, "--engine", engine]
    done = subprocess.run(command, input=REQUEST, capture_output=True, encoding="utf-8", timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"engine '{engine}' needs an optional dependency: pip install 'reparto[{engine}]'\n"


def test_no_pairs_calibrate_nothing(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").touch()
    done = shell('"$@"', "calibrate", "--pairs", str(tmp_path / "pairs.jsonl"), "--out", str(tmp_path / "c.toml"))
    assert (done.returncode, done.stderr) == (2, "empty: there is no pair in the file (write one pair a line)\n")
    assert not (tmp_path / "c.toml").exists()


def test_the_known_keys_are_named_as_they_are_written(tmp_path: Path) -> None:
    contract = tmp_path / "contract.toml"
    contract.write_text('[alerts.x]\nclas = "survey"\nmeasure = "tokens"\nabove = 1\n', encoding="utf-8")
    done = shell('"$@"', "contract", "check", str(contract))
    assert done.returncode == 2
    assert "did you mean 'class'? known: measure, class, above, below, over" in done.stderr
