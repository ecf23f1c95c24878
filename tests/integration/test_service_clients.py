"""Unmodified clients of reranking APIs over a real socket: each gets a diversified order and loses no document.

Each client is a small program in tests/integration/clients, run by whichever Python has it: this one, `.venv-clients*`
beside the project's files, or those that REPARTO_CLIENTS_PYTHON lists.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "yaml"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

from reparto.service.settings import Settings
from reparto.service.testing import in_thread

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "clients"
WIRE = "The river rose above four metres on Tuesday night and the old bridge was closed to traffic, the town hall said."
DOCUMENTS = [
    WIRE, WIRE, f"{WIRE} (Agency)", "Farmers upstream count their losses: two hundred hectares of orchards under water after the flood.",
    WIRE, "What a flood alert means: level one is watch, level two is prepare, level three is leave the ground floor.",
    "The insurer expects eleven million in claims from the river flood, most of them for cellars and parked cars.",
]  # fmt: skip
COPIES = {0, 1, 2, 4}
CLIENTS = [
    ("cohere_v1", "cohere", "5"), ("cohere_v2", "cohere", "5"), ("cohere_v1", "cohere", "7"), ("cohere_v2", "cohere", "7"),
    ("langchain_cohere_rerank", "langchain_cohere", None), ("llama_index_cohere", "llama_index.postprocessor.cohere_rerank", None),
    ("llama_index_tei", "llama_index.postprocessor.tei_rerank", None),
    ("haystack_cohere", "haystack_integrations.components.rankers.cohere", None), ("voyage_client", "voyageai", None),
]  # fmt: skip
PROVIDERS = ("cohere", "jina_ai", "hosted_vllm", "huggingface", "infinity", "together_ai", "voyage")


@pytest.fixture(scope="module")
def url():
    with in_thread(Settings(log_level="error")) as running:
        yield running.url


@cache
def pythons() -> tuple[str, ...]:
    listed = os.environ.get("REPARTO_CLIENTS_PYTHON", "").split(os.pathsep)
    beside = [str(one) for one in sorted(ROOT.glob(".venv-clients*/bin/python"))]
    return tuple(one for one in [*listed, *beside, sys.executable] if one)


@cache
def python_with(module: str, major: str | None) -> str | None:
    """The first Python that has the module, and of `cohere` the wanted major version."""
    test = f"import importlib.util as u, importlib.metadata as m, sys; sys.exit(not u.find_spec({module!r})"
    test += f" or not m.version({module!r}).startswith({major + '.'!r}))" if major else ")"
    for one in pythons():
        if subprocess.run([one, "-W", "ignore", "-c", test], capture_output=True, timeout=60).returncode == 0:
            return one
    return None


def orders(program: str, module: str, major: str | None, url: str, *more: str) -> list[list[tuple[int, float]]]:
    """What the client prints, a line an answer: its version, then index:score in its order."""
    python = python_with(module, major)
    if python is None:
        pytest.skip(f"no Python here has {module}{f' {major}.x' if major else ''}: see requirements/clients.txt")
    environ = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
        "NO_PROXY": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
    }
    run = subprocess.run(
        [python, str(PROGRAMS / f"{program}.py"), url, "river flood", *more],
        input="\x1e".join(DOCUMENTS), capture_output=True, text=True, timeout=120, env=environ,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    lines = [line.split()[1:] for line in run.stdout.splitlines() if ":" in line]
    return [[(int(index), float(score)) for index, _, score in (one.partition(":") for one in line)] for line in lines]


def check(found: list[tuple[int, float]]) -> None:
    assert sorted(index for index, _ in found) == list(range(len(DOCUMENTS)))
    by_score = [index for index, _ in sorted(found, key=lambda one: -one[1])]
    seats = by_score[:4]
    assert len(COPIES & set(seats)) == 1
    assert {3, 5, 6} <= set(seats)


@pytest.mark.slow
@pytest.mark.parametrize(("program", "module", "major"), CLIENTS, ids=lambda one: str(one))
def test_a_client(url, program, module, major):
    (found,) = orders(program, module, major, url)
    check(found)


@pytest.mark.slow
def test_litellm_by_every_provider_that_reaches_these_doors(url):
    found = orders("litellm_rerank", "litellm", None, url, *PROVIDERS)
    assert len(found) == len(PROVIDERS)
    for one in found:
        check(one)
