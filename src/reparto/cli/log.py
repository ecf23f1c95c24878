"""`reparto log redact ID LOG…`: take the texts of a document out of selection logs."""

from __future__ import annotations

import json

import click

from reparto.redaction import redact_file


@click.group()
def command() -> None:
    """Work on selection logs."""


@command.command()
@click.argument("id")
@click.argument("logs", nargs=-1, required=True, metavar="LOG…")
@click.option("--dry-run", is_flag=True, help="Count what would change; change nothing.")
def redact(id: str, logs: tuple[str, ...], dry_run: bool) -> None:
    """Erase what LOG holds of the texts of ID: a candidate's id, or a document's with all its chunks.

    Fates, scores and evidence stay, so the log can still be counted and monitored; `verify` skips what needs
    the text. The file is replaced whole; a service that writes to it may go on, a command that does (`--log`) must
    not run meanwhile. `reparto delete ID --erase` does the same for a store.
    """
    changed = {log: redact_file(log, id, dry_run=dry_run) for log in logs}
    click.echo(json.dumps({"id": id, "records": changed, "dry_run": dry_run}, ensure_ascii=False))
