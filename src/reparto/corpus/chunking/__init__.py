"""Documents into passages with exact character offsets.

A chunker has a `name` and a `version`, stored with every chunk, and `spans(text, markup)`, half-open
code-point offsets in ascending order. `text[start:end]` *is* the chunk: nothing is trimmed, joined or
rewritten afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Protocol

from reparto import registry

MAX_CHARACTERS = 1600
OVERLAP = 160


class Chunker(Protocol):
    """Cuts a text. `options` are what it was made with: chunks made with others are another version."""

    name: str
    version: str

    @property
    def options(self) -> Mapping[str, int]:
        """What it was made with."""
        ...

    def spans(self, text: str, markup: str = "plain") -> list[tuple[int, int]]:
        """Half-open offsets of the chunks, ascending; a blank text has none."""
        ...


def make(name: str = "auto", max_characters: int = MAX_CHARACTERS, overlap: int = OVERLAP) -> Chunker:
    """The chunker registered as `name` under `reparto.chunkers`; `auto` is the best one installed."""
    if name == "auto":
        name = "semantic" if find_spec("semantic_text_splitter") else "paragraphs"
    chunker: Chunker = registry.load("chunkers", name, "chunker")(max_characters, overlap)
    return chunker


def described(chunker: Chunker) -> dict[str, Any]:
    """What a store remembers of it."""
    return {"name": chunker.name, "version": chunker.version, **chunker.options}
