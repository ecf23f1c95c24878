"""`reparto ask QUESTION --store DIR`: search, then a cited answer from an OpenAI-compatible endpoint."""

from __future__ import annotations

import os
from typing import Any

import click

from reparto.cli.errors import say
from reparto.cli.search import answering, search_options
from reparto.endpoint import Endpoint
from reparto.log import LogWriter
from reparto.retrieval.asking import ask
from reparto.selection import to_json

HOW = (
    "no endpoint is set, so this is the context that a model would be given. To have an answer written, name "
    "any OpenAI-compatible server: --base-url http://localhost:8000/v1 --model NAME (or OPENAI_BASE_URL and "
    "REPARTO_MODEL; "
    "the key, where one is needed, in OPENAI_API_KEY)."
)


@click.command()
@click.argument("question")
@search_options
@click.option("--base-url", envvar="OPENAI_BASE_URL", metavar="URL", help="Endpoint, up to and with /v1.")
@click.option("--model", envvar="REPARTO_MODEL", metavar="NAME", help="The model that writes the answer.")
@click.option("--timeout", default=120.0, show_default=True, help="Seconds to wait for the answer.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    question: str,
    base_url: str | None,
    model: str | None,
    timeout: float,
    format_: str,
    log: str | None,
    **options: Any,
) -> None:
    """Answer QUESTION from a store, every statement with its source.

    Citations are checked: a number that names no passage and a figure that no cited passage contains are
    marked. Without an endpoint the numbered context is printed, ready to be pasted.
    """
    with answering(question, **options) as answer:
        selection = answer.selection
        if log:
            LogWriter(log).write(answer.request, selection)
    if not base_url or not model:
        say(HOW)
        click.echo(selection.to_context() if format_ == "text" else selection.to_json(indent=2))
        return
    if not selection.seats:
        say("the store has nothing on this: no answer was asked for")
        return
    endpoint = Endpoint(f"{base_url.rstrip('/')}/chat/completions", os.environ.get("OPENAI_API_KEY"), timeout)
    written = ask(question, selection, endpoint, model)
    if format_ == "json":
        click.echo(to_json({**written.to_dict(), "selection": selection.to_dict()}, indent=2))
        return
    click.echo(written.marked())
    click.echo("")
    for seat in selection.seats:
        if any(one.number == seat.seat for one in written.citations):
            outlets = f", carried by {len(seat.copies.sources)} outlets" if len(seat.copies.sources) > 1 else ""
            where = "; ".join(part for part in (seat.title, seat.source, seat.published, seat.url) if part)
            click.echo(f"[{seat.seat}] {where or seat.document or seat.id}{outlets}")
    wrong = [one for one in written.citations if one.status != "valid"]
    if wrong or written.uncited:
        say(f"{len(wrong)} citations do not hold, {len(written.uncited)} sentences cite nothing")
