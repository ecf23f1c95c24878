"""The selection log of a service: whole lines only, also after a full disk or a kill in mid-write.

A record is one append under a lock on the file. A short write is taken back. A kill can cut a long append (the kernel
may stop between pages), so a torn last line is cut off when the log is opened again and before every append.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from reparto.errors import LogError, Problem
from reparto.intake import Request
from reparto.log import lock, record_of
from reparto.selection import Selection
from reparto.service.writing import json_bytes

_BLOCK = 1 << 16


class Recorder:
    """Appends selection records to a file; safe for many threads and several processes.

    Without `texts` the passages and the query stay out and their digests go in; fields and metadata that a policy may
    name (document, source, `metadata.NAME`) stay, so that the record can be verified.
    """

    def __init__(self, path: str | Path, texts: bool = False) -> None:
        self.path, self._texts, self._lock = Path(path), texts, threading.Lock()

    def open(self) -> int:
        """Check that the log can be written, and cut off a torn last line; the number of bytes cut."""
        with self._lock:
            return self._locked(b"")

    def write(self, request: Request, selection: Selection) -> None:
        """Append one record; `LogError` when the file cannot be written, which is then as it was."""
        line = json_bytes(record_of(request, selection, texts=self._texts)) + b"\n"
        with self._lock:
            self._locked(line)

    def _locked(self, line: bytes) -> int:
        try:
            handle = self._opened()
            try:
                cut = _mend(handle)
                _append(handle, line)
                return cut
            finally:
                os.close(handle)
        except OSError as error:
            message = f"the selection log: {error.strerror or error}"
            raise LogError(Problem("unwritable", message, "make room, or give a path that can be written")) from error

    def _opened(self) -> int:
        """The file that has the name of the log, locked: it may have been replaced while the lock was waited for."""
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            lock(handle)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.stat(self.path)):
                    return handle
            os.close(handle)


def _append(handle: int, line: bytes) -> None:
    size = os.fstat(handle).st_size
    try:
        written = os.write(handle, line) if line else 0
        while written < len(line):
            written += os.write(handle, line[written:])
    except OSError:
        os.ftruncate(handle, size)
        raise


def _mend(handle: int) -> int:
    """Cut off what follows the last line break; the number of bytes cut."""
    size = end = os.fstat(handle).st_size
    if size == 0 or _read(handle, 1, size - 1) == b"\n":
        return 0
    while end > 0:
        start = max(0, end - _BLOCK)
        at = _read(handle, end - start, start).rfind(b"\n")
        if at >= 0:
            end = start + at + 1
            break
        end = start
    os.ftruncate(handle, end)
    return size - end


def _read(handle: int, count: int, at: int) -> bytes:
    os.lseek(handle, at, os.SEEK_SET)
    return os.read(handle, count)
