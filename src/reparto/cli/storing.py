"""Options that the store's commands share, and the making of a store with its chunker and embedder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def store_option(command: Command) -> Command:
    """`--store DIR`, required."""
    help = "Directory (or object-store URI) of the store."
    return click.option("--store", "where", required=True, metavar="DIR", envvar="REPARTO_STORE", help=help)(command)


def embedder_option(command: Command) -> Command:
    """`--embedder` and `--embedder-url`."""
    url = "Base URL of an OpenAI-compatible embedding endpoint (with --embedder openai:MODEL)."
    name = "KIND or KIND:MODEL; `none`: lexical search alone. Default: the store's own, else the offline one."
    command = click.option("--embedder-url", metavar="URL", envvar="OPENAI_BASE_URL", help=url)(command)
    return click.option("--embedder", metavar="NAME", help=name)(command)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int], None]]:
    """A counter on standard error, on a terminal only. The value is called with how many more are done."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done: bar.advance(task, done)


@contextmanager
def opened(where: str) -> Iterator[Any]:
    """The store at a place, closed afterwards."""
    from reparto.stores.opening import open_store

    store = open_store(where)
    try:
        yield store
    finally:
        store.close()


def embedder_of(store: Any, url: str | None = None, name: str | None = None) -> Any:
    """The store's own embedder, made again from its name; another one that was asked for is refused."""
    from reparto import embedders
    from reparto.retrieval.searching import check_embedder

    if name is None:
        return embedders.again(store.manifest.embedder, url)
    embedder = embedders.make(name, url)
    check_embedder(store, embedder)
    return embedder
