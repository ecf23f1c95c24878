"""Named arrays in one file, and single arrays, read back without asking each for its own header."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALIGNED = 16


class Columns:
    """Arrays in `folder`: those of `columns.bin` together, and each other one in a file of its own.

    `index.json` says where each is: file, type, shape and first byte.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _index(self) -> dict[str, Any]:
        index: dict[str, Any] = json.loads((self.folder / "index.json").read_text("utf-8"))
        return index

    def together(self) -> dict[str, NDArray[Any]]:
        """The arrays of the one file, in memory."""
        raw = np.fromfile(self.folder / "columns.bin", dtype=np.uint8)
        found = {}
        for name, (file, kind, shape, start) in self._index.items():
            if file == "columns.bin":
                size = int(np.prod(shape)) * np.dtype(kind).itemsize
                found[name] = raw[start : start + size].view(kind).reshape(shape)
        return found

    def mapped(self, name: str) -> NDArray[Any]:
        """One array, mapped from its file."""
        file, kind, shape, start = self._index[name]
        if not np.prod(shape):
            return np.zeros(shape, dtype=kind)
        return np.memmap(self.folder / file, dtype=kind, mode="r", offset=start, shape=tuple(shape))


def write_columns(folder: Path, small: Mapping[str, NDArray[Any]], large: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays into a folder: the small ones together, the large ones each by itself."""
    index: dict[str, Any] = {}
    with (folder / "columns.bin").open("wb") as stream:
        for name, values in small.items():
            stream.write(b"\0" * (-stream.tell() % _ALIGNED))
            index[name] = ("columns.bin", values.dtype.str, values.shape, stream.tell())
            stream.write(np.ascontiguousarray(values).tobytes())
    for name, values in large.items():
        np.ascontiguousarray(values).tofile(folder / f"{name}.bin")
        index[name] = (f"{name}.bin", values.dtype.str, values.shape, 0)
    (folder / "index.json").write_text(json.dumps(index), "utf-8")
