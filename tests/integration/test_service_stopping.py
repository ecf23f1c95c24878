"""Load, overload, stop and kill: what was taken is finished, what cannot be served is told so, no log line is torn."""

from __future__ import annotations

import json
import random
import signal
import threading
import time

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import httpx

from reparto.service.settings import Settings
from reparto.service.testing import Running, as_process, in_thread

WORDS = [f"word{number}" for number in range(3000)]


def request(candidates: int, seed: int) -> dict:
    draw = random.Random(seed)
    passages = [" ".join(draw.choices(WORDS, k=60)) for _ in range(candidates)]
    return {
        "query": "word1",
        "k": 8,
        "candidates": [{"id": f"c{n}", "score": draw.random(), "text": text} for n, text in enumerate(passages)],
    }


def hammer(
    running: Running, seconds: float, threads: int, body: dict, seen: list, stop: threading.Event
) -> list[threading.Thread]:
    """Clients that ask as fast as they can; `seen` gets (status or None for a broken connection, complete)."""

    def one() -> None:
        until = time.monotonic() + seconds
        with httpx.Client(base_url=running.url, trust_env=False, timeout=20) as client:
            while time.monotonic() < until and not stop.is_set():
                try:
                    answer = client.post("/v1/select", json=body)
                except httpx.ConnectError:
                    return
                except httpx.HTTPError as error:
                    seen.append((None, type(error).__name__))
                    return
                answer.json()
                seen.append((answer.status_code, ""))

    started = [threading.Thread(target=one) for _ in range(threads)]
    for thread in started:
        thread.start()
    return started


def lines_of(log) -> list[dict]:
    raw = log.read_bytes()
    assert raw.endswith(b"\n")
    return [json.loads(line) for line in raw.splitlines()]


def test_what_was_taken_is_finished_when_told_to_stop(tmp_path):
    log = tmp_path / "log.jsonl"
    with as_process("--log", str(log), "--queue", "64") as running:
        seen: list = []
        threads = hammer(running, 30, 6, request(100, 1), seen, threading.Event())
        while len(seen) < 12:
            time.sleep(0.01)
        started = time.monotonic()
        code = running.stop(signal.SIGTERM)
        assert time.monotonic() - started < 10
        for thread in threads:
            thread.join(20)
    assert code == 0
    # A connection that was idle may be closed under a request that had not arrived; an answer is never cut short.
    assert {status for status, _ in seen} <= {200, None}
    assert {why for status, why in seen if status is None} <= {"RemoteProtocolError", "ReadError", "WriteError"}
    assert len(lines_of(log)) >= sum(status == 200 for status, _ in seen)
    assert any('"event": "stopped"' in line for line in running.lines or ())


@pytest.mark.slow
def test_no_half_written_line_after_kill_and_restart(tmp_path):
    log = tmp_path / "log.jsonl"
    body, acknowledged = request(300, 2), 0
    draw = random.Random(3)
    for round in range(4):
        with as_process("--log", str(log), "--log-texts", "--queue", "64") as running:
            seen: list = []
            threads = hammer(running, 30, 4, body, seen, threading.Event())
            until = time.monotonic() + 20
            while len(seen) < 5 and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(draw.random() / 5)
            running.stop(signal.SIGKILL)
            for thread in threads:
                thread.join(20)
            acknowledged += sum(status == 200 for status, _ in seen)
        if round == 2:  # as if the kill had fallen between two pages of an append
            with log.open("ab") as stream:
                stream.write(b'{"record": 1, "at": "20')
    with as_process("--log", str(log)) as running:
        assert httpx.post(f"{running.url}/v1/select", json=request(3, 4), trust_env=False).status_code == 200
        assert running.stop() == 0
    records = lines_of(log)
    assert len(records) >= acknowledged + 1
    assert all(one["selection"]["decisions"] for one in records)


def test_a_torn_line_is_cut_off_and_said(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"whole": 1}\n{"torn": ' + b"x" * 100_000)
    with in_thread(Settings(log=str(log))) as running:
        assert log.read_bytes() == b'{"whole": 1}\n'
        assert running.service.ready
    log.write_bytes(b'{"torn": ')
    with in_thread(Settings(log=str(log))):
        assert log.read_bytes() == b""


def test_overload_is_shed_at_once_and_the_service_recovers():
    settings = Settings(workers=1, queue=1)
    with in_thread(settings) as running:
        body, answers = json.dumps(request(400, 5)), []

        def ask() -> None:
            started = time.monotonic()
            answer = httpx.post(f"{running.url}/v1/select", content=body, trust_env=False, timeout=20)
            answers.append((answer.status_code, time.monotonic() - started, answer.headers.get("retry-after")))

        threads = [threading.Thread(target=ask) for _ in range(12)]
        for one in threads:
            one.start()
        assert httpx.get(f"{running.url}/healthz", trust_env=False, timeout=5).status_code == 200
        for one in threads:
            one.join(30)
        assert {status for status, _, _ in answers} == {200, 429}
        assert all(int(retry) >= 1 for status, _, retry in answers if status == 429)
        until = time.monotonic() + 5
        while running.service.work.taken and time.monotonic() < until:
            time.sleep(0.01)
        assert httpx.post(f"{running.url}/v1/select", content=body, trust_env=False, timeout=20).status_code == 200
        assert running.service.metrics.registry.get_sample_value("reparto_shed_total", {"code": "busy"}) >= 1


def test_what_would_come_too_late_is_told_so_and_its_thread_still_counts():
    with in_thread(Settings(workers=1, queue=0, request_seconds=0.05)) as running:
        body = request(1500, 6)
        answer = httpx.post(f"{running.url}/v1/select", json=body, trust_env=False, timeout=20)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (503, "deadline")
        assert answer.headers["retry-after"]
        busy = httpx.post(f"{running.url}/v1/select", json=[], trust_env=False, timeout=20)
        assert busy.status_code in (429, 200)  # 200 only if the thread was done by then
        until = time.monotonic() + 20
        while running.service.work.taken and time.monotonic() < until:
            time.sleep(0.01)
        assert running.service.work.taken == 0


def test_many_clients_at_once_get_what_one_gets():
    with in_thread(Settings(queue=64)) as running:
        bodies = [request(30, seed) for seed in range(8)]
        alone = [httpx.post(f"{running.url}/v1/select", json=body, trust_env=False).json() for body in bodies]
        together: dict = {}

        def ask(place: int) -> None:
            together[place] = httpx.post(
                f"{running.url}/v1/select", json=bodies[place], trust_env=False, timeout=20
            ).json()

        for _ in range(3):
            threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
            for one in threads:
                one.start()
            for one in threads:
                one.join(30)
            assert [together[place] for place in range(8)] == alone
