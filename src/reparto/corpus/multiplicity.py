"""Which chunk stands for which, and which document: groups of copies over everything a store holds.

The one door between a store and the grouping of copies. Every chunk and every document gets its leader; what changed
against the store is written back. The thresholds and the seed are the store's own, kept in its marker.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from reparto.corpus.carrying import carried
from reparto.corpus.groups import group_documents
from reparto.corpus.outcome import Grouped
from reparto.corpus.settings import Settings
from reparto.documents import Document
from reparto.stores.base import Membership, Row, Standing, Store

NAME = "groups"
_COUNTED = tuple(one.name for one in fields(Standing) if one.name not in ("by", "lacks"))


def grouping(settings: Settings | None = None) -> dict[str, Any]:
    """What a new store remembers of its grouping.

    The seed of its fingerprints is drawn for each store: who knew it could write texts that slip past the bands.
    """
    settings = settings or Settings(seed=secrets.randbits(62))
    return {"name": NAME, **settings.to_dict()}


def settings_of(remembered: Mapping[str, Any]) -> Settings:
    """The settings that a store's marker holds."""
    names = Settings.__dataclass_fields__
    return Settings(**{name: value for name, value in remembered.items() if name in names})


def regroup(store: Store) -> int:
    """Bring the groups of a store up to date; returns how many chunks and documents changed their place.

    Reads every chunk, and every document unless each is its only chunk.
    """
    settings = settings_of(store.manifest.grouping)
    before: dict[str, Membership | None] = {}
    owner: dict[str, str] = {}

    def remembered() -> Iterator[Row]:
        for row in store.rows():
            before[row.chunk.id], owner[row.chunk.id] = row.membership, row.chunk.document
            yield row

    grouped = _of_chunks(remembered(), settings)
    after = memberships(grouped, owner)
    if any(id != document for id, document in owner.items()):
        grouped = group_documents(store.documents(), settings)
    standing = standings(grouped)
    within, standing = carried(store, owner, after, standing, settings)
    after |= within
    places = {id: place for id, place in after.items() if before[id] != place}
    if places:
        store.regroup(places)
    stood = store.standings()
    moved = {id: one for id in stood if stood[id] != (one := standing.get(id, Standing(id)))}
    if moved:
        store.stand(moved)
    return len(places) + len(moved)


def memberships(grouped: Grouped, owner: Mapping[str, str]) -> dict[str, Membership]:
    """The place of every chunk; `owner` is the document of each.

    Neighbouring chunks of one document overlap by design: that makes no copies, only the same text twice does.
    """
    places: dict[str, Membership] = {}
    for row in grouped.rows():
        id, leader, relation = row["doc_id"], row["leader_id"], row["relation"]
        if id == leader or (relation != "exact" and owner[id] == owner[leader]):
            places[id] = Membership(id)
        else:
            places[id] = Membership(leader, relation, row["resemblance"], row["containment"])
    return places


def standings(grouped: Grouped) -> dict[str, Standing]:
    """The place of every document, from the rows of its grouping."""
    return {
        row["doc_id"]: replace(Standing(row["leader_id"]), **{name: row[name] for name in _COUNTED})
        for row in grouped.rows()
    }


def _of_chunks(rows: Iterable[Row], settings: Settings) -> Grouped:
    def chunks() -> Iterator[Document]:
        for row in rows:
            known = row.fields
            yield Document(
                row.chunk.id,
                row.chunk.text,
                source=known.get("source"),
                published=known.get("published"),
                url=known.get("url"),
                tier=known.get("tier"),
            )

    return group_documents(chunks(), settings)
