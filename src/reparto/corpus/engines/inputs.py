"""Inputs of a distributed run as tasks: a file, or a range of the lines of a JSONL file.

Every worker must see the paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reparto.corpus.readers import Inputs, Source
from reparto.corpus.readers.inputs import reader_for
from reparto.corpus.readers.jsonl import JSONLines
from reparto.documents import Document
from reparto.errors import CorpusError, Problem

RANGE = 16 << 20  # bytes of lines a task


def tasks(inputs: Sequence[str], reader: str | None, root: Path | None) -> list[dict[str, Any]]:
    """What workers read, each of its own. Standard input cannot be shared out: it is refused."""
    found: list[dict[str, Any]] = []
    for one in inputs:
        if one == "-":
            remedy = "write it to a file that every worker sees, or use the local engine"
            raise CorpusError(Problem("standard_input", "a distributed engine cannot share out standard input", remedy))
        plain = {"path": one, "reader": reader, "root": str(root) if root else None, "start": 0, "end": -1}
        if one.startswith(("http://", "https://")) or not Path(one).exists():
            found.append(plain)
            continue
        for path in _files(Path(one)):
            named = reader or reader_for(path.suffix.lower())
            step = RANGE if named == "jsonl" else max(1, path.stat().st_size)
            ends = range(0, max(1, path.stat().st_size), step)
            whole = named != "jsonl" or len(ends) == 1
            found += [{**plain, "path": str(path), "start": at, "end": -1 if whole else at + step} for at in ends]
    return found


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for place, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(place) / name
            if not name.startswith(".") and file.is_file() and reader_for(file.suffix.lower()):
                yield file


def documents_of(task: dict[str, Any]) -> Iterator[Document | Problem]:
    """The documents of a task."""
    path, root = task["path"], task["root"]
    if task["end"] < 0:
        yield from Inputs((path,), task["reader"], Path(root) if root else None)
        return
    with open(path, "rb") as stream:
        if task["start"]:
            stream.seek(task["start"] - 1)
            stream.readline()  # the line that begins before the range is another task's
        while stream.tell() < task["end"] and (line := stream.readline()):
            if line.strip():
                for one in JSONLines()(Source(path, data=line)):
                    yield replace(one, line=None) if isinstance(one, Problem) else one
