"""JSON Lines, a document a line; and JSON, one document or a list of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from reparto.corpus.readers.base import Source, skipped
from reparto.corpus.readers.lines import Lines, blocks, document_of
from reparto.documents import Document, document_from
from reparto.errors import CorpusError, Problem


class JSONLines:
    """`{"id", "text", …}` a line, streamed. A bad line is reported with its number, the others are read."""

    suffixes = (".jsonl", ".ndjson", ".jl")

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The documents of the lines."""
        for number, line in source.lines():
            yield from document_of(source, number, line)

    def blocks(self, source: Source) -> Iterator[Lines]:
        """The lines, some megabytes at a time."""
        return blocks(source)


class JSON:
    """A list of documents, or one."""

    suffixes = (".json",)

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The documents of the file, read whole."""
        try:
            content = json.loads(source.read())
        except (ValueError, RecursionError) as error:
            yield from (JSONLines()(source) if b"\n{" in source.read() else [skipped(source, error, code="not_json")])
            return
        for record in content if isinstance(content, list) else [content]:
            try:
                yield document_from(record)
            except CorpusError as error:
                yield from (replace(one, message=f"{source.name}: {one.message}") for one in error.problems)
