"""PDF by pypdf (extra `pdf`): the text of the pages, and where in it each page begins."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from reparto.corpus.readers.base import LARGEST_TEXT, Source, quiet, skipped
from reparto.documents import Document
from reparto.encodable import encodable
from reparto.errors import MissingExtraError, Problem


class PDF:
    """One document a file; `metadata.pages` holds the offset of each page in the text."""

    suffixes = (".pdf",)

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The text of all pages; scans without text, encrypted and broken files are skipped."""
        try:
            from pypdf import PdfReader
        except ImportError as error:
            raise MissingExtraError("reading PDF", "pdf") from error
        raw = source.read()
        try:
            with quiet("pypdf"):
                reader = PdfReader(io.BytesIO(raw), strict=False)
                if reader.is_encrypted and not reader.decrypt(""):
                    yield skipped(source, "encrypted", code="encrypted")
                    return
                text, pages = _text(reader, source.limits.pages)
                title, created = _about(reader)
        # A hostile file makes the parser fail in ways that it does not name: whatever it is, skip the file.
        except Exception as error:
            yield skipped(source, f"pypdf: {type(error).__name__}: {error}")
            return
        if not text.strip():
            yield skipped(source, "no text in it (a scan?)", code="no_text")
            return
        yield Document(source.identity, text, title=title, published=created, metadata={"pages": pages})


def _text(reader: Any, limit: int) -> tuple[str, list[int]]:
    parts: list[str] = []
    pages: list[int] = []
    length = 0
    for number, page in enumerate(reader.pages):
        if number >= limit or length > LARGEST_TEXT:
            raise ValueError(f"more than {limit} pages or {LARGEST_TEXT} characters")
        words = encodable(page.extract_text().replace("\0", ""))
        pages.append(length)
        parts.append(words)
        length += len(words) + 2
    return "\n\n".join(parts), pages


def _about(reader: Any) -> tuple[str | None, str | None]:
    try:
        about = reader.metadata
        title = encodable(str(about.title)) if about and about.title else None
        created = about.creation_date if about else None
    except Exception:
        return None, None
    return title, created.isoformat() if created else None
