"""`reparto demo`: the whole funnel on the shipped example feed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from reparto.contract import Contract
    from reparto.demo.stored import Stored


@click.command("demo", short_help="The whole funnel on the shipped example feed.")
@click.option("--contract", metavar="FILE", help="Contract (TOML) over the built-in one.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "feed", "documents"]),
    default="table",
    show_default=True,
    help="`feed` prints the bank itself, `documents` its texts as documents for `reparto index`.",
)
def command(contract: str | None, form: str) -> None:
    """Show what the ranker alone delivers beside the selection, query by query, with the figures.

    The feed is an evening without light in a fictional city, told by sixty passages in English and Spanish:
    one agency story in a dozen outlets, its correction, accounts of people who saw something else, a report
    in chunks, a council's site, a thread of mail. Its facts are annotated.
    """
    from reparto.demo import documents, feed

    if form in ("feed", "documents"):
        for line in feed() if form == "feed" else documents():
            click.echo(json.dumps(line, ensure_ascii=False))
        return
    from reparto.contract import Contract
    from reparto.demo.funnel import funnel

    policy = Contract.load(contract) if contract else Contract()
    shown = funnel(policy)
    index = _indexed(shown[0].selection.query, shown[0].selection.query_class, policy)
    if form == "json":
        found = {"left_out": index} if isinstance(index, str) else index.to_dict()
        queries = [one.to_dict() for one in shown]
        click.echo(json.dumps({"queries": queries, "index": found}, ensure_ascii=False))
    elif sys.stdout.isatty():
        from rich.console import Console

        from reparto.demo.tables import tables

        Console(highlight=False).print(tables(shown, index))
    else:
        from reparto.demo.tables import plain

        click.echo(plain(shown, index), nl=False)


def _indexed(query: str, query_class: str, contract: Contract) -> Stored | str:
    """Search the indexed feed; where this installation can make no store, say why instead."""
    from reparto.demo.stored import stored
    from reparto.errors import RepartoError

    try:
        return stored(query, query_class, contract)
    except RepartoError as error:
        return str(error)
