"""JSON Lines, a document a line; and JSON, one document or a list of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from reparto.corpus.readers.base import Source, skipped
from reparto.documents import Document, document_from
from reparto.errors import CorpusError, Problem


class JSONLines:
    """`{"id", "text", …}` a line, streamed. A bad line is reported with its number, the others are read."""

    suffixes = (".jsonl", ".ndjson", ".jl")

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The documents of the lines."""
        for number, line in source.lines():
            try:
                yield document_from(json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8")), number)
            except CorpusError as error:
                yield from (replace(one, message=f"{source.name}: {one.message}") for one in error.problems)
            except (ValueError, RecursionError) as error:
                yield skipped(source, f"not a JSON object in UTF-8 ({error})", number, "not_json")


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
