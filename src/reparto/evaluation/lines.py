"""Line-oriented input: plain or gzipped text, one JSON value a line, every fault with its line."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reparto.errors import BankError, Problem


def problem(
    code: str,
    message: str,
    remedy: str,
    line: int | None = None,
    field: str | None = None,
    id: str | None = None,
) -> Problem:
    """A problem of a line of input."""
    return Problem(code=code, message=message, remedy=remedy, id=id, field=field, line=line)


def read_text(path: str | Path) -> str:
    """The whole file as text; `-` is standard input, `.gz` (by its content) is unpacked, a BOM is dropped.

    Raises `BankError` for a file that is absent, is no UTF-8 or is a broken archive.
    """
    name = str(path)
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(path).read_bytes()
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.decompress(raw)
        return raw.decode("utf-8-sig")
    except (OSError, EOFError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BankError(
            problem("unreadable", f"cannot read {name!r}: {why}", "name a readable file", field="file")
        ) from None
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BankError(
            problem("encoding", f"{name!r} is not UTF-8", "convert the file to UTF-8", line, "file")
        ) from None


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers from 1; blank ones are skipped. Only line feeds end a line, as JSONL
    has it.
    """
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if line.strip():
            yield number, line


def objects(text: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of JSONL text with their lines; what is no object is added to `problems` and skipped.

    The words NaN and Infinity are read, so that the fault can be named where it matters.
    """
    for number, line in numbered(text):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deeply"
            problems.append(problem("json", f"the line is not JSON: {why}", "write one JSON object a line", number))
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            kind = type(value).__name__
            problems.append(
                problem("json", f"the line is a {kind}, not an object", "write one JSON object a line", number)
            )


def as_id(value: object) -> str | None:
    """An id as text: a non-empty string, or an integer as its decimal string; None for anything else."""
    if isinstance(value, str) and value:
        return value
    return str(value) if type(value) is int else None
