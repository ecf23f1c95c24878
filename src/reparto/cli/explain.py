"""`reparto explain`: why a candidate got, lost or shared its seat."""

from __future__ import annotations

import click

from reparto.cli.options import class_option, contract_option, k_option
from reparto.cli.streams import read_requests
from reparto.contract import Contract
from reparto.pipeline import select


@click.command()
@click.argument("file")
@click.argument("id")
@contract_option
@class_option
@k_option
def command(file: str, id: str, contract: Contract, query_class: str | None, k: int | None) -> int:
    """Say what became of candidate ID of the request in FILE, and why.

    Of a file with a request a line, the first one that holds the id is explained.
    """
    from reparto.errors import Problem, RequestError

    for item in read_requests(file):
        if item.error is not None:
            raise item.error
        selection = select(item.value, contract, query_class=query_class, k=k)
        if any(one.id == id for one in selection.decisions):
            click.echo(selection.explain(id))
            return 0
    raise RequestError(
        Problem("unknown_id", "no candidate has this id", "give the id of a candidate in the file", id=id)
    )
