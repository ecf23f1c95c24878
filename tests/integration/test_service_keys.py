"""Who is let in: API keys from environment and file, loopback only without them, and nothing secret in a log."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import httpx

from reparto.service.keys import Keys, host_name
from reparto.service.settings import Settings, is_loopback
from reparto.service.testing import in_thread

KEY, OTHER = "key-of-the-first-caller", "ñ-key-of-the-second-caller"
BODY = [{"id": "a", "score": 1, "text": "one passage"}]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    file = tmp_path_factory.mktemp("keys") / "keys"
    file.write_text(f"# callers\n\n  {OTHER}  \n", encoding="utf-8")
    os.environ["REPARTO_API_KEYS"] = f"{KEY}, another-key-in-the-list"
    try:
        with (
            in_thread(Settings(api_keys=str(file))) as running,
            httpx.Client(base_url=running.url, trust_env=False) as client,
        ):
            yield client
    finally:
        del os.environ["REPARTO_API_KEYS"]


GOOD = [
    {"authorization": f"Bearer {KEY}"}, {"authorization": f"bearer   {KEY}"}, {"x-api-key": KEY}, {"x-api-key": "another-key-in-the-list"},
    {"authorization": "Bearer " + OTHER}, {"authorization": "Basic " + base64.b64encode(f"me:{KEY}".encode()).decode()},
    {"authorization": "Bearer wrong", "x-api-key": KEY},
]  # fmt: skip
BAD = [
    {}, {"authorization": KEY}, {"authorization": "Bearer"}, {"authorization": f"Bearer {KEY}x"}, {"authorization": f"Bearer {KEY[:-1]}"},
    {"x-api-key": ""}, {"authorization": "Basic !!"}, {"authorization": "Basic " + base64.b64encode(b"me:").decode()}, {"cookie": f"key={KEY}"},
]  # fmt: skip


@pytest.mark.parametrize("headers", GOOD)
def test_a_key_lets_in(guarded, headers):
    raw = [(name.encode(), value.encode("utf-8")) for name, value in headers.items()]
    assert guarded.post("/v1/select", json=BODY, headers=raw).status_code == 200


@pytest.mark.parametrize("headers", BAD)
@pytest.mark.parametrize("path", ["/v1/select", "/v2/rerank", "/metrics", "/v1/contract", "/openapi.json", "/nothing"])
def test_no_key_no_entry(guarded, headers, path):
    answer = guarded.request("POST" if path.endswith(("select", "rerank")) else "GET", path, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["errors"][0]["code"] == "unauthorized"
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_key_in_the_query_string_is_none(guarded):
    assert guarded.get(f"/metrics?key={KEY}").status_code == 401


def test_probes_need_no_key(guarded):
    assert guarded.get("/healthz").status_code == 200
    assert guarded.get("/readyz").status_code == 200


def test_the_document_says_which_keys(guarded):
    document = guarded.get("/openapi.json", headers={"x-api-key": KEY}).json()
    assert document["security"] == [{"bearer": []}, {"key": []}]


def test_keys_are_not_kept_in_the_clear():
    keys = Keys([KEY])
    assert keys.accept(KEY.encode())
    assert not keys.accept(b"")
    assert KEY not in repr(vars(keys))


def test_every_host_is_answered_to_when_keys_guard(guarded):
    assert guarded.get("/healthz", headers={"host": "reparto.internal"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_which_addresses_are_this_machine_alone(host, loopback):
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(
    ("given", "name"), [("A.Example:80", "a.example"), ("[::1]:80", "[::1]"), ("::1", ""), ("localhost", "localhost")]
)
def test_host_names(given, name):
    assert host_name(given) == name


def serve(*arguments: str, **environ: str) -> subprocess.CompletedProcess:
    code = "from reparto.cli import main; main()"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("REPARTO_")}
    return subprocess.run(
        [sys.executable, "-c", code, "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**clean, **environ},
    )


def test_another_address_without_a_key_is_refused():
    run = serve("--host", "0.0.0.0", "--port", "0")
    assert run.returncode == 2
    assert "open_to_all" in run.stderr
    assert "REPARTO_API_KEYS" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "environ", "said"),
    [
        (["--port", "-1"], {}, "not in the range"), (["--por", "1"], {}, "--port"), ([], {"REPARTO_SERVE_PORT": "x"}, "not a valid integer"),
        (["--scorer", "lexicla"], {}, "did you mean 'lexical'"), (["--log-level", "loud"], {}, "log_level"), (["--contract", "nowhere.toml"], {}, "nowhere.toml"),
        (["--settings", "nowhere.toml"], {}, "nowhere.toml"), (["--api-keys", "nowhere"], {}, "nowhere"), (["--upstream", "ftp://x"], {}, "http"),
        (["--host", "no.such.host.invalid", "--force"], {}, "cannot_listen"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_named(arguments, environ, said, tmp_path):
    run = serve(*arguments, **environ)
    assert run.returncode == 2, run.stderr
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_a_settings_file_gives_way_to_environment_and_flags(tmp_path):
    from click.testing import CliRunner

    from reparto.cli.serve import command

    file = tmp_path / "serve.toml"
    file.write_text(
        'body_bytes = 11\nqueue = 22\nseats = 33\nallow_policy = false\nhost = "127.0.0.2"\n', encoding="utf-8"
    )
    seen = {}
    command_ = command.callback
    command.callback = lambda **given: seen.update(given)
    try:
        result = CliRunner().invoke(
            command, ["--settings", str(file), "--seats", "35"], env={"REPARTO_SERVE_QUEUE": "24"}
        )
    finally:
        command.callback = command_
    assert result.exit_code == 0, result.output
    assert (seen["body_bytes"], seen["queue"], seen["seats"], seen["allow_policy"], seen["host"]) == (
        11,
        24,
        35,
        False,
        "127.0.0.2",
    )
    assert Settings(**seen).threads >= 1


def test_an_unknown_setting_in_the_file_is_named(tmp_path):
    file = tmp_path / "serve.toml"
    file.write_text("body_byte = 11\nseats = [1]\n", encoding="utf-8")
    run = serve("--settings", str(file))
    assert run.returncode == 2
    assert "did you mean 'body_bytes'" in run.stderr
    assert "seats" in run.stderr


def test_logs_hold_neither_texts_nor_keys(caplog, monkeypatch):
    monkeypatch.setenv("REPARTO_API_KEYS", KEY)
    caplog.set_level(10)
    with in_thread() as running:
        httpx.post(f"{running.url}/v1/select?q=secret-question", json=BODY, headers={"x-api-key": KEY}, trust_env=False)
    ours = [record for record in caplog.records if record.name.startswith(("reparto", "uvicorn"))]
    data = json.dumps([[record.getMessage(), getattr(record, "data", {})] for record in ours])
    assert '"status": 200' in data
    for secret in (KEY, "one passage", "secret-question"):
        assert secret not in data
