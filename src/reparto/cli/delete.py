"""`reparto delete ID… --store DIR`: remove documents; copies and leaders are settled anew."""

from __future__ import annotations

import json

import click

from reparto.cli.storing import store_option
from reparto.corpus.setup import Wanted, prepared, rebuild
from reparto.stores.opening import open_store


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@store_option
@click.option("--erase", is_flag=True, help="Leave no trace in free space and old versions: the store is rewritten.")
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
def command(ids: tuple[str, ...], where: str, erase: bool, dry_run: bool) -> None:
    """Remove documents by id. Where one led a group of copies, the next of them takes its place.

    An id that is not in the store is an error, and nothing is removed.
    """
    open_store(where).close()
    wanted = Wanted(where)
    with prepared(wanted) as indexer:
        summary = indexer.delete(ids, dry_run=dry_run)
    if erase and not dry_run:
        rebuild(wanted, same=True)
    click.echo(json.dumps(summary.to_dict(), ensure_ascii=False))
