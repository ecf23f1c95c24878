"""Chunks along semantic boundaries, sentences and headings, by `semantic-text-splitter` (extra `chunk`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from reparto.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Semantic:
    """Chunks of at most `max_characters` code points, neighbours sharing up to `overlap` of them."""

    max_characters: int = 1600
    overlap: int = 160
    name = "semantic"

    @property
    def version(self) -> str:
        """That of the library: another one may cut elsewhere."""
        return version("semantic-text-splitter")

    @property
    def options(self) -> Mapping[str, int]:
        """What it was made with."""
        return {"max_characters": self.max_characters, "overlap": self.overlap}

    def spans(self, text: str, markup: str = "plain") -> list[tuple[int, int]]:
        """Half-open offsets, ascending; sentence and word boundaries, headings where it is Markdown."""
        splitter = _splitter("markdown" if markup == "markdown" else "plain", self.max_characters, self.overlap)
        return [(start, start + len(chunk)) for start, chunk in splitter.chunk_indices(text) if chunk.strip()]


@cache
def _splitter(markup: str, max_characters: int, overlap: int) -> Any:
    try:
        from semantic_text_splitter import MarkdownSplitter, TextSplitter
    except ImportError as error:
        raise MissingExtraError("the chunker `semantic`", "chunk") from error
    kind = {"plain": TextSplitter, "markdown": MarkdownSplitter}[markup]
    return kind(max_characters, overlap=overlap)
