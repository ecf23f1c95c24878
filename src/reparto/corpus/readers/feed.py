"""RSS and Atom by feedparser (extra `feed`): one document an entry. The library never fetches anything
itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from reparto.corpus.readers.base import Source, skipped
from reparto.corpus.readers.markup import plain
from reparto.documents import Document
from reparto.errors import MissingExtraError, Problem


class Feed:
    """Entries with their full content, else their summary; the feed's title is the source."""

    suffixes = (".rss", ".atom", ".xml")

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The entries of the feed."""
        try:
            import feedparser
        except ImportError as error:
            raise MissingExtraError("reading feeds", "feed") from error
        content = source.read()
        try:
            parsed = feedparser.parse(content, response_headers={"content-location": ""})
        # The parser works through whatever it is given; what it cannot, is no feed.
        except Exception as error:
            yield skipped(source, f"feedparser: {type(error).__name__}: {error}")
            return
        if not parsed.entries:
            yield skipped(source, parsed.get("bozo_exception") or "no entries", code="no_feed")
            return
        for number, entry in enumerate(parsed.entries, 1):
            document = _document(entry, parsed.feed, f"{source.identity}#{number}")
            yield document or skipped(source, f"entry {number} has no text", code="no_text")


def _document(entry: Any, feed: Any, fallback: str) -> Document | None:
    bodies = [part.get("value", "") for part in entry.get("content", [])] or [entry.get("summary", "")]
    title = plain(entry.get("title", "")) or None
    text = plain(max(bodies, key=len)) or title
    if not text:
        return None
    url = entry.get("link") or None
    moment = entry.get("published_parsed") or entry.get("updated_parsed")
    own = entry.get("source", {}).get("title") or feed.get("title")
    return Document(
        id=entry.get("id") or url or fallback,
        text=text,
        title=title,
        source=plain(own or "") or (urlsplit(url).hostname if url else None),
        published=_date(moment),
        url=url,
        language=feed.get("language") or None,
        metadata={"author": plain(entry["author"])} if entry.get("author") else {},
    )


def _date(moment: Any) -> str | None:
    """ISO 8601 of a time tuple in UTC; None where it is no date."""
    try:
        year, month, day, hour, minute, second = moment[:6]
        return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC).isoformat()
    except (TypeError, ValueError):
        return None
