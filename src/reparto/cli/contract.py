"""`reparto contract`: check, show, schema, init."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import click

from reparto.cli.errors import say
from reparto.contract import Contract
from reparto.contract.schema import contract_schema
from reparto.errors import ContractError, Problem


@click.group()
def command() -> None:
    """Look at contracts: what each query class is promised."""


@command.command()
@click.argument("file")
def check(file: str) -> int:
    """Check FILE; every problem is named with its key."""
    contract = Contract.load(file)
    for name in contract.classes:
        contract.resolve(name)
    say(f"{file}: right; classes {', '.join(contract.classes)}; digest {contract.digest}")
    return 0


@command.command()
@click.argument("file", required=False)
@click.option("--class", "query_class", metavar="NAME", help="Only this class.")
def show(file: str | None, query_class: str | None) -> int:
    """Show the merged policy of each class, as JSON."""
    contract = Contract.load(file) if file else Contract()
    wanted = [query_class] if query_class else list(contract.classes)
    shown = {
        "version": contract.version,
        "digest": contract.digest,
        "default_class": contract.default_class,
        "classes": {name: dict(contract.resolve(name).layers) for name in wanted},
        "alerts": contract.alerts,
    }
    click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    return 0


@command.command()
def schema() -> int:
    """Print the JSON Schema of a contract."""
    click.echo(json.dumps(contract_schema(), indent=2))
    return 0


@command.command()
@click.argument("file", default="reparto.toml")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def init(file: str, force: bool) -> int:
    """Write the built-in contract to FILE, as a start for your own."""
    target = Path(file)
    if target.exists() and not force:
        raise ContractError(Problem("exists", f"{file} exists", "name another file, or give --force"))
    text = files("reparto.contract").joinpath("builtin.toml").read_text(encoding="utf-8")
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = f"{file}: {error.strerror}"
        raise ContractError(Problem("unwritable", reason, "give a path that can be written")) from error
    say(f"wrote {file}")
    return 0
