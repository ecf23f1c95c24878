"""The arguments of `index`: files, folders, addresses and standard input, each to its reader."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from reparto import registry
from reparto.corpus.readers.base import Limits, Reader, Source, skipped
from reparto.corpus.readers.lines import Lines
from reparto.documents import Document
from reparto.errors import CorpusError, MissingExtraError, Problem

FALLBACK = "text"
T = TypeVar("T")
_Read = Callable[[Reader, Source], Iterator[T]]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Iterates over the documents of `paths`, in the order given; a folder's files in order of their names.

    `reader` forces a format; standard input is JSONL without it. Symbolic links inside a folder are followed
    only to places inside it. `root` makes ids relative to a folder. `private` allows addresses of private
    networks.
    """

    paths: Sequence[str]
    reader: str | None = None
    root: Path | None = None
    private: bool = False
    limits: Limits = field(default_factory=Limits)

    def __iter__(self) -> Iterator[Document | Problem]:
        """Documents, and a `Problem` for each thing skipped."""
        for path in self.paths:
            yield from self._argument(path, lambda reader, source: reader(source))

    def pieces(self) -> Iterator[Document | Problem | Lines]:
        """The same, with lines of JSON left in blocks."""
        for path in self.paths:
            yield from self._argument(path, _in_blocks)

    def _argument(self, path: str, read: _Read[T]) -> Iterator[T | Problem]:
        if path == "-":
            yield from self._read(Source("-", identity="stdin", limits=self.limits), self.reader or "jsonl", read)
        elif path.startswith(("http://", "https://")):
            yield from self._fetched(path, read)
        elif Path(path).is_dir():
            for file in self._files(Path(path)):
                yield from [file] if isinstance(file, Problem) else self._file(file, False, read)
        else:
            yield from self._file(Path(path), True, read)

    def _file(self, path: Path, named: bool, read: _Read[T]) -> Iterator[T | Problem]:
        source = Source(str(path), path=path, identity=self._identity(path), limits=self.limits)
        name = self.reader or reader_for(source.suffix) or (FALLBACK if named else None)
        if name is None:
            yield skipped(source, f"no reader for {source.suffix or 'a file without suffix'}", code="unknown_format")
        else:
            yield from self._read(source, name, read)

    def _read(self, source: Source, name: str, read: _Read[T]) -> Iterator[T | Problem]:
        reader: Reader = registry.load("readers", name, "reader")()
        try:
            yield from read(reader, source)
        except CorpusError as error:
            yield from error.problems
        except MissingExtraError as error:
            yield Problem("missing_extra", f"{source.name}: {error}", f"pip install 'reparto[{error.extra}]'")
        except (OSError, EOFError, ValueError, MemoryError, RecursionError) as error:
            yield skipped(source, getattr(error, "strerror", None) or error or type(error).__name__)

    def _fetched(self, address: str, read: _Read[T]) -> Iterator[T | Problem]:
        from reparto.corpus.readers.fetching import fetched

        try:
            source, kind = fetched(address, self.limits, self.private)
        except CorpusError as error:
            yield from error.problems
            return
        yield from self._read(source, self.reader or kind, read)

    def _files(self, folder: Path) -> Iterator[Path | Problem]:
        """Regular files below, no hidden ones; a link that leaves the folder is reported, not followed."""
        base, count = folder.resolve(), 0
        for place, folders, files in os.walk(folder, onerror=None, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                path = Path(place) / name
                if name.startswith("."):
                    continue
                if path.is_symlink() and not path.resolve().is_relative_to(base):
                    yield Problem("link", f"{path} leads out of {folder}", "skipped; name its target to index it")
                elif path.is_file():
                    count += 1
                    if count > self.limits.files:
                        yield Problem("too_many", f"{folder} has over {self.limits.files} files", "index its parts")
                        return
                    yield path

    def _identity(self, path: Path) -> str:
        absolute = path.resolve()
        if self.root and absolute.is_relative_to(self.root.resolve()):
            return absolute.relative_to(self.root.resolve()).as_posix()
        return absolute.as_posix()


def _in_blocks(reader: Reader, source: Source) -> Iterator[Document | Problem | Lines]:
    blocks = getattr(reader, "blocks", None)
    if blocks is None or source.name.lower().endswith(".gz"):  # what is damaged further on gives its first lines
        return reader(source)
    found: Iterator[Lines] = blocks(source)
    return found


def reader_for(suffix: str) -> str | None:
    """The name of the reader of a suffix; None where none reads it."""
    for name in registry.names("readers"):
        if suffix in registry.load("readers", name).suffixes:
            return name
    return None
