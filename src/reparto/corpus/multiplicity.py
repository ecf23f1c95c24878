"""Which chunk stands for which: groups of copies over everything a store holds.

The one door between a store and the grouping of copies. `memberships` gives every chunk its leader; what changed
against the store is written back. The thresholds and the seed are the store's own, kept in its marker.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reparto.corpus.groups import group_documents
from reparto.corpus.settings import Settings
from reparto.documents import Document
from reparto.stores.base import Membership, Row, Store

NAME = "groups"


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
    """Bring the groups of a store up to date; returns how many chunks changed their place. Reads every chunk."""
    before: dict[str, Membership | None] = {}

    def remembered() -> Iterator[Row]:
        for row in store.rows():
            before[row.chunk.id] = row.membership
            yield row

    after = memberships(remembered(), settings_of(store.manifest.grouping))
    changed = {id: place for id, place in after.items() if before[id] != place}
    if changed:
        store.regroup(changed)
    return len(changed)


def memberships(rows: Iterable[Row], settings: Settings | None = None) -> dict[str, Membership]:
    """The place of every chunk.

    Neighbouring chunks of one document overlap by design: that makes no copies, only the same text twice does.
    """
    documents: dict[str, str] = {}

    def chunks() -> Iterator[Document]:
        for row in rows:
            documents[row.chunk.id] = row.chunk.document
            known = row.fields
            yield Document(
                row.chunk.id,
                row.chunk.text,
                source=known.get("source"),
                published=known.get("published"),
                url=known.get("url"),
                tier=known.get("tier"),
            )

    places: dict[str, Membership] = {}
    for row in group_documents(chunks(), settings).rows():
        id, leader, relation = row["doc_id"], row["leader_id"], row["relation"]
        if id == leader or (relation != "exact" and documents[id] == documents[leader]):
            places[id] = Membership(id)
        else:
            places[id] = Membership(leader, relation, row["resemblance"], row["containment"])
    return places
