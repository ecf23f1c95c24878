"""Plug-ins by name: one file and one entry-point line make a member.

Groups: `reparto.objectives`, `reparto.groupings`, `reparto.stores`, `reparto.embedders`, `reparto.readers`,
`reparto.measures`, `reparto.engines`, `reparto.routers`. Built-ins register through the same entry points
as third parties; nothing is imported before it is asked for.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points, metadata
from typing import Any

from reparto.errors import MissingExtraError, UnknownNameError


@cache
def _members(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=f"reparto.{group}")}


def names(group: str) -> tuple[str, ...]:
    """Registered names of a group, sorted. Nothing is imported."""
    return tuple(sorted(_members(group)))


@cache
def load(group: str, name: str, field: str | None = None) -> Any:
    """The object registered under `name`; an unknown name raises `UnknownNameError` with the known ones."""
    members = _members(group)
    if name not in members:
        raise UnknownNameError(group.removesuffix("s"), name, names(group), field)
    try:
        return members[name].load()
    except ModuleNotFoundError as error:
        # A member whose extra bears its name (an engine) may need it to be imported at all.
        extras = metadata("reparto").get_all("Provides-Extra") or ()
        if name in extras and (error.name or "").partition(".")[0] != "reparto":
            raise MissingExtraError(f"{group.removesuffix('s')} {name!r}", name) from error
        raise
