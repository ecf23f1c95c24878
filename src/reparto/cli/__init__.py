"""The command line: one command a file, imported when it is called.

JSON on stdout, messages on stderr, progress on a terminal only. Exit 0 done, 1 a check failed or an alert fired,
2 bad input or usage.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from reparto.cli.errors import ReaderGoneError, failing

COMMANDS: Mapping[str, str] = {
    "select": "reparto.cli.select",
    "explain": "reparto.cli.explain",
    "verify": "reparto.cli.verify",
    "contract": "reparto.cli.contract",
    "index": "reparto.cli.index",
    "search": "reparto.cli.search",
    "ask": "reparto.cli.ask",
    "dedupe": "reparto.cli.dedupe",
    "delete": "reparto.cli.delete",
    "export": "reparto.cli.export",
    "import": "reparto.cli.import_",
    "log": "reparto.cli.log",
    "bank": "reparto.cli.bank",
    "evaluate": "reparto.cli.evaluate",
    "calibrate": "reparto.cli.calibrate",
    "monitor": "reparto.cli.monitor",
    "serve": "reparto.cli.serve",
    "mcp": "reparto.cli.mcp",
    "demo": "reparto.cli.demo",
    "doctor": "reparto.cli.doctor",
}


class Commands(click.Group):
    """A group whose commands are imported by name, so that `reparto select` does not pay for the service."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """As click does, except that a reader that has gone (`| head`) is no failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does, with the nearest command where the name is unknown."""
        from reparto.errors import nearest

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = nearest(args[0], COMMANDS)
            hint = f" Did you mean {close!r}?" if close else f" Known: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reparto", prog_name="reparto")
def group() -> None:
    """Share k seats out over ranked candidates: set-aware selection for retrieval."""


def main() -> None:
    """Entry point of the `reparto` command."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller (`>&-`): nothing comes, and what is written goes nowhere
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (as long as the process)
        elif name == "stdin":
            continue
        elif hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    failing(lambda: group.main(prog_name="reparto", standalone_mode=False))
