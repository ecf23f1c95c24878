"""`reparto select`: a request, or one a line, in; a selection, or one a line, out."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from reparto import registry
from reparto.cli.errors import BAD_INPUT, say
from reparto.cli.options import class_option, contract_option, format_option, k_option, pairs_of
from reparto.cli.streams import read_requests
from reparto.contract import Contract
from reparto.errors import InputError
from reparto.intake import read_request
from reparto.log import LogWriter
from reparto.pipeline import select
from reparto.render import FORMATS
from reparto.selection import to_json


@click.command()
@click.argument("file", default="-")
@contract_option
@class_option
@k_option
@format_option()
@click.option("--log", "log", metavar="FILE", help="Append one record a request, for `verify` and `monitor`.")
@click.option("--engine", metavar="NAME", help="Serve a table of requests on daft or spark; JSONL out, in its order.")
@click.option("--partitions", type=click.IntRange(1), metavar="N", help="Partitions of the engine.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Setting of the engine; repeat for more."
)
def command(
    file: str,
    contract: Contract,
    query_class: str | None,
    k: int | None,
    format_: str | None,
    log: str | None,
    engine: str | None,
    partitions: int | None,
    options: tuple[str, ...],
) -> int:
    """Share the seats out over the candidates of FILE (- for standard input).

    FILE is a request (JSON), a bare list of candidates, or one request a line. A bad line puts its errors in its
    place; the others are served, and the exit code is 2 at the end.
    """
    if engine is not None:
        if log or format_ not in (None, "json", "jsonl"):
            raise click.UsageError("--engine writes JSONL and no log: leave out --log and --format")
        table = _Table(engine, file, partitions, pairs_of(options))
        return table.serve(contract, query_class, k)
    if partitions or options:
        raise click.UsageError("--partitions and --option are settings of an --engine: name one")
    format_ = format_ or ("table" if sys.stdout.isatty() else "json")
    writer = LogWriter(log) if log else None
    code = 0
    for item in read_requests(file):
        try:
            if item.error is not None:
                raise item.error
            request = read_request(item.value)
            selection = select(request, contract, query_class=query_class, k=k)
        except InputError as error:
            code = BAD_INPUT
            if item.line is None:
                say(str(error))
            else:
                placed = error.at_line(item.line)
                click.echo(to_json(placed.to_dict()))
                say(str(placed))
            continue
        if writer is not None:
            writer.write(request, selection)
        # A stream stays a stream: one JSON value a line.
        render = FORMATS["jsonl" if format_ == "json" and item.line is not None else format_]
        click.echo(render(selection))
    return code


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of requests and what serves it."""

    engine: str
    file: str
    partitions: int | None
    options: dict[str, str]

    def serve(self, contract: Contract, query_class: str | None, k: int | None) -> int:
        """Print an answer a line; the exit code."""
        registry.load("engines", self.engine, "engine")  # says which extra it lacks, before anything else needs it
        from reparto.corpus.engines.selecting import select_on

        refused = 0
        for ok, line in select_on(
            self.engine, self.file, contract, query_class=query_class, k=k,
            options=self.options, partitions=self.partitions,
        ):  # fmt: skip
            click.echo(line)
            refused += not ok
        if refused:
            say(f"{refused} of the requests were refused: their errors stand in their places")
        return BAD_INPUT if refused else 0
