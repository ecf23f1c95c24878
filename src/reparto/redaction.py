"""Erase the texts of one document from selection logs, keeping what was decided.

A record keeps ids, scores, fates, evidence and text digests; passage, title, metadata and vectors (an
embedding gives back much of its text) of the candidates concerned go, as do the seats' texts that came from
them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from reparto.errors import LogError, Problem
from reparto.log import digest, lock
from reparto.selection import to_json

ERASED = ("text", "title", "url", "metadata", "vectors")


def redact_file(path: str | Path, id: str, *, dry_run: bool = False) -> int:
    """Redact a log in place, in one step; returns how many records changed.

    The log is locked meanwhile: a service waits, and goes on in the new file. What appends without that lock (`--log`
    of a command; everything where the platform has no such lock) must not run at the same time: a record it writes
    between the reading and the replacing is lost. A line that is no record is an error (`LogError`): it could hold the
    text too.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    changed = 0
    try:
        with path.open("rb") as log:
            lock(log.fileno())
            with temporary.open("wb") as out:
                os.chmod(temporary, 0o600)
                for number, line in enumerate(log, 1):
                    record = _record(path, line, number)
                    if record is not None and redact(record, id):
                        changed += 1
                        line = (to_json(record) + "\n").encode("utf-8")
                    out.write(line)
                out.flush()
                os.fsync(out.fileno())
            if changed and not dry_run:
                temporary.replace(path)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise LogError(Problem("unreadable", message, "name a log that can be read and replaced")) from error
    finally:
        temporary.unlink(missing_ok=True)
    return changed


def redact(record: dict[str, Any], id: str) -> bool:
    """Redact one record in place; whether it held anything of `id` (a candidate's id or a document's)."""
    request, answer = record.get("request", {}), record.get("selection", {})
    concerned = {one["id"] for one in request.get("candidates", []) if id in {one.get("id"), one.get("document")}}
    if not concerned:
        return False
    for one in request["candidates"]:
        if one["id"] in concerned:
            for name in ERASED:
                one.pop(name, None)
    for seat in answer.get("seats", []):
        span = seat.get("span") or {}
        if concerned & {seat.get("id"), *(span.get("members") or [])}:
            seat.update(text=None, metadata={}, title=None, url=None)
    record["redacted"] = sorted({*record.get("redacted", []), *concerned})
    record["inputs_digest"] = digest(request)
    record.pop("seal", None)
    record["seal"] = digest(record)
    return True


def _record(path: Path, line: bytes, number: int) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        problem = Problem("not_a_record", f"{path}: not a log record", "repair or remove the line first", line=number)
        raise LogError(problem)
    return record
