"""Requests from a file or standard input: one JSON value, or a request a line in constant memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from reparto.errors import Problem, RequestError


@dataclass(frozen=True, slots=True)
class Item:
    """One request of the input, or the error in its place. `line` is None when the input is one JSON value."""

    value: Any = None
    error: RequestError | None = None
    line: int | None = None


def read_requests(path: str) -> Iterator[Item]:
    """Requests of a file, `-` for standard input.

    Input that parses as one JSON value is one request; otherwise each line is one. A line-wise stream is read a line
    at a time. Raises `RequestError` when the file cannot be read.
    """
    if path == "-":
        yield from _items(sys.stdin.buffer)
        return
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 (closed below, once it is known to open)
    except OSError as error:
        raise RequestError(
            Problem("unreadable", f"{path}: {error.strerror}", "name a file with a request, or - for standard input")
        ) from error
    with stream:
        yield from _items(stream)


def _items(stream: IO[bytes]) -> Iterator[Item]:
    """Decide by the head of the stream whether it is one value or lines, then read on."""
    held: list[tuple[int, bytes]] = []
    for number, line in enumerate(stream, 1):
        if not line.strip():
            continue
        held.append((number, line))
        # A line that is a request by itself, with another before or after it: these are lines.
        if len(held) > 1 and (_is_request(held[0][1]) or _is_request(line)):
            yield from (_parse(one, at) for at, one in held)
            for after, one in enumerate(stream, number + 1):
                if one.strip():
                    yield _parse(one, after)
            return
    if not held:
        yield Item(
            error=RequestError(Problem("empty_input", "there is no request in the input", "give a request as JSON"))
        )
        return
    whole = _parse(b"".join(line for _, line in held), None)
    if whole.error is None or len(held) == 1:
        yield whole
    else:
        yield from (_parse(line, number) for number, line in held)


def _is_request(line: bytes) -> bool:
    value = _parse(line, None).value
    return isinstance(value, dict) and ("candidates" in value or "channels" in value)


def _parse(raw: bytes, line: int | None) -> Item:
    try:
        return Item(json.loads(raw.decode("utf-8-sig")), line=line)
    except UnicodeDecodeError as error:
        problem = Problem("not_utf8", f"byte {error.start} is not UTF-8", "encode the input as UTF-8", line=line)
    except RecursionError:
        problem = Problem("too_deep", "the JSON is nested too deeply", "flatten it", line=line)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if line is None else ""
        problem = Problem(
            "not_json", f"{error.msg} at {where}column {error.colno}", "give one JSON value, or one a line", line=line
        )
    except ValueError as error:  # an integer of thousands of digits
        problem = Problem("not_json", str(error).split(";")[0], "write the number with fewer digits", line=line)
    return Item(error=RequestError(problem), line=line)
