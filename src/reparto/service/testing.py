"""For tests and benches: a service on a free port of the loopback, in a thread or as a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import uvicorn

from reparto.service.app import create_app
from reparto.service.server import bind, config_of
from reparto.service.settings import Settings
from reparto.service.state import Service

PATIENCE = 60.0  # a loaded machine is slow to start a process


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A service that answers at `url`. `service` holds its parts where it runs in this process."""

    url: str
    service: Service | None = None
    process: subprocess.Popen[str] | None = None
    lines: list[str] | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.url.rpartition(":")[2])

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal to its process and wait; the exit code."""
        process = cast("subprocess.Popen[str]", self.process)
        process.send_signal(number)
        return process.wait(PATIENCE)


@contextlib.contextmanager
def in_thread(settings: Settings | None = None, app: Any = None, exporters: Sequence[Any] = ()) -> Iterator[Running]:
    """A service (or any other ASGI `app`) in a thread of this process, stopped gracefully at the end."""
    settings = replace(settings or Settings(), port=0)
    app = app or create_app(settings, exporters)
    sock = bind(settings)
    server = uvicorn.Server(config_of(app, settings))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    service: Service | None = getattr(app.state, "service", None) if hasattr(app, "state") else None
    until = time.monotonic() + PATIENCE
    while not server.started or (service is not None and not service.ready and not service.not_ready):
        if time.monotonic() > until or not thread.is_alive():
            raise RuntimeError("the service did not start")
        time.sleep(0.01)
    try:
        yield Running(f"http://127.0.0.1:{sock.getsockname()[1]}", service)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        sock.close()


@contextlib.contextmanager
def as_process(
    *arguments: str, environ: Mapping[str, str] | None = None, wrapper: Sequence[str] = ()
) -> Iterator[Running]:
    """`reparto serve ARGUMENTS` as a process, ready to serve; killed at the end if it still runs.
    `wrapper` is a command that runs it.

    `lines` collects what it logs.
    """
    code = "from reparto.cli import main; main()"
    process = subprocess.Popen(
        [*wrapper, sys.executable, "-B", "-c", code, "serve", "--port", "0", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environ or {})},
    )
    lines: list[str] = []
    reader = threading.Thread(target=_collect, args=(process, lines), daemon=True)
    reader.start()
    try:
        url = _address(process, lines)
        _wait_ready(url, process, lines)
        yield Running(url, None, process, lines)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE)
        reader.join(PATIENCE)
        if process.stderr is not None:
            process.stderr.close()


def _collect(process: subprocess.Popen[str], lines: list[str]) -> None:
    for line in process.stderr or ():
        lines.append(line)  # noqa: PERF402 - seen by others while it grows


def _address(process: subprocess.Popen[str], lines: Sequence[str]) -> str:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        for line in list(lines):
            if '"event": "listening"' in line:
                return str(json.loads(line)["address"])
        time.sleep(0.02)
    raise RuntimeError(f"the service did not listen: {''.join(lines)}")


def _wait_ready(url: str, process: subprocess.Popen[str], lines: Sequence[str]) -> None:
    import httpx

    until = time.monotonic() + PATIENCE
    said = ""
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(httpx.HTTPError):
            answer = httpx.get(f"{url}/readyz", timeout=2, trust_env=False)
            if answer.status_code == 200:
                return
            said = answer.text
        time.sleep(0.02)
    raise RuntimeError(f"the service did not get ready: {said} {''.join(lines)}")
