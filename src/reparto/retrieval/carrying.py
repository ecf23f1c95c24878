"""What a passage stands for, from index time: the chunks it leads, and the documents that carry it in other chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reparto.stores.base import Carrier, Holder, Row, Store
from reparto.stores.filters import Filters

GROUP, OWN = ("copies", "sources", "first_published"), ("revision_of", "wire", "wire_by")


@dataclass(frozen=True, slots=True, eq=False)
class Carrying:
    """What an index knows of some chunks: holders of each leading chunk, carriers of each leading document."""

    holders: dict[str, list[Holder]] = field(default_factory=dict)
    carriers: dict[str, list[Carrier]] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store, rows: Sequence[Row]) -> Carrying:
        """Read for all rows at once; texts are not read."""
        leaders = {row.membership.by for row in rows if row.membership}
        documents = sorted({row.chunk.document for row in rows})
        return cls(store.holders(sorted(leaders)), store.carriers(documents))

    def copies(self, row: Row, filters: Filters) -> dict[str, Any] | None:
        """Candidate field `copies` of a chunk; None where nobody else carries it. Filtered as the search is.

        A document of the group of documents counts unless it lacks this chunk, and is named by its id: it has no one
        chunk that is the copy.
        """
        chunk = row.chunk
        by = row.membership.by if row.membership else chunk.id
        holders = [one for one in self.holders.get(by, ()) if _open(one, filters)]
        known = {one.document for one in holders}
        others = [
            one
            for one in self.carriers.get(chunk.document, ())
            if one.id not in known and one.id != chunk.document and _open(one, filters)
            if chunk.id not in one.standing.lacks
        ]
        if len(holders) + len(others) < 2 and not others:
            return None
        ids = [one.id for one in holders] or [chunk.id]
        both: list[Holder | Carrier] = [*holders, *others]
        named = {one.source for one in both} | {row.fields.get("source")}
        return {
            "count": len(ids) + len(others),
            "ids": ids,
            "documents": sorted(known | {one.id for one in others} | {chunk.document}),
            "sources": sorted(one for one in named if one is not None),
            **_dates(both),
        }

    def told(self, row: Row) -> dict[str, Any]:
        """Of a document that leads: what it revises, its wire credit, and what its group of several amounts to."""
        found = (one for one in self.carriers.get(row.chunk.document, ()) if one.id == row.chunk.document)
        standing = next((one.standing for one in found), None)
        names = OWN if standing is None or standing.copies == 1 else (*GROUP, *OWN)
        values = {} if standing is None else {name: getattr(standing, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}


def _open(one: Holder | Carrier, filters: Filters) -> bool:
    return not filters or filters.match(one.fields)


def _dates(carrying: Sequence[Holder | Carrier]) -> dict[str, str | None]:
    """First and last publication of those that have a readable date."""
    dated = sorted((one.fields["instant"], one.published) for one in carrying if one.fields["instant"] is not None)
    return {"first_published": dated[0][1], "last_published": dated[-1][1]} if dated else {}
