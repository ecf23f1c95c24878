"""`reparto import --store DIR FILE`: what `reparto export` wrote, into a store."""

from __future__ import annotations

import json
from pathlib import Path

import click

from reparto.cli.storing import embedder_option, progress, store_option


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@store_option
@embedder_option
@click.option("--kind", metavar="NAME", help="Kind of a new store.")
@click.option("--dry-run", is_flag=True, help="Say what would change; change nothing.")
def command(
    file: Path, where: str, embedder: str | None, embedder_url: str | None, kind: str | None, dry_run: bool
) -> None:
    """Put the documents of FILE into a store, made if there is none.

    Their chunks and vectors are taken over where chunker and embedder are the same, and made anew where not.
    """
    from reparto.corpus.moving import Imported
    from reparto.corpus.setup import Wanted, prepared

    imported = Imported(file)
    made = imported.made_with()
    named = embedder or (made.embedder["name"] if made and made.embedder else None)
    chunker = dict(made.chunker) if made else {}
    wanted = Wanted(
        where,
        kind,
        chunker.get("name"),
        chunker.get("max_characters"),
        chunker.get("overlap"),
        named or ("none" if made else None),
        embedder_url,
    )
    with prepared(wanted, dry_run) as indexer, progress("importing") as tick:
        summary = indexer.index(imported, dry_run=dry_run, tick=tick, vectors=imported.vectors(indexer))
    click.echo(json.dumps(summary.to_dict(), ensure_ascii=False))
