"""What ships beside the code: alert rules, systemd unit, container files. Checked by their own tools where those are here."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "yaml"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import yaml

from reparto.service.metrics import Metrics
from reparto.service.settings import Settings, fields

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def tool(name: str) -> str:
    import os

    beside = Path(sys.executable).with_name(name)  # what came as a package
    found = os.environ.get(f"REPARTO_{name.upper().replace('-', '_')}") or shutil.which(name)
    found = found or (str(beside) if beside.is_file() else None)
    if found is None:
        pytest.skip(f"{name} is not installed here (nor named by REPARTO_{name.upper().replace('-', '_')})")
    return found


def test_alert_rules_are_valid():
    run = subprocess.run(
        [tool("promtool"), "check", "rules", str(DEPLOY / "prometheus/alerts.yml")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_alert_rules_fire_when_they_should_and_only_then(tmp_path):
    command = [tool("promtool"), "test", "rules"]
    run = subprocess.run(
        [*command, str(DEPLOY / "prometheus/alerts_test.yml")], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stdout + run.stderr
    shutil.copy(DEPLOY / "prometheus/alerts.yml", tmp_path)
    wrong = (
        (DEPLOY / "prometheus/alerts_test.yml")
        .read_text(encoding="utf-8")
        .replace("30% of the passages", "31% of the passages")
    )
    (tmp_path / "alerts_test.yml").write_text(wrong, encoding="utf-8")
    assert (
        subprocess.run([*command, str(tmp_path / "alerts_test.yml")], capture_output=True, timeout=120).returncode != 0
    )


def test_alert_rules_name_metrics_that_the_service_has():
    text = Metrics({"version": "0"}).text().decode()
    known = set(re.findall(r"^# TYPE (reparto\w+)", text, re.MULTILINE))
    for rule in [
        one
        for group in yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
        for one in group["rules"]
    ]:
        for name in re.findall(r"(?<![:\w])reparto_\w+", rule["expr"]):
            assert re.sub(r"_(bucket|count|sum)$", "", name) in known, (name, sorted(known))


def test_every_alert_says_what_to_do_and_is_tested():
    rules = [
        one
        for group in yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
        for one in group["rules"]
    ]
    tested = (DEPLOY / "prometheus/alerts_test.yml").read_text(encoding="utf-8")
    for rule in rules:
        if "alert" in rule:
            assert {"summary", "description"} <= set(rule["annotations"])
            assert f"alertname: {rule['alert']}\n" in tested, rule["alert"]


def unit(**changes: str) -> str:
    text = (DEPLOY / "reparto.service").read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def test_the_unit_is_valid_and_exposes_little(tmp_path):
    analyze = tool("systemd-analyze")
    file = tmp_path / "reparto.service"
    # The path that the unit names is the installer's; here, the interpreter stands for it.
    file.write_text(unit().replace("/opt/reparto/bin/reparto", sys.executable), encoding="utf-8")
    run = subprocess.run([analyze, "verify", str(file)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    run = subprocess.run(
        [analyze, "security", "--offline=true", "--threshold=20", str(file)], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stdout[-300:]


def test_the_units_command_line_is_understood():
    from click.testing import CliRunner

    from reparto.cli.serve import command

    line = re.search(r"^ExecStart=\S+ serve (.*)$", unit(), re.MULTILINE)[1]
    arguments = (
        line.replace("%d", "/run/credentials").replace("/etc/reparto/serve.toml", str(DEPLOY / "serve.toml")).split()
    )
    real, seen = command.callback, {}
    command.callback = lambda **given: seen.update(given)
    try:
        result = CliRunner().invoke(command, arguments)
    finally:
        command.callback = real
    assert result.exit_code == 0, result.output
    assert Settings(**seen).log == "/var/lib/reparto/selections.jsonl"


def test_the_image_runs_as_nobody_in_particular():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    last = text.rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert 'ENTRYPOINT ["reparto", "serve"]' in last
    assert "cargo" not in last
    names = {f"REPARTO_SERVE_{field.name.upper()}" for field in fields()}
    assert set(re.findall(r"REPARTO_SERVE_\w+", text)) <= names
    ignore = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    for source in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE):
        for one in source.split():
            assert (ROOT / one).exists(), one
            assert f"!{one}" in ignore or f"!{one}/" in ignore, one


def test_the_image_has_nothing_that_a_linter_minds(tmp_path):
    lint, file = tool("hadolint"), DEPLOY / "Dockerfile"
    run = subprocess.run([lint, str(file)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (0, "")
    worse = tmp_path / "Dockerfile"
    worse.write_text(file.read_text(encoding="utf-8") + "WORKDIR elsewhere\nUSER root\n", encoding="utf-8")
    run = subprocess.run([lint, str(worse)], capture_output=True, text=True, timeout=60)
    assert run.returncode != 0
    assert {"DL3000", "DL3002"} <= set(re.findall(r"DL\d+", run.stdout))


def test_the_composition_is_valid_by_its_own_schema(tmp_path):
    compose, file = tool("docker-compose"), DEPLOY / "compose.yaml"
    run = subprocess.run([compose, "-f", str(file), "config"], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    read = yaml.safe_load(run.stdout)
    assert set(read["services"]) == {"reparto", "prometheus"}
    assert read["services"]["reparto"]["build"]["context"] == str(ROOT)
    worse = tmp_path / "compose.yaml"
    worse.write_text(file.read_text(encoding="utf-8").replace("cap_drop", "cap_dorp"), encoding="utf-8")
    assert subprocess.run([compose, "-f", str(worse), "config"], capture_output=True, timeout=120).returncode != 0


def test_the_image_is_built_with_a_compiler_that_the_kernels_can_use():
    """Kernels are optional where a package is installed; an image that lacks them is a mistake, and its build says so."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    wanted = re.search(
        r'^rust-version = "([\d.]+)"', (ROOT / "native/Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    used = re.search(r"^FROM rust:([\d.]+)-", text, re.MULTILINE)
    assert wanted is not None and used is not None
    assert tuple(map(int, used[1].split("."))) >= tuple(map(int, wanted[1].split(".")))
    assert "REPARTO_KERNELS=native /opt/reparto/bin/reparto doctor" in text


def test_the_composition_gives_the_service_no_more_than_it_needs():
    file = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    service = file["services"]["reparto"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for one in file["services"].values() for port in one["ports"])
    scrape = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"][0]
    assert scrape["static_configs"][0]["targets"] == ["reparto:8642"]


READ_ONLY = "mount --make-rprivate / && mount -o remount,ro,bind / && mount -t tmpfs tmpfs {state} && chown 10001 {state} && exec setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set -all"


def test_it_serves_without_rights_on_a_read_only_file_system(request):
    """As in the image, without one: a mount namespace of its own, everything read-only but the place of the log."""
    import httpx

    from reparto.service import testing

    unshare, state = tool("unshare"), Path(tempfile.mkdtemp())  # not below a folder that only its owner may enter
    request.addfinalizer(lambda: shutil.rmtree(state))
    state.chmod(0o755)
    wrap = READ_ONLY.format(state=state)
    probe = subprocess.run(
        [unshare, "-m", "sh", "-c", f"{wrap} {sys.executable} -B -c 'import reparto'"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    if probe.returncode != 0:
        pytest.skip(f"no mount namespace to be had here: {probe.stderr.strip()[-200:]}")
    refused = subprocess.run([unshare, "-m", "sh", "-c", f"{wrap} touch {ROOT}/x"], capture_output=True, timeout=60)
    assert refused.returncode != 0
    with testing.as_process(
        "--log", str(state / "log.jsonl"), wrapper=(unshare, "-m", "sh", "-c", f'{wrap} "$@"', "sh")
    ) as running:
        answer = httpx.post(f"{running.url}/v1/select", json=[{"id": "a", "score": 1, "text": "one"}], trust_env=False)
        assert answer.status_code == 200
        assert running.stop(signal.SIGTERM) == 0
