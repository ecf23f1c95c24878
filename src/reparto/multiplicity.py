"""What a seat stands for: how many copies, which, from which documents and outlets, first and last published."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from reparto.intake.values import instant
from reparto.model import Candidate, Entry
from reparto.selection import Copies


def copies_of(entry: Entry, elsewhere: Collection[str] = ()) -> Copies:
    """Count, ids, documents, sources and dates of an entry and its copies.

    Members of a span are no copies: a span counts 1 (or the most that one of its members brought). An id counts once,
    however often it was seen, and not at all if it is `elsewhere`: what holds a seat of its own is no copy here,
    whatever an index said of it.
    """
    ids: dict[str, None] = {}
    unnamed = 0
    documents: dict[str, None] = {}
    sources: dict[str, None] = {}
    dates: list[str] = []
    for one in (entry, *_flat(entry.copies)):
        chunks = one.absorbed or (one.candidate,)
        named, extra = _named(one, chunks)
        ids.update(dict.fromkeys(named))
        unnamed += extra
        for chunk in (one.candidate, *chunks):
            documents.update(dict.fromkeys([*_known(chunk.document), *chunk.copies.documents]))
            sources.update(dict.fromkeys([*_known(chunk.source), *chunk.copies.sources]))
            dates += [
                date for date in (chunk.published, chunk.copies.first_published, chunk.copies.last_published) if date
            ]
    ids = {id: None for id in ids if id not in elsewhere}
    first, last = _ends(dates)
    return Copies(len(ids) + unnamed, tuple(ids), tuple(documents), tuple(sources), first, last)


def _named(entry: Entry, chunks: Sequence[Candidate]) -> tuple[list[str], int]:
    """Ids of the copies one entry brings, itself first, and how many more it counts without naming them."""
    named = dict.fromkeys([entry.id])
    members = {chunk.id for chunk in chunks}  # a chunk that has copies names itself among them
    for chunk in chunks:
        named.update(dict.fromkeys(id for id in chunk.copies.ids if id not in members))
    most = max(chunk.copies.count for chunk in chunks)
    return list(named), max(0, most - len(named))


def _flat(copies: Iterable[Entry]) -> Iterable[Entry]:
    for one in copies:
        yield one
        yield from _flat(one.copies)


def _known(value: str | None) -> list[str]:
    return [] if value is None else [value]


def _ends(dates: Iterable[str]) -> tuple[str | None, str | None]:
    """The earliest and the latest of the readable dates, as they were given."""
    read = [(moment[0], date) for date in dates if (moment := instant(date)) is not None]
    return (min(read)[1], max(read)[1]) if read else (None, None)
