"""`reparto dedupe INPUT… --out GROUPS`: copies of a corpus, each with its leader; nothing is deleted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from reparto.cli.errors import BAD_INPUT, FAILED, say
from reparto.cli.options import pairs_of


@click.command("dedupe", short_help="Group the copies of a corpus, multiplicity kept.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT…")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="GROUPS", help="GROUPS.parquet or GROUPS.jsonl."
)
@click.option("--engine", default="local", metavar="NAME", help="local (default), daft or spark.")
@click.option(
    "--state", type=click.Path(path_type=Path), metavar="DIR", help="Keep what is needed to add documents later."
)
@click.option("--work", type=click.Path(path_type=Path), metavar="DIR", help="Scratch folder (default: GROUPS.work).")
@click.option(
    "--resemblance", type=float, default=0.6, show_default=True, metavar="R", help="Least shingle Jaccard; 0 is off."
)
@click.option(
    "--containment", type=float, default=0.8, show_default=True, metavar="C", help="Least share contained; 0 is off."
)
@click.option("--revisions", default="keep", show_default=True, metavar="HOW", help="keep apart, or collapse.")
@click.option(
    "--seed", type=int, default=0, envvar="REPARTO_SEED", metavar="N", help="Secret of the hashes (REPARTO_SEED)."
)
@click.option("--reader", metavar="NAME", help="Read everything as this format, whatever the suffix.")
@click.option("--root", type=click.Path(path_type=Path), help="Ids of files are relative to this folder.")
@click.option("--partitions", type=click.IntRange(1), metavar="N", help="Partitions of a distributed engine.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Setting of the engine; repeat for more."
)
@click.option("--strict", is_flag=True, help="Exit 1 when anything had to be skipped.")
def command(
    inputs: tuple[str, ...], out: Path, engine: str, state: Path | None, work: Path | None, strict: bool, **options: Any
) -> int:
    """Group the copies among the documents of INPUT and write one row a document to GROUPS.

    An INPUT is a file (JSONL, CSV, Parquet, text, Markdown, HTML, PDF, mail, feeds), a folder, an address, or `-` for
    JSONL on standard input. A run that was killed goes on where it was when it is started again. With --state DIR a
    later run adds its documents to those before, and writes the groups of all. Prints an account as JSON.
    """
    from reparto import registry
    from reparto.cli.dedupe_progress import progress
    from reparto.corpus.job import Job
    from reparto.corpus.settings import Settings

    settings = Settings.at(
        options["resemblance"] or None,
        containment=options["containment"] or None,
        revisions=options["revisions"],
        seed=options["seed"],
    )
    runner = registry.load("engines", engine, "engine")()
    folder = state or work or out.with_name(f"{out.name}.work")
    with progress() as tick:
        job = Job(
            inputs, out, folder, settings, options["reader"], options["root"],
            state is not None, engine, options["partitions"], pairs_of(options["options"]), tick,
        )  # fmt: skip
        account = runner.run(job)
    for problem in account.skipped:
        say(f"skipped: {problem}")
    click.echo(json.dumps(account.to_dict(), ensure_ascii=False))
    if account.skipped and not account.documents:
        return BAD_INPUT
    return FAILED if account.skipped and strict else 0
