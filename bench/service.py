"""The service under load, one command a table: `python -m bench.service soak|overload|stop|kill`.

    soak      full load on loopback: errors, p50 and p99 for 100 candidates with and without vectors, memory over time
    overload  offered more than it can take: what is shed and how fast, what the admitted wait, and whether it recovers
    stop      SIGTERM under load, again and again: answers cut short, log lines torn, time to exit
    kill      SIGKILL under load and a start on the same log, again and again: lines torn, answers that are not in it

Results go to bench/results/service-*.json. `--seconds` sets the length (ten minutes in `make long`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import statistics
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from reparto.service.testing import Running, as_process

RESULTS = Path(__file__).parent / "results"
WORDS = [
    f"{a}{b}"
    for a in ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru")
    for b in ("ral", "sen", "tin", "vor", "lus", "mar", "nec", "pid", "rom", "sul")
]


def request(candidates: int, vectors: bool, seed: int) -> bytes:
    """Passages of 80 words, a third of them near copies of an earlier one; scores fall; vectors of 256."""
    draw = random.Random(seed)
    texts: list[list[str]] = []
    rows = []
    for place in range(candidates):
        if texts and draw.random() < 1 / 3:
            text = list(draw.choice(texts))
            text[draw.randrange(len(text))] = draw.choice(WORDS)
        else:
            text = draw.choices(WORDS, k=80)
        texts.append(text)
        row: dict[str, Any] = {
            "id": f"c{place}",
            "score": 1 - place / candidates,
            "text": " ".join(text),
            "document": f"d{place // 2}",
            "source": f"s{place % 17}",
        }
        if vectors:
            row["vector"] = [round(draw.gauss(0, 1), 4) for _ in range(256)]
        rows.append(row)
    return json.dumps({"query": "balral cesen", "query_class": "survey", "candidates": rows}).encode()


class Load:
    """Clients that ask as fast as they are answered; latencies by kind, statuses."""

    def __init__(self, url: str, bodies: dict[str, list[bytes]], clients: int) -> None:
        self.url, self.bodies = url, bodies
        self.seconds: dict[str, list[float]] = {kind: [] for kind in bodies}
        self.statuses: Counter[str] = Counter()
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self._one, args=(seed,), daemon=True) for seed in range(clients)]
        for thread in self.threads:
            thread.start()

    def _one(self, seed: int) -> None:
        draw = random.Random(seed)
        with httpx.Client(base_url=self.url, trust_env=False, timeout=30) as client:
            while not self.stop.is_set():
                kind = draw.choice(list(self.bodies))
                started = time.perf_counter()
                try:
                    answer = client.post(
                        "/v1/select",
                        content=draw.choice(self.bodies[kind]),
                        headers={"content-type": "application/json"},
                    )
                    json.loads(answer.content)
                    self.statuses[str(answer.status_code)] += 1
                    if answer.status_code == 200:
                        self.seconds[kind].append(time.perf_counter() - started)
                except httpx.HTTPError as error:
                    self.statuses[type(error).__name__] += 1

    def end(self) -> None:
        """Stop the clients."""
        self.stop.set()
        for thread in self.threads:
            thread.join(60)


def memory(running: Running) -> dict[str, int]:
    """Resident bytes, descriptors and threads of the service's process."""
    assert running.process is not None
    folder = Path(f"/proc/{running.process.pid}")
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    return {
        "rss_mb": int(status["VmRSS"].split()[0]) // 1024,
        "descriptors": len(list((folder / "fd").iterdir())),
        "threads": int(status["Threads"]),
    }


