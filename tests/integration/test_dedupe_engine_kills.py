"""Workers and drivers of engines killed in mid-run: the result is that of an undisturbed run."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="distributed engines exchange Arrow tables")
psutil = pytest.importorskip("psutil", reason="finds the workers of an engine")

from bench.corpus_generator import corpus

from reparto.corpus.engines import inputs
from reparto.corpus.engines.local import Local
from reparto.corpus.job import Job

pytestmark = [pytest.mark.filterwarnings("ignore")]
MAIN = "import reparto.corpus.engines.inputs as i; i.RANGE = {range}; from reparto.cli import main; main()"
ENVIRONMENT = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kills")
    found = {}
    for many in (1500, 8_000):
        path = folder / f"{many}.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one, _ in corpus(many, seed=31)), "utf-8")
        Local().run(Job((str(path),), folder / "groups.jsonl", folder / "work"))
        found[many] = path, (folder / "groups.jsonl").read_bytes()
    return found


class Running:
    """A run of the command; its children are all that was started for it."""

    def __init__(self, path, out, *arguments):
        self.out, self.work = Path(out), Path(f"{out}.work")
        # Ranges small enough that there is a mid-run.
        script = MAIN.format(range=max(1, path.stat().st_size // 24))
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, "dedupe", str(path), "--out", str(out), *map(str, arguments)],
            env={**os.environ, **ENVIRONMENT}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def receipts(self, step="*"):
        return len(list(self.work.glob(f"*/{step}/[0-9]*.json")))

    def wait_for(self, ready, patience=240):
        """Whether it became ready before the run was over."""
        deadline = time.monotonic() + patience
        while self.process.poll() is None and time.monotonic() < deadline:
            if found := ready():
                return found
            time.sleep(0.02)
        return None

    def workers(self, told):
        """Processes below whose command line says so."""
        found = []
        for one in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if told(" ".join(one.cmdline())):
                    found.append(one)
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found

    def finish(self):
        out, err = self.process.communicate(timeout=500)
        assert self.process.returncode == 0, err[-3000:]
        return json.loads(out.strip().splitlines()[-1])

    def kill(self):
        for one in [*psutil.Process(self.process.pid).children(recursive=True), psutil.Process(self.process.pid)]:
            try:
                one.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        self.process.communicate()


def driver_killed(path, out, step, count, *arguments):
    """Kill the driver, and all that it started, once a step has so many receipts; then run it again."""
    run = Running(path, out, *arguments)
    assert run.wait_for(lambda: run.receipts(step) >= count), f"over before {count} of {step}"
    run.kill()
    assert not Path(out).exists()
    held = run.receipts("read")
    stamps = {one: one.stat().st_mtime_ns for one in run.work.glob("*/read/[0-9]*.json")}
    again = Running(path, out, *arguments)
    checked = again.wait_for(lambda: again.receipts("read") > held or again.receipts("exact"))
    if checked:  # what was done is not done again
        assert all(not one.exists() or one.stat().st_mtime_ns == stamp for one, stamp in stamps.items())
    again.finish()
    assert not again.work.exists()


def workers_killed(path, out, step, told, *arguments, most=None):
    """Kill workers, known by their command line, once a step has begun; the run goes on to its end."""
    run = Running(path, out, *arguments)
    assert run.wait_for(lambda: run.receipts(step) >= 1), f"over before {step}"
    workers = run.workers(told)[:most]
    assert workers
    for one in workers:
        one.send_signal(signal.SIGKILL)
    run.finish()


@pytest.mark.slow
def test_a_daft_driver_killed_while_it_reads(texts, tmp_path):
    pytest.importorskip("daft", reason="the engine `daft` is not installed")
    path, expected = texts[1500]
    out = tmp_path / "groups.jsonl"
    driver_killed(path, out, "read", 3, "--engine", "daft", "--partitions", 4)
    assert out.read_bytes() == expected


@pytest.mark.long
@pytest.mark.parametrize(
    ("step", "count"), [("read", 10), ("exact", 1), ("buckets", 2), ("pairs", 1), ("links", 2), ("sort", 1)]
)
def test_a_daft_driver_killed_at_every_step(texts, tmp_path, step, count):
    pytest.importorskip("daft", reason="the engine `daft` is not installed")
    path, expected = texts[8_000]
    out = tmp_path / "groups.jsonl"
    driver_killed(path, out, step, count, "--engine", "daft", "--partitions", 16)
    assert out.read_bytes() == expected


SPARK = ("--engine", "spark", "--option", "master=local-cluster[2,1,1024]", "--partitions", 8)


@pytest.mark.long
@pytest.mark.parametrize("step", ["read", "buckets", "links"])
def test_a_spark_executor_killed(texts, tmp_path, step):
    """Two executors, each a process of its own with Python workers below; one of them goes."""
    pytest.importorskip("pyspark", reason="the engine `spark` is not installed")
    pytest.importorskip("pandas", reason="Spark's workers need pandas")
    path, expected = texts[8_000]
    out = tmp_path / "groups.jsonl"
    workers_killed(path, out, step, lambda told: "CoarseGrainedExecutorBackend" in told, *SPARK, most=1)
    assert out.read_bytes() == expected


@pytest.mark.long
def test_a_spark_driver_killed(texts, tmp_path):
    pytest.importorskip("pyspark", reason="the engine `spark` is not installed")
    pytest.importorskip("pandas", reason="Spark's workers need pandas")
    path, expected = texts[8_000]
    out = tmp_path / "groups.jsonl"
    driver_killed(path, out, "buckets", 1, *SPARK)
    assert out.read_bytes() == expected


RAY = ("--engine", "daft", "--option", "runner=ray", "--partitions", 8)


@pytest.mark.long
@pytest.mark.parametrize("step", ["read", "buckets", "links"])
def test_a_ray_worker_killed(texts, tmp_path, step):
    """The process in which Daft runs its steps on Ray goes."""
    pytest.importorskip("ray", reason="Ray is not installed")
    pytest.importorskip("daft", reason="the engine `daft` is not installed")
    path, expected = texts[8_000]
    out = tmp_path / "groups.jsonl"
    # A worker of Ray is called by what it does; the one that runs steps is neither an agent nor the keeper of the plan.
    others = ("Agent", "RemoteFlotillaRunner", "IDLE")

    def runs_steps(told):
        return told.startswith("ray::") and not any(one in told for one in others)

    workers_killed(path, out, step, runs_steps, *RAY)
    assert out.read_bytes() == expected


def test_ranges_are_the_only_thing_that_is_changed():
    """The command of these tests differs from the real one in the size of a task alone."""
    assert inputs.RANGE == 16 << 20
