"""For tests: a page of the inspector read as a browser would, as far as tests ask."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser


class Reading(HTMLParser):
    """The tags of a page with their attributes, and all its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep the words."""
        self.words += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all tags of one name."""
        return [attrs for name, attrs in self.tags if name == tag]

    def hidden(self) -> dict[str, str]:
        """What the form carries unseen."""
        return {
            str(one["name"]): str(one.get("value") or "") for one in self.named("input") if one.get("type") == "hidden"
        }


def seats_of(page: str) -> list[str]:
    """Ids of the seats that a page shows, in order."""
    part = page[page.index('class="seats"') : page.index('class="figures')]
    return [html.unescape(one) for one in re.findall(r'<p class="meta">.*?<code>(.*?)</code></p>', part)]
