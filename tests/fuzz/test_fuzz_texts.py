"""Fuzzing of everything that reads text: a few seconds each here, half an hour each in `make long`."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

TARGET = Path(__file__).with_name("texts_target.py")
NAMES = ("forms", "sketches", "signatures", "verdicts", "mail")

pytestmark = pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed here")


def run(name, seconds, folder):
    done = subprocess.run(
        [sys.executable, str(TARGET), name, str(seconds), str(folder)],
        capture_output=True, text=True, timeout=seconds + 300, check=False, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert "stat::number_of_executed_units" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_few_seconds_find_nothing(name, tmp_path):
    run(name, 4, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_half_an_hour_finds_nothing(name, tmp_path):
    run(name, 1800, tmp_path)
