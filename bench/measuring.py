"""How tables are measured: one process without hidden settings, sides in turn, medians, peak memory, the machine."""

from __future__ import annotations

import ctypes
import gc
import importlib.metadata
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "requirements" / "bench.txt"
HIDDEN = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Settings that make OpenBLAS, and so the numpy peers, slower than it is."""

Call = Callable[[], Any]


@dataclass(frozen=True)
class Timing:
    """Seconds of one side over its repeats."""

    median: float
    least: float
    repeats: int

    @property
    def us(self) -> float:
        """Median in microseconds."""
        return self.median * 1e6


def bare_process() -> None:
    """Start again without the settings that hold numpy back, when there are any."""
    if any(name in os.environ for name in HIDDEN):
        clean = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        os.execve(sys.executable, [sys.executable, "-m", "bench", *sys.argv[1:]], clean)


def install_peers() -> None:
    """Install the pinned peers that are absent; a peer that cannot be had is named and its rows stay out."""
    missing = []
    for line in PEERS.read_text(encoding="utf-8").splitlines():
        pin = line.split("#")[0].strip()
        if pin and not _installed(*re.split(r"==", pin)):
            missing.append(pin)
    if not missing:
        return
    installer = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        installer = [shutil.which("uv") or "uv", "pip", "install", "-q", "-p", sys.executable]
    for pin in missing:
        print(f"installing {pin}", file=sys.stderr)
        if subprocess.run([*installer, pin], check=False).returncode:
            print(f"{pin} cannot be installed here: its rows stay out", file=sys.stderr)


def _installed(name: str, version: str) -> bool:
    try:
        return importlib.metadata.version(name) == version
    except importlib.metadata.PackageNotFoundError:
        return False


def side_by_side(sides: Mapping[str, Call], repeats: int = 30, least_seconds: float = 1e-3) -> dict[str, Timing]:
    """Time every side in turn, `repeats` times over, so that what else the machine does falls on all alike.

    A side shorter than `least_seconds` runs several times within one measurement, so that what is timed is the side
    and not the caches that the other one left behind. The first call is not counted.
    """
    inner: dict[str, int] = {}
    for name, call in sides.items():
        call()
        start = time.perf_counter()
        call()
        inner[name] = max(1, int(least_seconds / max(time.perf_counter() - start, 1e-9)))
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, call in sides.items():
            start = time.perf_counter()
            for _ in range(inner[name]):
                call()
            seconds[name].append((time.perf_counter() - start) / inner[name])
    return {name: Timing(statistics.median(all_), min(all_), repeats) for name, all_ in seconds.items()}


def peak_above(call: Call) -> int | None:
    """Bytes of resident memory that a call needs above what stood before, in a child process; Linux only.

    A first call loads what is loaded once; its memory is given back, then a second one is watched. Whatever it
    returns is still held when the peak is read.
    """
    try:
        libc = ctypes.CDLL("libc.so.6")
        reader, writer = os.pipe()
    except OSError:
        return None
    child = os.fork()
    if child == 0:
        try:
            call()
            gc.collect()
            libc.malloc_trim(0)
            Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts from here
            before = _status("VmRSS")
            kept = call()
            os.write(writer, str(max(0, _status("VmHWM") - before)).encode())
            del kept
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return int(answer) if answer else None


def _status(name: str) -> int:
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(text.split(f"{name}:")[1].split()[0]) * 1024


def machine() -> dict[str, Any]:
    """Processor, cores, system, kernels and the linear algebra that numpy uses."""
    from threadpoolctl import threadpool_info

    from reparto.kernels import active

    model = platform.processor() or platform.machine()
    if (cpu := Path("/proc/cpuinfo")).exists():
        found = re.search(r"model name\s*:\s*(.+)", cpu.read_text(encoding="utf-8"))
        model = found.group(1) if found else model
    runs = active()
    libraries = [
        {name: one.get(name) for name in ("internal_api", "version", "architecture", "num_threads")}
        for one in threadpool_info()
    ]
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "kernels": {"name": runs.name, "isa": runs.isa},
        "linear_algebra": libraries,
        "load": [round(one, 2) for one in os.getloadavg()],
    }
