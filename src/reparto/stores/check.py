"""Looks a store over for `reparto doctor`: marker, agreement of its parts, and with `deep` every checksum."""

from __future__ import annotations

from typing import Any

from reparto.errors import InputError, MissingExtraError
from reparto.stores.location import pending
from reparto.stores.opening import open_store


def check_store_directory(where: str, deep: bool = False) -> tuple[dict[str, Any], list[str]]:
    """What the store at `where` is and holds, and what is wrong with it, a line each (an empty list:
    nothing).
    """
    found: dict[str, Any] = {"where": where}
    try:
        store = open_store(where)
    except (InputError, MissingExtraError) as error:
        return found, str(error).splitlines()
    try:
        manifest = store.manifest
        for name in ("kind", "generation", "chunker", "embedder", "grouping", "options"):
            found[name] = getattr(manifest, name)
        problems = [str(problem) for problem in store.check(deep)]
        if pending(store.location):
            problems.append("pending: an index run is under way or was cut off (run `reparto index` on it again)")
        found.update(store.counts()._asdict())
    except InputError as error:
        problems = str(error).splitlines()
    finally:
        store.close()
    return found, problems
