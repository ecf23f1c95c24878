"""Checksums of the files of a store whose own format has none: taken after every run, compared by `doctor --deep`.

The files are written once and never changed but for one small hint, so only new ones and that are read again. On an
object store this is left to it.
"""

from __future__ import annotations

import json
from pathlib import Path

import xxhash

NAME = "sums.json"
REWRITTEN = "latest_version_hint.json"
BLOCK = 1 << 20


def seal(folder: Path) -> None:
    """Note size and checksum of every file below `folder`; what was noted before and is unchanged in size is kept."""
    before = _noted(folder) or {}
    now: dict[str, list[int | str]] = {}
    for path in _files(folder):
        name, size = path.relative_to(folder).as_posix(), path.stat().st_size
        known = before.get(name)
        kept = known and known[0] == size and path.name != REWRITTEN
        now[name] = known if known and kept else [size, _sum(path)]
    body = json.dumps(now, sort_keys=True)
    temporary = folder / f".{NAME}"
    temporary.write_text(json.dumps({"files": body, "checksum": _text(body)}), encoding="utf-8")
    temporary.replace(folder / NAME)


def broken(folder: Path) -> list[str]:
    """What is missing or not as it was noted, a line each."""
    noted = _noted(folder)
    if noted is None:
        return [f"{NAME} is missing or damaged"]
    found = []
    for name, (size, checksum) in sorted(noted.items()):
        path = folder / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif path.stat().st_size != size or _sum(path) != checksum:
            found.append(f"{name} is not what was written")
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in {NAME, f".{NAME}"})


def _noted(folder: Path) -> dict[str, list[int | str]] | None:
    try:
        held = json.loads((folder / NAME).read_text(encoding="utf-8"))
        files: dict[str, list[int | str]] = json.loads(held["files"])
        return files if held["checksum"] == _text(held["files"]) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _sum(path: Path) -> str:
    state = xxhash.xxh3_128()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            state.update(block)
    return state.hexdigest()


def _text(body: str) -> str:
    return xxhash.xxh3_128_hexdigest(body.encode("utf-8"))
