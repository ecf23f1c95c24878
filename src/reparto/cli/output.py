"""What the commands on a store hand over: a selection on standard output and in the log."""

from __future__ import annotations

import sys

import click

from reparto.cli.errors import say
from reparto.log import LogWriter
from reparto.render import FORMATS
from reparto.retrieval.searching import Answer


def deliver(answer: Answer, format_: str | None, log: str | None) -> None:
    """Print the selection (a table on a terminal, else JSON) and append it to the log, if there is one."""
    if log:
        LogWriter(log).write(answer.request, answer.selection)
    render = FORMATS[format_ or ("table" if sys.stdout.isatty() else "json")]
    click.echo(render(answer.selection))
    if answer.widened:
        say(f"the pool was widened from {answer.first_size} to {answer.size} for seats that had stayed empty")
