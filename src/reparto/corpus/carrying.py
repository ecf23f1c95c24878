"""What copies of a document carry of it, chunk by chunk, and which of their own chunks say nothing beside it.

Two texts that are copies need not be cut at the same places: a chunk of the one may lie across two of the other and
resemble neither. So the chunks of each document that is a copy are held against the whole text of its leader, and the
leader's against the whole text of the copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.settings import Settings
from reparto.kernels import fingerprint
from reparto.stores.base import Membership, Standing, Store

Hashes = NDArray[np.uint64]
_CARRIED = 0.8  # of a chunk's shingles: the text has it
_WHOLE = frozenset({"exact", "near", "update"})  # relations in which the copy has the leader's text too
_AT_ONCE = 200  # copies compared at once


def carried(
    store: Store,
    owner: Mapping[str, str],
    places: Mapping[str, Membership],
    standings: Mapping[str, Standing],
    settings: Settings,
) -> tuple[dict[str, Membership], dict[str, Standing]]:
    """Places of the chunks of copies with how far each lies `within` the leading document, and all standings with what
    each copy `lacks` of its leader.

    `owner` is the document of each chunk. A chunk that others follow keeps its place: they are counted by it.
    Documents of one chunk are left to the groups of chunks. O(characters of the copies and their leaders).
    """
    chunks: dict[str, list[str]] = {}
    for id, document in owner.items():
        chunks.setdefault(document, []).append(id)
    followed = {place.by for id, place in places.items() if not place.leads(id)}
    within: dict[str, Membership] = {}
    found = dict(standings)
    for some in _copies(standings, chunks):
        named = sorted({id for copy in some for id in (copy, standings[copy].by)})
        sets = _sets({one.id: one.text for one in store.documents(named)}, settings)
        own = [id for document in named for id in chunks.get(document, ())]
        parts = _sets({row.chunk.id: row.chunk.text for row in store.rows(own)}, settings)
        for copy in some:
            place = standings[copy]
            lacks = (id for id in chunks.get(place.by, ()) if _share(parts[id], sets[copy]) < _CARRIED)
            found[copy] = replace(place, lacks=tuple(sorted(lacks)))
            for id in chunks.get(copy, ()) if place.relation in _WHOLE else ():
                if id not in followed:
                    within[id] = replace(places[id], within=_share(parts[id], sets[place.by]))
    return within, found


def _copies(standings: Mapping[str, Standing], chunks: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Documents that another leads, those of one leader together, where either has several chunks."""
    copies = sorted(
        (place.by, id)
        for id, place in standings.items()
        if place.by != id and max(len(chunks.get(id, ())), len(chunks.get(place.by, ()))) > 1
    )
    for at in range(0, len(copies), _AT_ONCE):
        yield [id for _, id in copies[at : at + _AT_ONCE]]


def _sets(texts: Mapping[str, str], settings: Settings) -> dict[str, Hashes]:
    """Shingle sets of texts, by id."""
    sketches = fingerprint(list(texts.values()), settings.spec)
    bounds = sketches.offsets.tolist()
    return {id: sketches.hashes[bounds[at] : bounds[at + 1]] for at, id in enumerate(texts)}


def _share(part: Hashes, whole: Hashes) -> float:
    """Which share of the shingles of a part the whole has; of a part without any, all."""
    if not len(part) or not len(whole):
        return 1.0 if not len(part) else 0.0
    at = np.minimum(np.searchsorted(whole, part), len(whole) - 1)
    return float((whole[at] == part).mean())
