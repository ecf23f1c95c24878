"""Where a store lies: a local directory or an object-store URI. Small files are read and replaced whole."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reparto.errors import CorpusError, Problem
from reparto.objectstore import opened, read_whole, write_whole

LOCK = "lock"
PENDING = "pending"  # beside the store from the first write of an index run to its last


@dataclass(frozen=True, slots=True)
class Location:
    """A directory (`path`) or a URI with a scheme (`s3://`, `gs://`, `az://`, `memory://`)."""

    where: str

    @property
    def path(self) -> Path | None:
        """The local directory; None for a URI."""
        if "://" in self.where and not self.where.startswith("file://"):
            return None
        return Path(self.where.removeprefix("file://")).expanduser()

    def __str__(self) -> str:
        return self.where

    def child(self, name: str) -> str:
        """The address of `name` below."""
        return str(self.path / name) if self.path else f"{self.where.rstrip('/')}/{name}"

    def read(self, name: str) -> bytes | None:
        """The bytes of a small file, or None where there is none."""
        if self.path:
            try:
                return (self.path / name).read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None
        system, base = self._remote()
        return read_whole(system, f"{base}/{name}")

    def write(self, name: str, content: bytes) -> None:
        """Replace a small file in one step: old or new, never half; on disk before this returns."""
        if not self.path:
            system, base = self._remote()
            write_whole(system, f"{base}/{name}", content)
            return
        self.path.mkdir(parents=True, exist_ok=True)
        temporary = self.path / f".{name}.{os.getpid()}"
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(self.path / name)
        _sync_folder(self.path)

    def remove(self, name: str) -> None:
        """Remove a folder below, if it is there."""
        if self.path:
            shutil.rmtree(self.path / name, ignore_errors=True)
            return
        system, base = self._remote()
        system.delete_dir_contents(f"{base}/{name}", missing_dir_ok=True)

    def unlink(self, name: str) -> None:
        """Remove a small file, if it is there."""
        if self.path:
            (self.path / name).unlink(missing_ok=True)
            _sync_folder(self.path)
            return
        system, base = self._remote()
        if self.read(name) is not None:
            system.delete_file(f"{base}/{name}")

    @contextmanager
    def writing(self, patience: float = 30.0) -> Iterator[None]:
        """One writer at a time. A second one waits `patience` seconds, then is refused; a lock dies with its
        process.

        An object store has no such lock: there the writes themselves are conditional.
        """
        if not self.path:
            yield
            return
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / LOCK).open("a+b") as stream:
            deadline = time.monotonic() + patience
            while not (held := _lock(stream.fileno())) and time.monotonic() < deadline:
                time.sleep(0.05)
            if not held:
                message = f"another process is writing to the store at {self.where}"
                remedy = "wait until it is done; readers are not affected"
                raise CorpusError(Problem("store_locked", message, remedy))
            yield

    def _remote(self) -> tuple[Any, str]:
        return opened(self.where, f"a store at {self.where}", "store")


def _sync_folder(path: Path) -> None:
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def pending(location: Location) -> bool:
    """Whether an index run is under way or was cut off."""
    return location.read(PENDING) is not None
