"""Text of a fragment of HTML, for mail and feeds: tags dropped, blocks on their own lines. Standard library
only.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from reparto.encodable import encodable

BLOCKS = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "br",
        "div",
        "dl",
        "dt",
        "dd",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
    ]
)
SILENT = frozenset(["script", "style", "template", "head"])
BLANKS = re.compile(r"[^\S\n]+")
LINES = re.compile(r" ?\n ?(?:\n ?)+")


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self.silent += 1
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self.silent = max(self.silent - 1, 0)
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(data)


def plain(markup: str) -> str:
    """The text. What carries no tag comes back as it is, but for its white space."""
    words = _Words()
    words.feed(markup)
    words.close()
    text = BLANKS.sub(" ", "".join(words.parts))
    return encodable(LINES.sub("\n\n", text).strip())
