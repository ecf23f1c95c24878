"""Revisions: near-identical texts that disagree in a fact. Both are kept, or the newest leads and the older wait."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from reparto.model import Decision, Entry, Fate, Notice, Relation

_EARLY = datetime.min.replace(tzinfo=UTC)


def settle_revisions(
    entries: Sequence[Entry], revision_of: Mapping[str, Decision], how: str
) -> tuple[list[Entry], list[Notice]]:
    """Mark families of revisions. `how`: "keep" leaves all as rivals, "latest" lets the newest lead.

    `revision_of` maps an entry's id to a decision whose `by` is the entry it disagrees with.
    """
    marked = {entry.id: entry for entry in entries}
    leaders = {one.by for one in revision_of.values()}
    for id in [*revision_of, *(leader for leader in leaders if leader not in revision_of and leader is not None)]:
        decision = revision_of.get(id)
        marked[id] = replace(marked[id], revision=decision, family=id if decision is None else decision.by)
    notices: list[Notice] = []
    if how == "latest":
        families: dict[str, list[Entry]] = defaultdict(list)
        for entry in marked.values():
            if entry.family is not None:
                families[entry.family].append(entry)
        for family in families.values():
            if len(family) > 1:
                notices += _newest_leads(family, marked)
    return list(marked.values()), notices


def _newest_leads(family: Sequence[Entry], marked: dict[str, Entry]) -> list[Notice]:
    """The newest takes the best place of its family; the older wait under it."""
    versions = all(entry.candidate.version is not None for entry in family)
    if versions:
        newest = max(
            family, key=lambda entry: (natural(entry.candidate.version or ""), _published(entry), entry.relevance)
        )
    else:
        newest = max(family, key=lambda entry: (_published(entry), entry.relevance))
    best = max(entry.relevance for entry in family)
    marked[newest.id] = replace(newest, relevance=best, revision=None)
    for entry in family:
        if entry.id != newest.id:
            evidence = (
                entry.revision.evidence if entry.revision else (newest.revision.evidence if newest.revision else {})
            )
            waiting = Decision(entry.id, Fate.OUTRANKED, newest.id, Relation.REVISION, evidence)
            marked[entry.id] = replace(entry, waits=True, fallback=waiting, revision=waiting)
    zoneless = () if versions else tuple(sorted(entry.id for entry in family if entry.candidate.zoneless))
    if not zoneless:
        return []
    return [
        Notice(
            "zone_missing",
            f"published without a time zone, taken as UTC in choosing the newest: {', '.join(zoneless)}",
            zoneless,
        )
    ]


def _published(entry: Entry) -> datetime:
    """When it was published; without a date, before all others."""
    return entry.candidate.instant or _EARLY


def natural(version: str) -> tuple[tuple[int, int, str], ...]:
    """A key for natural order: runs of digits compare as numbers, so 10 comes after 9, and 1.10 after 1.9."""
    return tuple(
        (1, int(part), "") if part.isdecimal() else (0, 0, part.casefold())
        for part in re.findall(r"\d+|[^\d.\-_ ]+", version)
    )
