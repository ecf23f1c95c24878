"""`reparto index PATH… --store DIR`: read, chunk, embed, store, group; incremental, safe against a kill."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from reparto.cli.errors import BAD_INPUT, FAILED, say
from reparto.cli.storing import embedder_option, progress, store_option


@click.command("index", short_help="Read documents into a store: incremental, copies counted.")
@click.argument("paths", nargs=-1, metavar="PATH…")
@store_option
@embedder_option
@click.option("--kind", metavar="NAME", help="Kind of a new store. Default: lancedb where installed, else sqlite.")
@click.option("--reader", metavar="NAME", help="Read everything as this format, whatever the suffix.")
@click.option("--root", type=click.Path(path_type=Path), help="Ids of files are relative to this folder.")
@click.option("--chunker", metavar="NAME", help="Chunker of a new store. Default: the best one installed.")
@click.option("--chunk-size", type=click.IntRange(1), metavar="N", help="Characters a chunk, at most (1600).")
@click.option("--chunk-overlap", type=click.IntRange(0), metavar="N", help="Characters neighbours share (160).")
@click.option("--stem", metavar="LANGUAGE", help="Stem the words of a new store, for example spanish.")
@click.option("--rebuild", is_flag=True, help="Make the store anew from what it holds, with what is asked for now.")
@click.option("--dry-run", is_flag=True, help="Say what would change; change nothing.")
@click.option("--strict", is_flag=True, help="Exit 1 when anything had to be skipped.")
@click.option("--allow-private", is_flag=True, help="Fetch addresses of private networks too.")
def command(paths: tuple[str, ...], where: str, dry_run: bool, strict: bool, **options: Any) -> int:
    """Read documents and store them, each under its `id`: loading one again replaces it.

    A PATH is a file (JSONL, CSV, Parquet, text, Markdown, HTML, PDF, mail, RSS or Atom), a folder, an http(s)
    address or `-` for JSONL on standard input. What cannot be read is named and skipped. Prints a summary as
    JSON.
    """
    from reparto.corpus.readers import Inputs
    from reparto.corpus.setup import Wanted, prepared, rebuild

    if not paths and not options["rebuild"]:
        raise click.UsageError("name at least one PATH, or `-` for standard input")
    names = ("kind", "chunker", "chunk_size", "chunk_overlap", "embedder", "embedder_url", "stem")
    wanted = Wanted(where, **{name: options[name] for name in names})
    if options["rebuild"]:
        with progress("rebuilding") as tick:
            rebuild(wanted, tick=tick)
    with prepared(wanted, dry_run) as indexer, progress("indexing") as tick:
        inputs = Inputs(paths, options["reader"], options["root"], options["allow_private"])
        summary = indexer.index(inputs, dry_run=dry_run, tick=tick)
    for problem in summary.skipped:
        say(f"skipped: {problem}")
    click.echo(json.dumps(summary.to_dict(), ensure_ascii=False))
    if summary.skipped:
        say(f"{len(summary.skipped)} skipped, {summary.read} read")
    if summary.skipped and not summary.read:
        return BAD_INPUT
    return FAILED if summary.skipped and strict else 0
