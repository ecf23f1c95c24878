"""A selection for people and prompts: one format a file, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reparto.selection import Selection


def _json(selection: Selection) -> str:
    return selection.to_json(indent=2)


def _jsonl(selection: Selection) -> str:
    return selection.to_json()


def _table(selection: Selection) -> str:
    from reparto.render.table import table

    return table(selection).rstrip("\n")


def _markdown(selection: Selection) -> str:
    from reparto.render.markdown import markdown

    return markdown(selection).rstrip("\n")


def _context(selection: Selection) -> str:
    from reparto.render.context import context

    return context(selection).rstrip("\n")


FORMATS: Mapping[str, Callable[[Selection], str]] = {
    "json": _json,
    "jsonl": _jsonl,
    "table": _table,
    "markdown": _markdown,
    "context": _context,
}
