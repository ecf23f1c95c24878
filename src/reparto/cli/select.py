"""`reparto select`: a request, or one a line, in; a selection, or one a line, out."""

from __future__ import annotations

import sys

import click

from reparto.cli.errors import BAD_INPUT, say
from reparto.cli.options import class_option, contract_option, format_option, k_option
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
def command(
    file: str,
    contract: Contract,
    query_class: str | None,
    k: int | None,
    format_: str | None,
    log: str | None,
    engine: str | None,
) -> int:
    """Share the seats out over the candidates of FILE (- for standard input).

    FILE is a request (JSON), a bare list of candidates, or one request a line. A bad line puts its errors in its
    place; the others are served, and the exit code is 2 at the end.
    """
    if engine is not None:
        from reparto.corpus.engines.selecting import select_on

        served = True
        for ok, line in select_on(engine, file, contract, query_class=query_class, k=k):
            click.echo(line)
            served = served and ok
        return 0 if served else BAD_INPUT
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
