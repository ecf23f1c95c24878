"""The marker of a store: what made it and with what, so that it is opened by the same and refused by another.

One small JSON file, `reparto-store.json`, with a checksum of itself, replaced atomically. It names the kind
of the store, the generation (the folder its data lie in: a rebuild writes the next one and then moves the
marker), and the versions that must agree: fingerprints, chunker, embedder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import xxhash

from reparto.errors import CorpusError, Problem
from reparto.stores.location import Location

NAME = "reparto-store.json"
FORMAT = 2  # 2: groups of documents


@dataclass(frozen=True, slots=True)
class Manifest:
    """Kind, generation and versions. `embedder` is null where search is lexical alone."""

    kind: str
    chunker: Mapping[str, Any] = field(default_factory=dict)
    embedder: Mapping[str, Any] | None = None
    grouping: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    generation: int = 1
    format: int = FORMAT

    @property
    def folder(self) -> str:
        """Name of the folder of the data, under the store's directory."""
        return f"data-{self.generation:04d}"

    def write(self, location: Location) -> None:
        """Put it in place in one step."""
        body = asdict(self)
        body["checksum"] = _checksum(asdict(self))
        text = json.dumps(body, indent=2, sort_keys=True) + "\n"
        location.write(NAME, text.encode("utf-8"))

    def next(self, **changes: Any) -> Manifest:
        """That of a rebuilt store."""
        return replace(self, generation=self.generation + 1, **changes)


def read(location: Location) -> Manifest | None:
    """The marker of the store at `location`; None where there is none; `CorpusError` where it cannot be
    trusted.
    """
    raw = location.read(NAME)
    if raw is None:
        return None
    try:
        body = json.loads(raw)
        checksum = body.pop("checksum")
        intact = checksum == _checksum(body)
        number = body["format"]
    except (ValueError, KeyError, TypeError, AttributeError):
        intact, number = False, None
    if not intact:
        message = f"{location}/{NAME} is damaged"
        raise CorpusError(Problem("store_damaged", message, "restore it from a backup, or index anew"))
    if number != FORMAT:
        message = f"the store at {location} has format {number}, this version reads {FORMAT}"
        remedy = "export it with the version that made it: reparto export --store DIR FILE, then import"
        raise CorpusError(Problem("store_format", message, remedy))
    return Manifest(**body)


def missing(location: Location, manifest: Manifest, what: str) -> CorpusError | None:
    """The error of data that are gone although the marker speaks of them; None where the store is being made."""
    if read(location) != manifest:
        return None
    message = f"{location}: {what} is missing or empty"
    return CorpusError(Problem("store_damaged", message, "restore a backup, or index the sources anew elsewhere"))


def disagreement(name: str, made: Any, asked: Any, location: Location) -> Problem:
    """The refusal of a store that was made otherwise, with the command that rebuilds it."""
    message = f"the store at {location} was made with {name} {_said(made)}, not {_said(asked)}"
    remedy = f"keep that one, or rebuild: reparto index --store {location} --rebuild"
    return Problem(f"store_{name}", message, remedy, field=name)


def _said(made: Any) -> str:
    if not made:
        return "none"
    if isinstance(made, Mapping):
        return " ".join(f"{made[key]}" if key in {"name", "version"} else f"{key}={made[key]}" for key in made)
    return str(made)


def _checksum(body: Mapping[str, Any]) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(body, sort_keys=True).encode("utf-8"))
