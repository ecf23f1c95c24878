"""Plain text and Markdown: one document a file, its path the id."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reparto.corpus.readers.base import Source, skipped
from reparto.documents import Document
from reparto.errors import Problem

HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
BINARY = 0.05


class Text:
    """A file of text in UTF-8, UTF-16 or Windows-1252."""

    suffixes: tuple[str, ...] = (".txt", ".text", ".rst", ".log")
    markup = "plain"

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The file as one document. A binary file is skipped."""
        raw = source.read()
        head = raw[:4096]
        if head[:2] not in {b"\xff\xfe", b"\xfe\xff"} and head.count(0) > BINARY * len(head):
            yield skipped(source, "not a text", code="binary")
            return
        text = source.text()
        yield Document(source.identity, text, title=self.title(text), markup=self.markup)

    def title(self, text: str) -> str | None:
        """None: plain text does not say what its title is."""
        del text
        return None


class Markdown(Text):
    """A file of Markdown; its first heading is the title. The text is kept as written."""

    suffixes = (".md", ".markdown", ".mdx")
    markup = "markdown"

    def title(self, text: str) -> str | None:
        """The first heading."""
        found = HEADING.search(text)
        return found.group(1) if found else None
