"""Lines of JSON in blocks: a run that reads millions of them takes some megabytes at a time, unread."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reparto.corpus.readers.base import Source, skipped
from reparto.documents import Document, document_from
from reparto.errors import CorpusError, Problem

BLOCK = 12_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of a source, of which the first is line `number` of it; one document a line."""

    source: Source
    number: int
    raw: bytes

    def __iter__(self) -> Iterator[Document | Problem]:
        """The documents of the lines, and a `Problem` for each that is none."""
        for number, line in self._lines():
            yield from document_of(self.source, number, line)

    def __len__(self) -> int:
        """Lines that are not blank."""
        return sum(1 for _ in self._lines())

    def after(self, items: int) -> Lines:
        """What follows some lines that are not blank."""
        for at, (number, _) in enumerate(self._lines()):
            if at == items:
                return Lines(self.source, number, self.raw.split(b"\n", number - self.number)[-1])
        return Lines(self.source, self.number + self.raw.count(b"\n"), b"")

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        return ((at, line) for at, line in enumerate(io.BytesIO(self.raw), self.number) if line.strip())


def blocks(source: Source) -> Iterator[Lines]:
    """A source in blocks, whole lines each; a line that is too long is a `CorpusError`, as `Source.lines` raises."""
    number, total = 1, 0
    with source.open() as stream:
        while raw := stream.read(BLOCK):
            if not raw.endswith(b"\n"):
                raw += stream.readline(source.limits.line + 1)
            total += len(raw)
            long = len(raw) > source.limits.line and any(len(one) > source.limits.line for one in io.BytesIO(raw))
            if long or total > source.limits.unpacked:
                message = f"{source.name}: a line or the whole is longer than allowed"
                raise CorpusError(Problem("too_large", message, "split the file", line=number))
            yield Lines(source, number, raw)
            number += raw.count(b"\n")


def document_of(source: Source, number: int, line: bytes) -> Iterator[Document | Problem]:
    """The document of a line, or what is wrong with it."""
    try:
        yield document_from(json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8")), number)
    except CorpusError as error:
        yield from (replace(one, message=f"{source.name}: {one.message}") for one in error.problems)
    except (ValueError, RecursionError) as error:
        yield skipped(source, f"not a JSON object in UTF-8 ({error})", number, "not_json")
