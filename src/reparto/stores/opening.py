"""Make a store, or open the one that is there with what made it."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from reparto import registry
from reparto.errors import CorpusError, Problem
from reparto.stores.base import Store
from reparto.stores.location import Location
from reparto.stores.manifest import Manifest, disagreement, read

COMPARED = ("chunker", "embedder", "grouping")


def best_kind(location: Location) -> str:
    """`lancedb` where its extra is installed or the location is a URI, else `sqlite`."""
    return "lancedb" if find_spec("lancedb") or location.path is None else "sqlite"


def open_store(where: str) -> Store:
    """The store at a directory or URI, opened by the kind that its marker names. `CorpusError` where there is
    none.
    """
    location = Location(where)
    manifest = read(location)
    if manifest is None:
        message = f"there is no store at {where}"
        raise CorpusError(Problem("no_store", message, f"make one: reparto index PATH --store {where}"))
    return attach(location, manifest)


def attach(location: Location, manifest: Manifest) -> Store:
    """The store that `manifest` describes, its kind loaded from the registry."""
    store: Store = registry.load("stores", manifest.kind, "kind")(location, manifest)
    return store


def create_or_open(where: str, wanted: Manifest, asked: frozenset[str] = frozenset()) -> Store:
    """The store at `where`, made as `wanted` if there is none.

    One that exists keeps what it was made with; where that differs from what was explicitly `asked` for (or
    where its fingerprints are of another version) it is refused, with the command that rebuilds it.
    """
    location = Location(where)
    made = read(location)
    if made is None:
        _refuse_foreign(location)
        store = attach(location, wanted)
        store.settle()
        wanted.write(location)  # last: a marker without its data is a damaged store
        return store
    problems = [
        disagreement(name, getattr(made, name), getattr(wanted, name), location)
        for name in ("kind", *COMPARED)
        if (name in asked or name == "grouping") and not _agree(getattr(made, name), getattr(wanted, name))
    ]
    if problems:
        raise CorpusError(problems)
    return attach(location, made)


def rebuilt(store: Store, **changes: Any) -> tuple[Manifest, Store]:
    """The marker and the empty store of the next generation; `Manifest.write` puts them in force."""
    location = store.location
    manifest = replace(store.manifest.next(), **changes)
    location.remove(manifest.folder)
    return manifest, attach(location, manifest)


def _agree(made: Any, asked: Any) -> bool:
    return (dict(made) if made else None) == (dict(asked) if asked else None) if _tables(made, asked) else made == asked


def _tables(*values: Any) -> bool:
    return all(value is None or hasattr(value, "keys") for value in values)


def _refuse_foreign(location: Location) -> None:
    """A folder that holds something else is not turned into a store by a slip of the keyboard."""
    if location.path and location.path.exists():
        others = [one.name for one in location.path.iterdir() if one.name != "lock" and not one.name.startswith(".")]
        others = [name for name in others if not name.startswith("data-")]
        if others or not location.path.is_dir():
            message = f"{location} is not a store and not empty (it holds {', '.join(sorted(others)[:3])})"
            raise CorpusError(Problem("store_location", message, "name an empty or a new directory"))
