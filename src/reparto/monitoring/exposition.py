"""The service's counters, read from Prometheus text exposition: a file, or the address of its /metrics."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any

from reparto.errors import LogError, MissingExtraError, Problem

SCHEMES = ("http://", "https://")
PATIENCE = 10.0
"""Seconds to wait for an answer."""
LARGEST = 16 * 1024 * 1024
COUNTERS: Mapping[str, str] = {
    "reparto_selections_total": "selections",
    "reparto_delivered_passages_total": "delivered",
    "reparto_delivered_duplicates_total": "delivered_duplicates",
    "reparto_ranked_passages_total": "ranked",
    "reparto_ranked_duplicates_total": "ranked_duplicates",
}


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted for one class: selections, seats and those like another seat, and the same of the first k."""

    selections: float = 0.0
    delivered: float = 0.0
    delivered_duplicates: float = 0.0
    ranked: float = 0.0
    ranked_duplicates: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        """Of two services, or two spans of time, together."""
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in COUNTERS.values()})

    def since(self, earlier: Counts) -> Counts:
        """What came on top of `earlier`; everything where a counter is smaller, since the service began anew."""
        more = {name: getattr(self, name) - getattr(earlier, name) for name in COUNTERS.values()}
        return self if min(more.values()) < 0 else Counts(**more)


def is_exposition(source: str | Path) -> bool:
    """Whether a source is an address, or a file that begins as an exposition does (a log begins with a brace)."""
    if str(source).startswith(SCHEMES):
        return True
    try:
        with Path(source).open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False  # the reader of logs says what is wrong
    first = next((line for line in head.splitlines() if line.strip()), b"").lstrip()
    return first.startswith((b"# HELP ", b"# TYPE ", b"reparto_"))


def read_counts(source: str | Path) -> dict[str, Counts]:
    """Counts by query class. Raises `LogError` for what cannot be read and `MissingExtraError` without the parser."""
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError as error:
        raise MissingExtraError("reading the service's counters", "service") from error
    text = _fetch(str(source)) if str(source).startswith(SCHEMES) else _read(Path(source))
    found: dict[str, dict[str, float]] = {}
    try:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                name = COUNTERS.get(sample.name)
                if name is not None:
                    counts = found.setdefault(sample.labels.get("policy", ""), {})
                    counts[name] = counts.get(name, 0.0) + float(sample.value)
    except (ValueError, KeyError, IndexError) as error:
        message = f"{_named(source)} is no Prometheus text: {error}"
        raise LogError(
            Problem("exposition", message, "give what the service's /metrics answers", field="LOG")
        ) from None
    if not found and not any(f"# HELP {name[: -len('_total')]}" in text for name in COUNTERS):
        message = f"{_named(source)} holds no counters of this service"
        raise LogError(Problem("exposition", message, "give what the service's /metrics answers", field="LOG"))
    return {name: Counts(**counts) for name, counts in found.items()}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        told = getattr(error, "strerror", None) or str(error)
        raise LogError(
            Problem("unreadable", f"cannot read {path.name!r}: {told}", "name a file", field="LOG")
        ) from None


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the key is meant for the address given."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _fetch(address: str) -> str:
    """What an address answers. The first of REPARTO_API_KEYS, where there is one, goes with the request."""
    asked = urllib.request.Request(address, headers={"Accept": "text/plain"})
    keys = os.environ.get("REPARTO_API_KEYS", "").replace(",", " ").split()
    if keys:
        asked.add_unredirected_header("Authorization", f"Bearer {keys[0]}")
    try:
        answer: HTTPResponse
        with urllib.request.build_opener(_Stay()).open(asked, timeout=PATIENCE) as answer:
            return answer.read(LARGEST).decode("utf-8")
    except urllib.error.HTTPError as error:
        error.close()
        told = f"it answers {error.code}"
    except (OSError, HTTPException, ValueError) as error:
        told = str(getattr(error, "reason", None) or error)
    remedy = "give the address of the service's /metrics; keys are read from REPARTO_API_KEYS"
    raise LogError(Problem("unreadable", f"cannot read {_named(address)}: {told}", remedy, field="LOG"))


def _named(source: str | Path) -> str:
    """How a source is told of: an address without what a query or user name in it may hide."""
    if not str(source).startswith(SCHEMES):
        return repr(Path(source).name)
    return repr(str(source).partition("?")[0].rpartition("@")[2])
