"""Which class a query is of: `factual`, `navigational` or `survey`, by cues in English and Spanish.

A router is any callable `query -> class name or None`; None means that it cannot tell, and the contract's
`default_class` applies. A `query_class` on the request always wins. Routers register under the entry-point
group `reparto.routers`; the built-in one is `cues`, whose rules are the table `rules.toml` beside this file.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Protocol

from reparto import registry
from reparto.routing.table import Rule, Table, fold

__all__ = ["Router", "Rule", "Table", "cues", "fold", "load", "route"]


class Router(Protocol):
    """Anything that names a query's class, or says None when it cannot tell."""

    def __call__(self, query: str, /) -> str | None:
        """Name the class."""
        ...


@cache
def cues() -> Table:
    """Read the built-in table, once."""
    return Table.parse(files("reparto.routing").joinpath("rules.toml").read_text(encoding="utf-8"))


def route(query: str) -> str | None:
    """Class of `query` by the built-in table, or None when no cue tells.

    About a tenth of a millisecond; no model, no network.
    """
    return cues()(query)


def load(name: str = "cues") -> Router:
    """Look a router up by its registered name.

    An unknown name raises `UnknownNameError`, which lists the known ones.
    """
    router: Router = registry.load("routers", name)
    return router
