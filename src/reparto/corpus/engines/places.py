"""Places: files on a file system that every worker sees, or on an object store, read and written whole."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reparto.objectstore import opened, read_whole, write_whole

_COLLAPSED = re.compile(r"^([a-z][a-z0-9+]+):/+(?=[^/])")


def address(where: Path | str) -> str:
    """The address of a path or URI. A `Path` made of `s3://bucket/name` has lost a stroke: it is given back."""
    return _COLLAPSED.sub(r"\1://", str(where)) if is_remote(where) else str(Path(where).absolute())


def is_remote(where: Path | str) -> bool:
    """Whether it is on an object store (`s3://`, `gs://`, `az://` and what else pyarrow knows)."""
    return bool(_COLLAPSED.match(str(where)))


def filesystem(where: str) -> tuple[Any, str]:
    """The file system of a URI and the path on it, by pyarrow: keys, region and endpoint are the environment's."""
    return opened(where, f"reading {where}", "dedupe")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its address; travels to workers. What is written is there whole or not at all."""

    where: str

    @classmethod
    def at(cls, where: Path | str) -> Folder:
        """The folder of a path or URI."""
        return cls(address(where).rstrip("/"))

    def __truediv__(self, name: str) -> Folder:
        return Folder(f"{self.where}/{name}")

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none."""
        if not is_remote(self.where):
            try:
                return Path(self.where, name).read_bytes()
            except FileNotFoundError:
                return None
        system, base = filesystem(self.where)
        return read_whole(system, f"{base}/{name}")

    def write(self, name: str, content: bytes) -> None:
        """Write a file; two workers with the same content may write it at once."""
        if is_remote(self.where):
            system, base = filesystem(self.where)
            write_whole(system, f"{base}/{name}", content)
            return
        path = Path(self.where, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        making = path.with_name(f".{name}.{os.getpid()}")
        making.write_bytes(content)
        making.replace(path)

    def remove(self) -> None:
        """Remove it and all that is in it."""
        if not is_remote(self.where):
            shutil.rmtree(self.where, ignore_errors=True)
            return
        system, base = filesystem(self.where)
        system.delete_dir_contents(base, missing_dir_ok=True)


def stat(where: str) -> list[tuple[str, int, Any]] | None:
    """(address, bytes, time of change) of a file or of those of a folder; None where there is nothing."""
    if is_remote(where):
        system, base = filesystem(where)
        from pyarrow import fs

        info = system.get_file_info(base)
        if info.type == fs.FileType.File:
            return [(where, info.size, info.mtime_ns)]
        found = sorted((f"{where.split('://')[0]}://{x.path}", x.size, x.mtime_ns) for x in _infos(system, base))
        return found or None
    path = Path(where)
    if path.is_file():
        return [(where, path.stat().st_size, path.stat().st_mtime_ns)]
    return [(one, size, Path(one).stat().st_mtime_ns) for one, size in sorted(_local(path))] if path.is_dir() else None


def _infos(system: Any, base: str) -> list[Any]:
    from pyarrow import fs

    found = system.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
    return [one for one in found if one.type == fs.FileType.File]


def _local(folder: Path) -> Iterator[tuple[str, int]]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            file = Path(place) / name
            if not name.startswith(".") and file.is_file():
                yield str(file), file.stat().st_size
