"""What a reader is given, and the limits it keeps."""

from __future__ import annotations

import gzip
import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from reparto.documents import Document
from reparto.errors import CorpusError, Problem


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on hostile or mistaken input, in bytes: a file read whole, one line, and what a .gz may unpack
    to.
    """

    whole: int = 256 * 2**20
    line: int = 64 * 2**20
    unpacked: int = 64 * 2**30
    files: int = 5_000_000
    pages: int = 20_000


LARGEST_TEXT = 64 * 2**20
"""Characters that a packed format may unpack to."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something to read: a local file, standard input (`-`), or bytes fetched from an address.

    `name` is what reports call it; `identity` the prefix of ids for formats without their own (a file's
    absolute path, or its path under `--root`).
    """

    name: str
    path: Path | None = None
    data: bytes | None = None
    identity: str = ""
    limits: Limits = field(default_factory=Limits)

    @property
    def suffix(self) -> str:
        """The lower-case suffix, that of the packed file for a `.gz`."""
        name = self.name.lower().removesuffix(".gz")
        return Path(name.split("?")[0]).suffix

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """A stream of bytes, unpacked where the name ends in `.gz`."""
        if self.data is not None:
            yield io.BytesIO(self.data)
        elif self.path is None:
            yield sys.stdin.buffer
        elif self.name.lower().endswith(".gz"):
            with gzip.open(self.path, "rb") as packed:
                yield cast(BinaryIO, packed)
        else:
            with self.path.open("rb") as plain:
                yield plain

    def read(self) -> bytes:
        """Everything, up to the limit of a whole file; longer is a `CorpusError`."""
        with self.open() as stream:
            content = stream.read(self.limits.whole + 1)
        if len(content) > self.limits.whole:
            message = f"{self.name} is longer than {self.limits.whole} bytes"
            raise CorpusError(Problem("too_large", message, "split it, or convert it to JSONL, which is streamed"))
        return content

    def text(self) -> str:
        """Everything as text: UTF-8 (with or without mark), UTF-16 with a mark, else Latin-1 as Windows
        writes it.
        """
        return decoded(self.read())

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Lines with their numbers from 1, none longer than the limit of a line, blank ones left out."""
        total, number = 0, 0
        with self.open() as stream:
            while line := stream.readline(self.limits.line + 1):
                number += 1
                total += len(line)
                if len(line) > self.limits.line or total > self.limits.unpacked:
                    message = f"{self.name}: a line or the whole is longer than allowed"
                    raise CorpusError(Problem("too_large", message, "split the file", line=number))
                if line.strip():
                    yield number, line


class Reader(Protocol):
    """Reads one format."""

    suffixes: tuple[str, ...]

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The documents of a source, and what had to be skipped."""
        ...


def decoded(raw: bytes) -> str:
    """Text of bytes of unknown encoding, never an error. NUL characters are dropped."""
    if raw[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return raw.decode("utf-16", "replace").replace("\0", "")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    return text.replace("\0", "")


def skipped(source: Source, error: object, line: int | None = None, code: str = "unreadable") -> Problem:
    """The report of something that could not be read."""
    return Problem(code, f"{source.name}: {error}", "skipped; mend it and index again", line=line)


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """A library's own grumbling about bad files is no message of this program: its logger is silent within."""
    log = logging.getLogger(name)
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)