def quantiles(seconds: list[float]) -> dict[str, float]:
    """p50 and p99 in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100) if len(seconds) > 1 else [0.0] * 99
    return {"requests": len(seconds), "p50_ms": round(1000 * cuts[49], 1), "p99_ms": round(1000 * cuts[98], 1)}


def soak(seconds: float, clients: int = 2) -> dict[str, Any]:
    """As many clients as processors, without a pause; a log is written."""
    bodies = {
        "100 candidates": [request(100, False, seed) for seed in range(20)],
        "100 candidates, vectors of 256": [request(100, True, seed) for seed in range(20)],
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        as_process("--log", f"{folder}/log.jsonl", "--queue", "64", "--log-level", "warning") as running,
    ):
        alone: dict[str, list[float]] = {}
        with httpx.Client(base_url=running.url, trust_env=False, timeout=30) as client:
            for kind, made in bodies.items():
                alone[kind] = []
                for body in made * 3:
                    started = time.perf_counter()
                    client.post("/v1/select", content=body).raise_for_status()
                    alone[kind].append(time.perf_counter() - started)
        load = Load(running.url, bodies, clients)
        samples, until = [], time.monotonic() + seconds
        step = max(1.0, seconds / 20)
        while time.monotonic() < until:
            time.sleep(min(step, max(0.0, until - time.monotonic())))
            samples.append(memory(running))
        load.end()
        lines = sum(not _torn(line) for line in Path(folder, "log.jsonl").read_bytes().splitlines())
        running.stop()
    answered = load.statuses["200"]
    return {
        "seconds": seconds,
        "clients": clients,
        "statuses": dict(load.statuses),
        "errors": sum(load.statuses.values()) - answered,
        "per_second": round(answered / seconds, 1),
        "alone": {kind: quantiles(one) for kind, one in alone.items()},
        "loaded": {kind: quantiles(one) for kind, one in load.seconds.items()},
        "samples": samples,
        "growth": round(samples[-1]["rss_mb"] / max(1, samples[len(samples) // 4]["rss_mb"]) - 1, 4),
        "log_lines": lines,
        "log_lines_expected": answered + 120,
    }


def overload(seconds: float, factor: int = 4) -> dict[str, Any]:
    """An open loop that offers `factor` times what the service manages, then a rest, then one client."""
    body = request(100, False, 1)
    with as_process("--log-level", "error", "--queue", "2") as running:
        url = running.url
        with httpx.Client(base_url=url, trust_env=False, timeout=30) as client:
            alone = []
            for _ in range(60):
                started = time.perf_counter()
                client.post("/v1/select", content=body).raise_for_status()
                alone.append(time.perf_counter() - started)
        load = Load(url, {"peak": [body]}, 2)
        time.sleep(min(5.0, seconds / 4))
        load.end()
        peak = len(load.seconds["peak"]) / min(5.0, seconds / 4)
        seen: list[tuple[int, float]] = []
        health: list[float] = []
        offer = _Offer(url, body, factor * peak, seen, health)
        time.sleep(seconds)
        offer.end()
        time.sleep(1)
        with httpx.Client(base_url=url, trust_env=False, timeout=30) as client:
            after = []
            for _ in range(30):
                started = time.perf_counter()
                client.post("/v1/select", content=body).raise_for_status()
                after.append(time.perf_counter() - started)
        running.stop()
    admitted = [one for status, one in seen if status == 200]
    shed = [one for status, one in seen if status == 429]
    return {
        "seconds": seconds,
        "peak_per_second": round(peak, 1),
        "offered_per_second": round(len(seen) / seconds, 1),
        "statuses": dict(Counter(str(status) for status, _ in seen)),
        "goodput_of_peak": round(len(admitted) / seconds / peak, 3),
        "alone": quantiles(alone),
        "admitted": quantiles(admitted),
        "shed": quantiles(shed),
        "healthz": quantiles(health),
        "after": quantiles(after),
    }


class _Offer:
    """Requests at a rate, whatever becomes of them: bytes made beforehand, over bare sockets, in a thread."""

    def __init__(self, url: str, body: bytes, rate: float, seen: list[tuple[int, float]], health: list[float]) -> None:
        self._port = int(url.rpartition(":")[2])
        head = f"POST /v1/select HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
        self._request, self._probe = head.encode() + body, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        self._rate, self._seen, self._health = rate, seen, health
        self._stop = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()

    async def _ask(self, what: bytes) -> tuple[int, float]:
        started = time.perf_counter()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(what)
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
            )
            await reader.readexactly(length)
            writer.close()
            return int(head.split()[1]), time.perf_counter() - started
        except (OSError, asyncio.IncompleteReadError):
            return 0, time.perf_counter() - started

    async def _one(self) -> None:
        self._seen.append(await self._ask(self._request))

    async def _look(self) -> None:
        self._health.append((await self._ask(self._probe))[1])

    async def _run(self) -> None:
        tasks: set[asyncio.Task[None]] = set()
        started, sent = time.perf_counter(), 0
        while not self._stop.is_set():
            while sent < (time.perf_counter() - started) * self._rate and len(tasks) < 400:
                sent += 1
                for made in (self._one(), self._look()) if sent % 10 == 0 else (self._one(),):
                    tasks.add(task := asyncio.create_task(made))
                    task.add_done_callback(tasks.discard)
            await asyncio.sleep(0.002)
        await asyncio.gather(*tasks)

    def end(self) -> None:
        """Stop offering and wait for what is under way."""
        self._stop.set()
        self._thread.join(60)


def stop(rounds: int) -> dict[str, Any]:
    """SIGTERM under load: an answer begun is finished, the log is whole, the exit is prompt and clean."""
    body = {"100": [request(100, False, seed) for seed in range(5)]}
    codes: Counter[int] = Counter()
    broken: Counter[str] = Counter()
    took, torn, lost = [], 0, 0
    for turn in range(rounds):
        with (
            tempfile.TemporaryDirectory() as folder,
            as_process("--log", f"{folder}/log.jsonl", "--log-level", "error") as running,
        ):
            load = Load(running.url, body, 4)
            time.sleep(0.3 + random.Random(turn).random() / 3)
            started = time.monotonic()
            codes[running.stop(signal.SIGTERM)] += 1
            took.append(time.monotonic() - started)
            load.end()
            raw = Path(folder, "log.jsonl").read_bytes()
            lines = raw.splitlines()
            torn += sum(_torn(line) for line in lines) + (not raw.endswith(b"\n"))
            lost += max(0, load.statuses["200"] - len(lines))
            broken.update(
                {
                    name: number
                    for name, number in load.statuses.items()
                    if name not in ("200", "429", "503", "ConnectError")
                }
            )
    return {
        "rounds": rounds,
        "exit_codes": dict(codes),
        "slowest_exit_s": round(max(took), 2),
        "torn_lines": torn,
        "answers_not_logged": lost,
        "broken_connections": dict(broken),
    }


def kill(rounds: int) -> dict[str, Any]:
    """SIGKILL under load, and a start on the same log: whatever was answered is in it, whole, and nothing is torn."""
    body = {"300, texts in the log": [request(300, False, seed) for seed in range(5)]}
    acknowledged, mended, torn_by_kill = 0, 0, 0
    started: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.jsonl")
        for turn in range(rounds):
            begun = time.monotonic()
            with as_process("--log", str(log), "--log-texts", "--log-level", "warning") as running:
                started.append(time.monotonic() - begun)
                mended += any('"log_mended"' in line for line in running.lines or ())
                load = Load(running.url, body, 4)
                time.sleep(0.3 + random.Random(turn).random() / 3)
                running.stop(signal.SIGKILL)
                load.end()
                acknowledged += load.statuses["200"]
            torn_by_kill += not log.read_bytes().endswith(b"\n")
        with as_process("--log", str(log), "--log-level", "warning") as running:
            running.stop(signal.SIGTERM)
        raw = log.read_bytes()
    lines = raw.splitlines()
    return {
        "rounds": rounds,
        "answered": acknowledged,
        "log_lines": len(lines),
        "answers_not_logged": max(0, acknowledged - len(lines)),
        "torn_by_a_kill": torn_by_kill,
        "mended_at_the_next_start": mended,
        "torn_lines": sum(_torn(line) for line in lines) + (not raw.endswith(b"\n")),
        "slowest_start_s": round(max(started), 2),
    }


def _torn(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return True
    return False


def main() -> None:
    """Run one table and keep its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["soak", "overload", "stop", "kill"])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    tables = {
        "soak": lambda: soak(given.seconds),
        "overload": lambda: overload(given.seconds),
        "stop": lambda: stop(given.rounds),
        "kill": lambda: kill(given.rounds),
    }
    found = tables[given.table]()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"service-{given.table}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for name, value in found.items():
        if name != "samples":
            print(f"{name:20} {value}")
    if found.get("samples"):
        print(f"{'memory':20} {' '.join(str(one['rss_mb']) for one in found['samples'])} MB")


if __name__ == "__main__":
    main()
