"""Pages of the web: the main text with title, date, site and language, by trafilatura (extra `html`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from reparto.corpus.readers.base import Source, quiet, skipped
from reparto.documents import Document
from reparto.encodable import encodable
from reparto.errors import MissingExtraError, Problem

LANGUAGE = re.compile(rb"<html[^>]*\slang\s*=\s*[\"']?([A-Za-z-]{2,15})", re.IGNORECASE)
LARGEST_PAGE = 20 * 2**20


class HTML:
    """One document a page; navigation, comments and the like are left out."""

    suffixes = (".html", ".htm", ".xhtml")

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The page's main text; a page without one is skipped."""
        try:
            from trafilatura import bare_extraction
        except ImportError as error:
            raise MissingExtraError("reading web pages", "html") from error
        raw = source.read()
        if len(raw) > LARGEST_PAGE:
            yield skipped(source, f"a page of {len(raw)} bytes", code="too_large")
            return
        address = source.name if source.name.startswith(("http://", "https://")) else None
        try:
            with quiet("trafilatura"):
                page: Any = bare_extraction(raw, url=address, with_metadata=True, include_comments=False)
        except (
            ValueError,
            TypeError,
            AttributeError,
            KeyError,
            IndexError,
            RecursionError,
            AssertionError,
        ) as error:
            yield skipped(source, f"trafilatura: {type(error).__name__}: {error}")
            return
        text = (getattr(page, "text", None) or "").strip()
        if not text:
            yield skipped(source, "no main text found", code="no_text")
            return
        language = LANGUAGE.search(raw)
        url = page.url or address
        yield Document(
            id=source.identity or str(url),
            text=encodable(text),
            title=page.title or None,
            source=page.sitename or page.hostname or (urlsplit(url).hostname if url else None),
            published=page.date or None,
            url=url,
            language=language.group(1).decode("ascii") if language else None,
            metadata={"author": page.author} if page.author else {},
        )
