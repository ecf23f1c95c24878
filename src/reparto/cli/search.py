"""`reparto search QUERY --store DIR`: hybrid retrieval of a pool, then selection by the contract."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from reparto.cli.errors import say
from reparto.cli.options import class_option, contract_option, format_option, k_option
from reparto.cli.output import deliver
from reparto.cli.storing import embedder_of, embedder_option, opened, store_option
from reparto.contract import Contract
from reparto.endpoint import Endpoint
from reparto.retrieval.reranking import Reranker
from reparto.retrieval.searching import Answer, Search
from reparto.stores.filters import filters_from
from reparto.stores.location import pending

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = (
    contract_option,
    class_option,
    k_option,
    click.option("--pool", type=int, metavar="N", help="Candidates to retrieve (default: 5 a seat, at least 50)."),
    click.option("--where", "conditions", multiple=True, metavar="FIELD=VALUE", help="Only these; may be repeated."),
    click.option("--since", metavar="DATE", help="Only what was published at or after."),
    click.option("--until", metavar="DATE", help="Only what was published at or before; a day counts whole."),
    click.option("--reranker", metavar="URL", help="A rerank endpoint (Cohere, Jina, vLLM, TEI)."),
    click.option("--rerank-model", default="", metavar="NAME", help="The model named to the reranker."),
    click.option("--log", "log", metavar="FILE", help="Append a record, for `verify` and `monitor`."),
    store_option,
    embedder_option,
)


def search_options(function: F) -> F:
    """The options that `search` and `ask` share."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


@contextmanager
def answering(
    query: str,
    where: str,
    contract: Contract,
    embedder: str | None,
    embedder_url: str | None,
    reranker: str | None,
    rerank_model: str,
    conditions: tuple[str, ...],
    since: str | None,
    until: str | None,
    **seats: Any,
) -> Iterator[Answer]:
    """The answer of a search, with its store still open."""
    filters = filters_from(conditions, since, until)
    rerank = Reranker(Endpoint(reranker, os.environ.get("REPARTO_RERANKER_KEY")), rerank_model) if reranker else None
    with opened(where) as store:
        if pending(store.location):
            say("an index run is under way or was cut off: copies may not be counted yet")
        search = Search(store, embedder_of(store, embedder_url, embedder), contract, rerank)
        yield search(query, filters=filters, **seats)


@click.command()
@click.argument("query")
@search_options
@format_option()
def command(query: str, format_: str | None, log: str | None, **options: Any) -> None:
    """Answer QUERY with seats from a store: copies counted, chunks merged, outlets and angles spread.

    The pool grows by itself while copies or quotas leave seats empty.
    """
    with answering(query, **options) as answer:
        deliver(answer, format_, log)
