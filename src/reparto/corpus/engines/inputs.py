"""Inputs of a distributed run as tasks: a file, a range of its lines, or some of its rows.

Every worker must see the paths, or the object store. JSONL is cut by bytes, Parquet by row groups, Lance by rows.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reparto.corpus.engines.arranging import LANCE, lance_table
from reparto.corpus.engines.places import address, filesystem, is_remote, stat
from reparto.corpus.readers import Inputs, Reader, Source
from reparto.corpus.readers.inputs import reader_for
from reparto.corpus.readers.jsonl import JSONLines
from reparto.corpus.readers.tables import document_of_row, plain
from reparto.documents import Document
from reparto.errors import CorpusError, MissingExtraError, Problem

RANGE = 16 << 20  # bytes of lines or row groups a task
LINES = 20_000  # rows of Lance a task
_LATER = 1 << 20


def tasks(inputs: Sequence[str], reader: str | None, root: Path | None) -> list[dict[str, Any]]:
    """What workers read, each of its own. Standard input cannot be shared out: it is refused."""
    found: list[dict[str, Any]] = []
    for one in inputs:
        if one == "-":
            remedy = "write it to a file that every worker sees, or use the local engine"
            raise CorpusError(Problem("standard_input", "a distributed engine cannot share out standard input", remedy))
        plain = {"path": one, "as": "whole", "reader": reader, "root": str(root) if root else None, "from": 0, "to": -1}
        if one.startswith(("http://", "https://")):
            found.append(plain)
            continue
        where = address(one)
        for path, size in _files(where, one):
            found += [{**plain, "path": path, **more} for more in _cut(path, size, reader)]
    return found


def _files(where: str, named: str) -> list[tuple[str, int]]:
    """(address, bytes) of the files of an input that some reader reads; a Lance table counts as one file."""
    if where.endswith(LANCE):
        return [(where, 0)]
    infos = stat(where)
    if infos is None:
        return [(named, 0)]
    found: dict[str, int] = {}
    for path, size, _ in infos:
        head, mark, _ = path.partition(f"{LANCE}/")
        if mark:
            found[head + LANCE] = 0
        elif path == where or _reader(path):
            found[path] = size
    return sorted(found.items())


def _reader(path: str) -> str | None:
    return reader_for(Source(path).suffix)


def _cut(path: str, size: int, reader: str | None) -> Iterator[dict[str, Any]]:
    named = reader or _reader(path)
    if path.endswith(LANCE):
        count = int(lance_table(path).count_rows())
        yield from ({"as": "lance", "from": at, "to": min(count, at + LINES)} for at in range(0, count, LINES))
    elif named == "jsonl" and not path.lower().endswith(".gz"):
        yield from ({"as": "jsonl", "from": at, "to": at + RANGE} for at in range(0, size, RANGE))
    elif named == "parquet" and not path.lower().endswith(".gz"):
        yield from ({"as": "parquet", "from": low, "to": high} for low, high in _row_groups(path))
    else:
        yield {}


def _row_groups(path: str) -> Iterator[tuple[int, int]]:
    """Row groups that follow one another, together about `RANGE` bytes."""
    with opened(path) as stream, _parquet()(stream) as file:
        sizes = [file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups)]
    low, held = 0, 0
    for at, size in enumerate(sizes):
        held += size
        if held >= RANGE or at == len(sizes) - 1:
            yield low, at + 1
            low, held = at + 1, 0


def documents_of(task: dict[str, Any]) -> Iterator[Document | Problem]:
    """The documents of a task."""
    yield from _FORMS[task["as"]](task)


def _whole(task: dict[str, Any]) -> Iterator[Document | Problem]:
    path = task["path"]
    if not is_remote(path) or path.startswith(("http://", "https://")):
        yield from Inputs((path,), task["reader"], Path(task["root"]) if task["root"] else None)
        return
    from reparto import registry

    with opened(path) as stream:
        data = stream.read()
    if path.lower().endswith(".gz"):
        import gzip

        data = gzip.decompress(data)
    source = Source(path, data=data, identity=path)
    reader: Reader = registry.load("readers", task["reader"] or _reader(path) or "text", "reader")()
    yield from reader(source)


def _lines(task: dict[str, Any]) -> Iterator[Document | Problem]:
    held = range_of(task["path"], task["from"], task["to"])
    for one in JSONLines()(Source(task["path"].removesuffix(".gz"), data=held)):
        yield replace(one, line=None) if isinstance(one, Problem) else one


def _rows_of_parquet(task: dict[str, Any]) -> Iterator[Document | Problem]:
    with opened(task["path"]) as stream, _parquet()(stream) as file:
        for batch in file.iter_batches(batch_size=1000, row_groups=range(task["from"], task["to"])):
            yield from _documents(task["path"], batch.to_pylist())


def _rows_of_lance(task: dict[str, Any]) -> Iterator[Document | Problem]:
    asked = lance_table(task["path"]).search().offset(task["from"]).limit(task["to"] - task["from"])
    for batch in asked.to_batches():
        yield from _documents(task["path"], batch.to_pylist())


_FORMS = {"whole": _whole, "jsonl": _lines, "parquet": _rows_of_parquet, "lance": _rows_of_lance}


def _documents(path: str, rows: Sequence[dict[str, Any]]) -> Iterator[Document | Problem]:
    for row in rows:
        for one in document_of_row(Source(path), plain(row), 0):
            yield replace(one, line=None) if isinstance(one, Problem) else one


def lines_of(path: str, start: int, end: int) -> Iterator[bytes]:
    """The lines that begin in a range of bytes, blank ones left out. Holds the range."""
    yield from (line for line in range_of(path, start, end).split(b"\n") if line.strip())


def range_of(path: str, start: int, end: int) -> bytes:
    """The lines that begin in a range of bytes."""
    with opened(path) as stream:
        size = stream.seek(0, io.SEEK_END)
        low, high = max(0, start - 1), min(end, size)
        stream.seek(low)
        held = bytearray(stream.read(high - low))
        # The line that is open at the end belongs to this range: read on to where it ends.
        while high < size and not held.endswith(b"\n"):
            more = stream.read(_LATER)
            cut = more.find(b"\n")
            held += more if cut < 0 else more[: cut + 1]
            if cut >= 0 or not more:
                break
    if start:
        cut = held.find(b"\n")  # the line that begins before the range is another task's
        held = held[cut + 1 :] if 0 <= cut < high - low else bytearray()
    return bytes(held)


def opened(path: str) -> Any:
    """A stream of a local file or of an object, that can seek."""
    if not is_remote(path):
        return Path(path).open("rb")
    system, name = filesystem(path)
    return system.open_input_file(name)


def _parquet() -> Any:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    return ParquetFile
