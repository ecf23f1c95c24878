"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from reparto.contract import Contract
from reparto.render import FORMATS

F = TypeVar("F", bound=Callable[..., Any])


def contract_option(function: F) -> F:
    """`--contract FILE`, handed over as a `Contract` (the built-in one without it)."""
    return click.option(
        "--contract",
        "contract",
        metavar="FILE",
        callback=lambda ctx, param, value: Contract.load(value) if value else Contract(),
        help="Contract (TOML) over the built-in one.",
    )(function)


def class_option(function: F) -> F:
    """`--class NAME`."""
    return click.option("--class", "query_class", metavar="NAME", help="Query class; overrides the request's.")(
        function
    )


def k_option(function: F) -> F:
    """`-k N`."""
    return click.option("-k", "k", type=click.IntRange(min=1), metavar="N", help="Number of seats.")(function)


def format_option(default: str | None = None) -> Callable[[F], F]:
    """`--format`, by default a table on a terminal and JSON elsewhere."""
    return click.option(
        "--format", "format_", type=click.Choice(list(FORMATS)), default=default,
        help="Output format (default: table on a terminal, else json).",
    )  # fmt: skip


def pairs_of(options: tuple[str, ...]) -> dict[str, str]:
    """Settings given as NAME=VALUE."""
    found = {}
    for one in options:
        name, mark, value = one.partition("=")
        if not mark:
            raise click.BadParameter(f"{one!r} is not NAME=VALUE", param_hint="--option")
        found[name] = value
    return found
