"""`reparto export --store DIR FILE`: everything a store holds, as Parquet."""

from __future__ import annotations

import json
from pathlib import Path

import click

from reparto.cli.storing import opened, store_option


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@store_option
def command(file: Path, where: str) -> None:
    """Write the documents of a store to FILE (Parquet), with the vectors of their chunks.

    `reparto import` reads it back: for moves, upgrades and backups. FILE is written whole or not at all.
    """
    from reparto.corpus.moving import export

    with opened(where) as store:
        documents = export(store, file)
    click.echo(json.dumps({"documents": documents, "file": str(file)}, ensure_ascii=False))
