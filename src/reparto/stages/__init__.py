"""The steps before seating: merge spans, collapse copies, canonical. Each takes a pool and returns a `Step`."""

from __future__ import annotations

from collections.abc import Iterable

from reparto.model import Entry, Pool


def ranked(entries: Iterable[Entry], query: str = "") -> Pool:
    """A pool in rank order: relevance descending, then id by code point. Input order never matters."""
    return Pool(tuple(sorted(entries, key=lambda entry: (-entry.relevance, entry.candidate.id))), query)
