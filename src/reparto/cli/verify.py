"""`reparto verify`: re-check logged selections by code that does not select."""

from __future__ import annotations

import json

import click

from reparto.cli.errors import FAILED, say
from reparto.verification import verify_log


@click.command()
@click.argument("log")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")
def command(log: str, format_: str) -> int:
    """Re-check every record of LOG against the contract it carries.

    Exit code 1 when a record breaks a rule; each is named with its line, the rule and the ids.
    """
    records = broken = 0
    for checked in verify_log(log):
        records += 1
        broken += bool(checked.violations)
        for violation in checked.violations:
            if format_ == "json":
                click.echo(json.dumps({"line": checked.line, **violation.to_dict()}, ensure_ascii=False))
            else:
                click.echo(f"line {checked.line}: {violation}")
    say(f"{records} records checked, {broken} broken" if records else "the log is empty")
    return FAILED if broken else 0
