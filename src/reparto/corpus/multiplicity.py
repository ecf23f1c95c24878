"""Which chunk stands for which: groups of copies over everything a store holds.

The one door between a store and the grouping of copies. `memberships` gives every chunk its leader; what
changed against the store is written back.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import xxhash

from reparto.stores.base import Membership, Row, Store

GROUPING: Mapping[str, Any] = {"name": "exact", "version": "1"}


def regroup(store: Store) -> int:
    """Bring the groups of a store up to date; returns how many chunks changed their place."""
    before: dict[str, Membership | None] = {}

    def remembered() -> Iterable[Row]:
        for row in store.rows():
            before[row.chunk.id] = row.membership
            yield row

    after = memberships(remembered())
    changed = {id: place for id, place in after.items() if before[id] != place}
    if changed:
        store.regroup(changed)
    return len(changed)


def memberships(rows: Iterable[Row]) -> dict[str, Membership]:
    """The place of every chunk.

    Leaders in order of priority: gold before silver, `published` ascending (absent last), the longer text,
    then id.
    """
    groups: dict[bytes, list[tuple[bool, float, int, str]]] = defaultdict(list)
    for row in rows:
        form = _form(row.chunk.text)
        moment = row.fields.get("instant")
        priority = (
            row.fields.get("tier") != "gold",
            float("inf") if moment is None else float(moment),
            -len(form),
            row.chunk.id,
        )
        groups[xxhash.xxh3_128_digest(form.encode("utf-8"))].append(priority)
    places: dict[str, Membership] = {}
    for members in groups.values():
        leader = min(members)[3]
        for *_, id in members:
            places[id] = Membership(leader) if id == leader else Membership(leader, "exact", 1.0, 1.0)
    return places


def _form(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
