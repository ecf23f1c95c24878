"""The load tables of bench/service.py in short, for what must hold at any speed: no error, no loss, memory that stays."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_service", ROOT / "bench" / "service.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_service"] = module
    spec.loader.exec_module(module)
    return module


def check_soak(found: dict, growth: float) -> None:
    print({name: value for name, value in found.items() if name != "samples"})
    assert found["errors"] == 0
    assert found["log_lines"] == found["log_lines_expected"]
    assert found["growth"] <= growth
    descriptors = [one["descriptors"] for one in found["samples"]]
    threads = [one["threads"] for one in found["samples"]]
    assert max(descriptors) - min(descriptors) <= 8
    assert max(threads) == min(threads)


def check_overload(found: dict) -> None:
    print(found)
    assert set(found["statuses"]) <= {"200", "429"}
    assert found["statuses"]["429"] > 0
    assert found["statuses"]["200"] > 0
    assert found["after"]["requests"] == 30


def check_kills(found: dict) -> None:
    print(found)
    assert found["answered"] > 0
    assert (found["torn_lines"], found["answers_not_logged"]) == (0, 0)
    assert found["torn_by_a_kill"] >= found["mended_at_the_next_start"]


@pytest.mark.slow
def test_two_kills_and_starts_on_one_log(bench):
    check_kills(bench.kill(2))


@pytest.mark.slow
def test_a_short_soak(bench):
    check_soak(bench.soak(15), growth=0.25)


@pytest.mark.slow
def test_a_short_overload(bench):
    check_overload(bench.overload(8))


@pytest.mark.slow
def test_a_few_stops_under_load(bench):
    found = bench.stop(2)
    assert found["exit_codes"] == {0: 2}
    assert (found["torn_lines"], found["answers_not_logged"]) == (0, 0)


@pytest.mark.long
def test_ten_minutes_at_full_load(bench):
    check_soak(bench.soak(600), growth=0.05)


@pytest.mark.long
def test_overload_for_a_minute_and_fifty_stops(bench):
    check_overload(bench.overload(60))
    found = bench.stop(50)
    assert found["exit_codes"] == {0: 50}
    assert (found["torn_lines"], found["answers_not_logged"]) == (0, 0)


@pytest.mark.long
def test_fifty_kills_and_starts_on_one_log(bench):
    check_kills(bench.kill(50))
