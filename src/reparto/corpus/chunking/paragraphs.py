"""The light chunker of the core: paragraphs, then sentences, then words, packed up to a length.

No dependency and no tokenizer: lengths are code points. Boundaries are tried from the widest to the
narrowest; only a single word longer than a chunk is cut inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
HEADING = re.compile(r"\n(?=#{1,6} )")
SENTENCE = re.compile(r"(?<=[.!?…])[\"'»”’)\]]*\s+|(?<=[。！？।؟])|\n+")
WORD = re.compile(r"\s+")
BOUNDARIES = {"plain": (PARAGRAPH, SENTENCE, WORD), "markdown": (HEADING, PARAGRAPH, SENTENCE, WORD)}


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """Chunks of at most `max_characters`, each beginning with whole pieces of the one before, up to
    `overlap`.
    """

    max_characters: int = 1600
    overlap: int = 160
    name = "paragraphs"
    version = "1"

    @property
    def options(self) -> Mapping[str, int]:
        """What it was made with."""
        return {"max_characters": self.max_characters, "overlap": self.overlap}

    def spans(self, text: str, markup: str = "plain") -> list[tuple[int, int]]:
        """Half-open offsets, ascending, without white space at either end. Linear in the text."""
        start, end = _trim(text, 0, len(text))
        if start == end:
            return []
        if end - start <= self.max_characters:
            return [(start, end)]
        pieces = list(self._pieces(text, start, end, BOUNDARIES.get(markup, BOUNDARIES["plain"])))
        return list(self._packed(pieces))

    def _pieces(
        self, text: str, start: int, end: int, boundaries: tuple[re.Pattern[str], ...]
    ) -> Iterator[tuple[int, int]]:
        """Parts no longer than a chunk, cut at the widest boundary that makes them so."""
        start, end = _trim(text, start, end)
        if end - start <= self.max_characters:
            if end > start:
                yield start, end
            return
        if not boundaries:
            for at in range(start, end, self.max_characters):
                yield at, min(at + self.max_characters, end)
            return
        at = start
        for found in boundaries[0].finditer(text, start, end):
            yield from self._pieces(text, at, found.end(), boundaries[1:])
            at = found.end()
        yield from self._pieces(text, at, end, boundaries[1:])

    def _packed(self, pieces: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Neighbouring pieces joined while they fit; the last ones come again as the overlap of the next."""
        first = 0
        while first < len(pieces):
            last = first
            while last + 1 < len(pieces) and pieces[last + 1][1] - pieces[first][0] <= self.max_characters:
                last += 1
            yield pieces[first][0], pieces[last][1]
            if last + 1 == len(pieces):
                return
            following = last + 1
            while (
                following - 1 > first
                and pieces[last][1] - pieces[following - 1][0] <= self.overlap
                and pieces[last + 1][1] - pieces[following - 1][0] <= self.max_characters
            ):
                following -= 1
            first = following


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
