"""The image, built and run without a daemon: buildah runs every instruction of deploy/Dockerfile, podman the result.

The two base images are pulled where a registry is reached (REPARTO_IMAGE_BASES=pull). Elsewhere others stand in for them:
the same distribution by debootstrap, with its own Python, or with this machine's Rust toolchain at the official place.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

httpx = pytest.importorskip("httpx", reason="the service needs the extra `service`")

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "deploy" / "Dockerfile"
KEY = "0123456789abcdef0123"
NEEDED = ("buildah", "podman", "runc", "debootstrap", "rustc")
PACKAGES = "ca-certificates,python3,python3-venv"


def run(*command: str, seconds: int = 120) -> str:
    found = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=ROOT)
    assert found.returncode == 0, f"{' '.join(command)}\n{found.stdout[-2000:]}{found.stderr[-2000:]}"
    return found.stdout.strip()


def stand_ins(buildah: tuple[str, ...], folder: Path) -> None:
    """Local images by the names that the file asks for."""
    system = folder / "system"
    suite = "bookworm"
    run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(system), seconds=1200)
    (system / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    bundle = Path("/etc/ssl/certs/ca-certificates.crt")
    shutil.copy(bundle, system / bundle.relative_to("/"))
    toolchain = Path(run("rustc", "--print", "sysroot"))
    for name in re.findall(r"^FROM ((?:rust|python):\S+)", FILE.read_text(encoding="utf-8"), re.MULTILINE):
        one = run(*buildah, "from", "scratch")
        run(*buildah, "copy", one, str(system), "/", seconds=600)
        if name.startswith("rust"):
            for part in ("bin", "lib"):
                run(*buildah, "copy", one, str(toolchain / part), f"/usr/local/cargo/{part}", seconds=600)
            run(*buildah, "copy", one, str(system / "srv"), "/usr/local/rustup")
        run(*buildah, "config", "--env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", one)
        run(*buildah, "commit", one, f"docker.io/library/{name}", seconds=600)
        run(*buildah, "rm", one)


@contextmanager
def storage() -> Iterator[tuple[Path, tuple[str, ...]]]:
    """A folder, and the options that keep images and containers in it; its path must be short (podman's sockets)."""
    folder = Path(tempfile.mkdtemp(prefix="image", dir="/tmp"))
    try:
        yield folder, ("--root", str(folder / "store"), "--runroot", str(folder / "run"))
    finally:
        for mount in reversed(Path("/proc/mounts").read_text(encoding="utf-8").splitlines()):
            if (place := mount.split()[1]).startswith(str(folder)):
                subprocess.run(["umount", place], check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.long
def test_the_image_is_built_and_serves_without_rights():
    missing = [one for one in NEEDED if shutil.which(one) is None]
    if missing or os.geteuid() != 0:
        pytest.skip(f"not to be built here: {', '.join(missing) or 'only root may'}")
    with storage() as (folder, options):
        buildah, podman = ("buildah", *options), ("podman", *options, "--cgroup-manager=cgroupfs", "--runtime=runc")
        pull = os.environ.get("REPARTO_IMAGE_BASES") == "pull"
        if not pull:
            stand_ins(buildah, folder)
        pip = ["--volume", "/etc/pip.conf:/etc/pip.conf:ro"] if Path("/etc/pip.conf").exists() else []
        ignore = f"--ignorefile={FILE}.dockerignore"
        build = ["build", "--format=docker", "--isolation=chroot", f"--pull={'missing' if pull else 'never'}", ignore]
        said = run(*buildah, *build, *pip, "-f", str(FILE), "-t", "reparto", ".", seconds=3000)
        assert re.search(r"^kernels +native$", said, re.MULTILINE)
        serves(podman)


def serves(podman: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    limits = ["--read-only", "--tmpfs", "/tmp:size=64m,mode=1777,noexec,nosuid", "--cap-drop=ALL", "--network=host"]
    limits += ["--security-opt=no-new-privileges", "--ulimit=nofile=1024:1024", "--ulimit=nproc=4096:4096"]
    named = ["-e", f"REPARTO_SERVE_PORT={port}", "-e", f"REPARTO_API_KEYS={KEY}"]
    log = "/var/lib/reparto/selections.jsonl"
    one = run(*podman, "run", "-d", *limits, *named, "localhost/reparto", "--log", log)
    url, until = f"http://127.0.0.1:{port}", time.monotonic() + 60
    with httpx.Client(base_url=url, trust_env=False, timeout=10) as client:
        while True:
            try:
                if client.get("/readyz").status_code == 200:
                    break
            except httpx.HTTPError:
                pass
            assert time.monotonic() < until, run(*podman, "logs", one)
            time.sleep(0.2)
        assert client.get("/healthz").json()["kernels"]["name"] == "native"
        body = [{"id": "a", "score": 1, "text": "one"}]
        assert client.post("/v1/select", json=body).status_code == 401
        answer = client.post("/v1/select", json=body, headers={"X-API-Key": KEY})
        assert answer.json()["seats"][0]["id"] == "a"
    assert run(*podman, "exec", one, "id", "-u") == "10001"
    for place in ("/x", "/opt/reparto/x"):
        with pytest.raises(AssertionError, match="Read-only file system"):
            run(*podman, "exec", one, "touch", place)
    status = run(*podman, "exec", one, "cat", "/proc/1/status")
    assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
    assert len(run(*podman, "exec", one, "cat", log).splitlines()) == 1
    inspected = json.loads(run(*podman, "inspect", one))[0]
    # The port is another here: of the check, what it asks and with which program.
    assert "/readyz" in str(inspected["Config"]["Healthcheck"])
    assert inspected["Config"]["StopSignal"] in (signal.SIGTERM, "SIGTERM")
    run(*podman, "stop", "-t", "15", one)
    assert json.loads(run(*podman, "inspect", one))[0]["State"]["ExitCode"] == 0
    run(*podman, "rm", one)
