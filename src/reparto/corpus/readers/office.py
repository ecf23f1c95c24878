"""Office files (extra `office`): Word by python-docx, slides by python-pptx, sheets by openpyxl. One document a file.

Headings of a text and titles of slides become Markdown headings, rows of a table a line with ` | ` between cells: the
chunker cuts where the author did. Formulas count by the value that was saved with them.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from reparto.corpus.readers.base import LARGEST_TEXT, Source, skipped
from reparto.documents import Document
from reparto.encodable import encodable
from reparto.errors import MissingExtraError, Problem

UNPACKED = 1 << 30  # bytes of the parts of a file, all together

Lines = Iterable[tuple[str, bool]]  # a line, and whether it is a heading


class Word:
    """`.docx`: paragraphs and tables in the order they stand in. Headers, footers and comments are left out."""

    suffixes = (".docx",)

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The document of the file; encrypted and broken files are skipped."""
        try:
            import docx
        except ImportError as error:
            raise MissingExtraError("reading Word files", "office") from error
        yield _document(source, docx.Document, _of_word)


class Slides:
    """`.pptx`: title, text, tables and notes of each slide."""

    suffixes = (".pptx",)

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The document of the file; encrypted and broken files are skipped."""
        try:
            from pptx import Presentation
        except ImportError as error:
            raise MissingExtraError("reading slides", "office") from error
        yield _document(source, Presentation, _of_slides)


class Sheets:
    """`.xlsx`: each sheet under its name, each row a line; empty cells at the end of a row are left out."""

    suffixes = (".xlsx",)

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The document of the file; encrypted and broken files are skipped."""
        try:
            from openpyxl import load_workbook
        except ImportError as error:
            raise MissingExtraError("reading sheets", "office") from error
        yield _document(source, lambda raw: load_workbook(raw, read_only=True, data_only=True), _of_sheets)


def _document(source: Source, opened: Callable[[Any], Any], lines: Callable[[Any], Lines]) -> Document | Problem:
    raw = source.read()
    if raw[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":  # an OLE file: the old format, or an encrypted one
        return skipped(source, "encrypted, or of the format before 2007", code="encrypted")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as parts:
            if sum(part.file_size for part in parts.infolist()) > UNPACKED:
                raise ValueError(f"unpacks to more than {UNPACKED} bytes")
        held = opened(io.BytesIO(raw))
        text, first = _text(lines(held))
        about = getattr(held, "core_properties", None) or getattr(held, "properties", None)
        title, created = _clean(getattr(about, "title", None) or ""), getattr(about, "created", None)
    # A hostile file makes the parsers fail in ways that they do not name: whatever it is, skip the file.
    except Exception as error:
        return skipped(source, f"{type(error).__name__}: {error}")
    if not text.strip():
        return skipped(source, "no text in it", code="no_text")
    published = created.isoformat() if isinstance(created, datetime) else None
    return Document(source.identity, text, title=title or first, published=published, markup="markdown")


def _text(lines: Lines) -> tuple[str, str | None]:
    """The lines, an empty one between them, and the first heading."""
    parts: list[str] = []
    first, length = None, 0
    for line, heading in lines:
        clean = _clean(line)
        if not clean:
            continue
        first = first or (clean if heading else None)
        parts.append(f"# {clean}" if heading else clean)
        length += len(clean)
        if length > LARGEST_TEXT:
            raise ValueError(f"more than {LARGEST_TEXT} characters")
    return "\n\n".join(parts), first


def _clean(text: str) -> str:
    return encodable(text.replace("\0", "")).strip()


def _row(cells: Iterable[str]) -> str:
    told = [" ".join(cell.split()) for cell in cells]
    while told and not told[-1]:
        told.pop()
    return " | ".join(told)


def _of_word(held: Any) -> Iterator[tuple[str, bool]]:
    for block in held.iter_inner_content():
        if hasattr(block, "rows"):
            yield "\n".join(_row(cell.text for cell in row.cells) for row in block.rows), False
        else:
            yield block.text, (block.style.name or "").startswith(("Heading", "Title"))


def _of_slides(held: Any) -> Iterator[tuple[str, bool]]:
    for slide in held.slides:
        title = slide.shapes.title
        if title is not None:
            yield title.text, True
        for shape in slide.shapes:
            if shape.has_text_frame and (title is None or shape.shape_id != title.shape_id):
                yield shape.text_frame.text, False
            elif getattr(shape, "has_table", False):
                yield "\n".join(_row(cell.text for cell in row.cells) for row in shape.table.rows), False
        if slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame.text, False


def _of_sheets(held: Any) -> Iterator[tuple[str, bool]]:
    for sheet in held.worksheets:
        yield sheet.title, True
        rows = (_row("" if cell is None else str(cell) for cell in row) for row in sheet.iter_rows(values_only=True))
        yield "\n".join(row for row in rows if row), False
