"""Seal: the digests in the record are those of what it holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import xxhash

from reparto.verification.record import Violation
from reparto.verification.view import View


def check(view: View) -> Iterator[Violation]:
    """The inputs' digest and the whole record's."""
    if view.record.get("inputs_digest") != _digest(view.request):
        yield Violation("seal", "the request is not the one whose digest was logged")
    rest = {name: value for name, value in view.record.items() if name != "seal"}
    if view.record.get("seal") != _digest(rest):
        yield Violation("seal", "the record was changed after it was written")


def _digest(value: Any) -> str:
    return xxhash.xxh3_128_hexdigest(json.dumps(value, sort_keys=True, ensure_ascii=True).encode())
