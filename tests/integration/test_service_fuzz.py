"""Schemathesis over the OpenAPI document: no 5xx, no answer that the document does not describe, bad data refused."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import httpx

from reparto.service.testing import as_process

# Not asked: that whatever fits the schema is accepted. JSON Schema cannot say that ids differ, that start <= end, that a
# class is known, or which keys of a policy go together; those are faults with a 422 of their own.
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,negative_data_rejection,unsupported_method"
)


def fuzz(seconds: int, folder) -> dict[str, int]:
    """Run for so long; the number of answers by door and kind of status, as the service counted them."""
    if importlib.util.find_spec("schemathesis") is None:
        pytest.skip("fuzzing the document needs schemathesis")
    seed = os.environ.get("REPARTO_SEED", "20260301")
    command = [
        sys.executable, "-W", "ignore", "-m", "schemathesis.cli", "run", "--checks", CHECKS, "--phases", "examples,coverage,fuzzing",
        "--max-examples", "2000", "--max-time", str(seconds), "--seed", seed, "--continue-on-failure", "--no-color",
        "--request-timeout", "30", "--suppress-health-check", "all", "--warnings", "off",
    ]  # fmt: skip
    with as_process("--queue", "64", "--log-level", "error") as running:
        run = subprocess.run(
            [*command, f"{running.url}/openapi.json"],
            capture_output=True,
            text=True,
            timeout=seconds + 90,
            cwd=folder,
            stdin=subprocess.DEVNULL,
        )
        text = httpx.get(f"{running.url}/metrics", trust_env=False, timeout=30).text
        assert running.stop() == 0
    assert run.returncode == 0, f"seed {seed}\n{run.stdout[-6000:]}{run.stderr[-1000:]}"
    found: dict[str, int] = {}
    for route, status, number in re.findall(
        r'^reparto_http_requests_total\{method="\w+",route="([^"]+)",status="(\d)\d\d"\} (\S+)$', text, re.MULTILINE
    ):
        found[f"{route} {status}xx"] = found.get(f"{route} {status}xx", 0) + int(float(number))
    return found


def check(found: dict[str, int]) -> None:
    """Every door was reached on both sides of its border."""
    for door in ("/v1/select", "/v2/rerank", "/v1/rerank", "/rerank"):
        assert found.get(f"{door} 2xx", 0) > 3, found
        assert found.get(f"{door} 4xx", 0) > 3, found
    assert not [key for key in found if key.endswith("5xx") and key != "/readyz 5xx"]


@pytest.mark.slow
def test_the_document_holds_for_a_minute(tmp_path):
    check(fuzz(int(os.environ.get("REPARTO_FUZZ_SECONDS", "60")), tmp_path))


@pytest.mark.long
def test_the_document_holds_for_five_minutes(tmp_path):
    check(fuzz(300, tmp_path))


def test_every_schema_reference_leads_somewhere():
    from reparto.service.app import create_app

    document = create_app().openapi()
    known = set(document["components"]["schemas"])
    for name in re.findall(r"#/components/schemas/(\w+)", json.dumps(document)):
        assert name in known
