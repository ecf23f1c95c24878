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


SHARES = [
    *(["--include-path", path] for path in ("/v1/select", "/v1/search", "/v2/rerank", "/v1/rerank", "/rerank")),
    ["--include-method", "GET"],
]


def fuzz(seconds: int, folder) -> None:
    """Run for so long, each door for its share; what the service counted says that every door was reached."""
    if importlib.util.find_spec("schemathesis") is None:
        pytest.skip("fuzzing the document needs schemathesis")
    seed, share = os.environ.get("REPARTO_SEED", "20260301"), max(2, seconds // len(SHARES))
    command = [
        sys.executable, "-W", "ignore", "-m", "schemathesis.cli", "run", "--checks", CHECKS, "--phases", "examples,coverage,fuzzing",
        "--max-examples", "2000", "--max-time", str(share), "--seed", seed, "--continue-on-failure", "--no-color",
        "--request-timeout", "30", "--suppress-health-check", "all", "--warnings", "off",
    ]  # fmt: skip
    # A batch beyond its limit is refused with 413, which the check does not know as a refusal.
    refusals = [400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 428, 429]
    settings = "\n".join(["[checks]", f"negative_data_rejection.expected-statuses = {[*map(str, refusals), '5xx']}"])
    (folder / "schemathesis.toml").write_text(settings.replace("'", '"'), encoding="utf-8")
    with as_process("--queue", "64", "--log-level", "error") as running:
        for one in SHARES:
            run = subprocess.run(
                [*command, *one, f"{running.url}/openapi.json"],
                capture_output=True,
                text=True,
                timeout=share + 90,
                cwd=folder,
                stdin=subprocess.DEVNULL,
            )
            assert run.returncode == 0, f"seed {seed}\n{run.stdout[-6000:]}{run.stderr[-1000:]}"
        text = httpx.get(f"{running.url}/metrics", trust_env=False, timeout=30).text
        assert running.stop() == 0
    reached = set(
        re.findall(r'^reparto_http_requests_total\{method="POST",route="([^"]+)",status="\d+"\}', text, re.MULTILINE)
    )
    assert {"/v1/select", "/v1/search", "/v2/rerank", "/v1/rerank", "/rerank"} <= reached
    assert not re.search(r'route="(?!/readyz)[^"]*",status="5', text)


@pytest.mark.slow
def test_the_document_holds_for_a_minute(tmp_path):
    fuzz(int(os.environ.get("REPARTO_FUZZ_SECONDS", "60")), tmp_path)


@pytest.mark.long
def test_the_document_holds_for_five_minutes(tmp_path):
    fuzz(300, tmp_path)


def test_every_schema_reference_leads_somewhere():
    from reparto.service.app import create_app

    document = create_app().openapi()
    known = set(document["components"]["schemas"])
    for name in re.findall(r"#/components/schemas/(\w+)", json.dumps(document)):
        assert name in known
