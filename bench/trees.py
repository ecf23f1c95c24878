"""A command with all that it starts: wall seconds, processor seconds of every process, memory of the largest one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

EVERY = 0.1
CACHE = str(Path(tempfile.gettempdir()) / "bench-pycache")
QUIET = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "DO_NOT_TRACK": "1"}


def run(*arguments: object, timeout: float = 3000) -> dict[str, Any]:
    """Python with these arguments, looked at ten times a second. `account` is the last line it prints, as JSON.

    What a process did after it was last looked at is lost, at most a tenth of a second of each. A run that takes longer
    than `timeout` seconds is ended and says so.
    """
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as err:
        child = subprocess.Popen([sys.executable, *map(str, arguments)], stdout=out, stderr=err, env=environment())
        spent: dict[tuple[int, float], float] = {}
        most: dict[str, int] = {}
        late = False
        tree = psutil.Process(child.pid)
        while child.poll() is None:
            for one in _all(tree):
                _look(one, spent, most)
            late = late or time.perf_counter() - start > timeout
            if late:
                for one in reversed(_all(tree)):
                    one.kill()
            time.sleep(EVERY)
        seconds = time.perf_counter() - start
        out.seek(0)
        err.seek(0)
        lines = out.read().strip().splitlines()
        if child.returncode and not late:
            raise SystemExit(f"{arguments} ended with {child.returncode}: {err.read()[-2000:]}")
    found = {
        "seconds": round(seconds, 2), "processor": round(sum(spent.values()), 2), "MB": max(most.values(), default=0),
        "largest": max(most, key=lambda name: most[name], default=""), "processes": len(spent),
        "account": json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {},
    }  # fmt: skip
    return {**found, "timeout": timeout} if late else found


def environment() -> dict[str, str]:
    """Compiled modules are kept, as those of an installed package are."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"PYTHONPYCACHEPREFIX": CACHE, **known, **QUIET}


def dedupe(*arguments: object, timeout: float = 3000) -> dict[str, Any]:
    """`reparto dedupe` with these arguments."""
    return run("-c", "from reparto.cli import main; main()", "dedupe", *arguments, timeout=timeout)


def _all(tree: psutil.Process) -> list[psutil.Process]:
    try:
        return [tree, *tree.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _look(one: psutil.Process, spent: dict[tuple[int, float], float], most: dict[str, int]) -> None:
    try:
        with one.oneshot():
            times, name = one.cpu_times(), one.name()
            spent[one.pid, one.create_time()] = times.user + times.system
            most[name] = max(most.get(name, 0), one.memory_info().rss >> 20)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return
