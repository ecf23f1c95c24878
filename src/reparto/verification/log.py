"""A log, line by line, in constant memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reparto.errors import LogError, Problem
from reparto.verification.record import Violation, verify_record


@dataclass(frozen=True, slots=True)
class Checked:
    """One line of a log: its number, and what is wrong with it."""

    line: int
    violations: tuple[Violation, ...]


def verify_log(path: str | Path) -> Iterator[Checked]:
    """Each record of a log with its broken rules. A line that is no record breaks the rule `form`.

    Raises `LogError` when the file cannot be read.
    """
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 (closed below, once it is known to open)
    except OSError as error:
        raise LogError(Problem("unreadable", f"{path}: {error.strerror}", "name a log that `--log` wrote")) from error
    with stream:
        for number, raw in enumerate(stream, 1):
            if raw.strip():
                yield Checked(number, tuple(_check(raw)))


def _check(raw: bytes) -> list[Violation]:
    try:
        return verify_record(json.loads(raw.decode("utf-8")))
    except LogError as error:
        return [Violation("form", error.problems[0].message)]
    except (ValueError, RecursionError) as error:
        return [Violation("form", f"not JSON: {error}")]
