"""The selection log: one self-contained JSON record a request, appended whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import xxhash

from reparto.errors import LogError, Problem
from reparto.intake import Request
from reparto.model import Candidate
from reparto.selection import Selection, to_json

RECORD = 1  # version of the record


def record_of(request: Request, selection: Selection, at: datetime | None = None, texts: bool = True) -> dict[str, Any]:
    """A record: when, the request as it was read, the merged policy, the selection, and digests of both.

    With `texts` False the passages are left out (their digests stay), and `verify` skips what needs them.
    """
    candidates = [_candidate(one, texts) for one in request.candidates]
    answer = selection.to_dict()
    if not texts:
        for seat in answer["seats"]:
            seat["text"] = None
    inputs = {
        "query": request.query if texts else None,
        "offset_unit": request.offset_unit,
        "aspects": [
            {"id": one.id, "text": one.text, "weight": one.weight, "ratings": dict(one.ratings)}
            for one in request.aspects
        ],
        "candidates": candidates,
    }
    if not texts:
        answer["query"] = None
    record = {
        "record": RECORD,
        "at": (at or datetime.now(UTC)).isoformat(timespec="milliseconds"),
        "policy": _plain_policy(selection.policy),
        "request": inputs,
        "selection": answer,
    }
    record = json.loads(to_json(record))  # as it will be read: what metadata holds in Python becomes what JSON has
    record["inputs_digest"] = digest(record["request"])
    return {**record, "seal": digest(record)}


def digest(value: Any) -> str:
    """A hash of JSON data, independent of the order of keys."""
    return xxhash.xxh3_128_hexdigest(json.dumps(value, sort_keys=True, ensure_ascii=True).encode())


def lock(handle: int) -> None:
    """Wait until nobody else holds the lock on an open file, and hold it until the file is closed; nothing where the
    platform has no such lock.
    """
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(handle, fcntl.LOCK_EX)


class LogWriter:
    """Appends records to a file. Each is one write of one line, so that writers do not cut into one another."""

    def __init__(self, path: str | Path, texts: bool = True) -> None:
        self._path, self._texts = Path(path), texts

    def write(self, request: Request, selection: Selection) -> None:
        """Append one record; `LogError` when the file cannot be written."""
        line = (to_json(record_of(request, selection, texts=self._texts)) + "\n").encode("utf-8")
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                while line:
                    line = line[os.write(handle, line) :]
            finally:
                os.close(handle)
        except OSError as error:
            raise LogError(
                Problem("unwritable", f"{self._path}: {error.strerror}", "give a path that can be written")
            ) from error


def _candidate(one: Candidate, texts: bool) -> dict[str, Any]:
    vectors = {name: [float(x) for x in vector] for name, vector in one.vectors.items()}
    record: dict[str, Any] = {
        "id": one.id, "score": one.score, "text": one.text if texts else None, "text_digest": digest(one.text),
        "document": one.document, "source": one.source, "start": one.start, "end": one.end, "version": one.version,
        "published": one.published, "tier": one.tier, "concept": one.concept, "tokens": one.tokens,
        "language": one.language, "url": one.url, "title": one.title, "valid": one.valid,
        "metadata": dict(one.metadata), "vectors": vectors,
        "signature": None if one.signature is None else xxhash.xxh3_128_hexdigest(one.signature),
    }  # fmt: skip
    record["copies"] = {
        "count": one.copies.count, "ids": list(one.copies.ids), "documents": list(one.copies.documents),
        "sources": list(one.copies.sources),
    }  # fmt: skip
    return {name: value for name, value in record.items() if value not in (None, {}, [])}


def _plain_policy(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The merged policy as data; a counter that is a function is named."""
    plain: dict[str, Any] = json.loads(
        json.dumps(dict(policy), default=lambda value: getattr(value, "__qualname__", str(value)))
    )
    return plain
