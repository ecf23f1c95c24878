"""The rows of a result: who stands for whom, on what evidence, and what each group amounts to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from reparto.corpus.leaders import NONE, Assigned
from reparto.corpus.settings import Settings
from reparto.corpus.urls import canonical_url
from reparto.corpus.wire import Credit

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Objects = NDArray[np.object_]
COLUMNS = (
    "doc_id", "group_id", "leader_id", "relation", "resemblance", "containment", "copies", "sources", "first_published",
    "revision_of", "wire", "wire_by", "canonical_url",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Columns of n documents that decide nothing about resemblance; `order` lists those that count in order of
    priority.
    """

    ids: Sequence[str]
    sources: Sequence[str | None]
    published: Sequence[str | None]
    instants: NDArray[np.float64]
    urls: Sequence[str | None]
    credits: Sequence[Credit | None]
    order: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A result, column by column (`COLUMNS`), sorted by `doc_id`; None where there is nothing."""

    columns: dict[str, list[Any]]

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.columns["doc_id"])

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dict a document."""
        names = list(self.columns)
        for values in zip(*self.columns.values(), strict=True):
            yield dict(zip(names, values, strict=True))

    def groups(self) -> dict[str, list[str]]:
        """Members of each leader, both by id, itself among them; leaders in order of id."""
        found: dict[str, list[str]] = {}
        for id, leader in sorted(zip(self.columns["doc_id"], self.columns["leader_id"], strict=True)):
            found.setdefault(leader, []).append(id)
        return dict(sorted(found.items()))


def group_id(leader: str) -> str:
    """The name of the group that a document leads: 128 bits of a hash of its id, in hex."""
    return xxhash.xxh3_128_hexdigest(leader.encode("utf-8", "surrogatepass"))


def outcome(
    facts: Facts, digests: Hashes, characters: Ints, firsts: Ints, assigned: Assigned, settings: Settings
) -> Grouped:
    """Rows from the assignment of distinct texts. O(n log n)."""
    n, order = len(facts.ids), facts.order
    first = order[firsts]  # document of each node
    node_of = np.zeros(n, dtype=np.int64)
    node_of[order] = _node_of(digests[order], characters[order], firsts)
    leader = first[assigned.leader[node_of]] if len(first) else node_of
    return _rows(facts, node_of, first, leader, assigned, settings)


def _node_of(digests: Hashes, characters: Ints, firsts: Ints) -> Ints:
    _, index, inverse = np.unique(digests, axis=0, return_index=True, return_inverse=True)
    place = np.where(characters > 0, index[inverse.reshape(-1)], np.arange(len(digests)))
    return np.searchsorted(firsts, place).astype(np.int64)


def _rows(facts: Facts, node_of: Ints, first: Ints, leader: Ints, assigned: Assigned, settings: Settings) -> Grouped:
    ids = _objects(facts.ids)
    by_id = _sorted_by(facts.order, facts.ids)
    head, node = leader[by_id], node_of[by_id]
    sizes = np.bincount(leader[facts.order], minlength=len(ids))
    relation, resemblance, contained = _evidence(facts, node_of, by_id, head, assigned, settings)
    names = _objects([None] * len(ids))
    for i in np.flatnonzero(sizes).tolist():
        names[i] = group_id(ids[i])
    revised = np.where(relation == "revision", assigned.revision_of[node], NONE)
    revision_of = _objects([None] * len(by_id))
    revision_of[revised != NONE] = ids[first[revised[revised != NONE]]]
    outlets, earliest, agencies = _of_groups(facts, leader, sizes)
    wire, wire_by = _wire(facts, by_id, head, agencies)
    urls = _objects(facts.urls)[by_id]
    for at in np.flatnonzero(urls != None).tolist():  # noqa: E711 - element by element
        urls[at] = canonical_url(urls[at])
    values = {
        "doc_id": ids[by_id], "group_id": names[head], "leader_id": ids[head], "relation": relation,
        "resemblance": _known(resemblance), "containment": _known(contained), "copies": sizes[head],
        "sources": outlets[head], "first_published": earliest[head], "revision_of": revision_of,
        "wire": wire, "wire_by": wire_by, "canonical_url": urls,
    }  # fmt: skip
    return Grouped({name: values[name].tolist() for name in COLUMNS})


def _objects(values: Sequence[Any]) -> Objects:
    """A list as an array of objects, however long its strings."""
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def _known(values: NDArray[np.float64]) -> Objects:
    made = values.astype(object)
    made[np.isnan(values)] = None
    return made


def _sorted_by(order: Ints, ids: Sequence[str]) -> Ints:
    return np.array(sorted(np.sort(order).tolist(), key=ids.__getitem__), dtype=np.int64)


def _evidence(
    facts: Facts, node_of: Ints, by_id: Ints, head: Ints, assigned: Assigned, settings: Settings
) -> tuple[Objects, NDArray[np.float64], NDArray[np.float64]]:
    node = node_of[by_id]
    resemblance, contained = assigned.resemblance[node], assigned.contained[node]
    relation = _objects([None] * len(by_id))
    same = node_of[head] == node
    exact, joined = same & (head != by_id), ~same
    revision = same & ~exact & (assigned.revision_of[node] != NONE)
    near = joined & (resemblance >= (2.0 if settings.resemblance is None else settings.resemblance))
    codes = {name: code for code, name in enumerate(dict.fromkeys(name for name in facts.sources if name is not None))}
    source = np.array([-1 if name is None else codes[name] for name in facts.sources], dtype=np.int64)
    update = near & (source[by_id] >= 0) & (source[by_id] == source[head])
    for name, which in (
        ("contained", joined),
        ("near", near),
        ("update", update),
        ("exact", exact),
        ("revision", revision),
    ):
        relation[which] = name
    resemblance, contained = (
        np.where(exact, 1.0, np.where(joined | revision, one, np.nan)) for one in (resemblance, contained)
    )
    return relation, resemblance, contained


def _of_groups(facts: Facts, leader: Ints, sizes: Ints) -> tuple[Ints, Objects, dict[int, str]]:
    """Outlets and first publication by leader, and the agency of each group of two or more that has one."""
    outlets = np.array([name is not None for name in facts.sources], dtype=np.int64)
    earliest = _objects(facts.published)
    earliest[~np.isfinite(facts.instants)] = None
    agencies: dict[int, str] = {}
    groups: dict[int, list[int]] = {}
    crowd = facts.order[sizes[leader[facts.order]] > 1]
    for i, head in zip(crowd.tolist(), leader[crowd].tolist(), strict=True):
        groups.setdefault(head, []).append(i)
    instants = facts.instants
    for head, members in groups.items():
        outlets[head] = len({facts.sources[i] for i in members} - {None})
        dated = [(instants[i], facts.published[i]) for i in members if earliest[i] is not None]
        earliest[head] = min(dated)[1] if dated else None
        for i in members:
            credit = facts.credits[i]
            if credit is not None:
                agencies[head] = credit.agency
                break
    return outlets, earliest, agencies


def _wire(facts: Facts, by_id: Ints, head: Ints, agencies: dict[int, str]) -> tuple[Objects, Objects]:
    wire, by = _objects([None] * len(by_id)), _objects([None] * len(by_id))
    if not any(credit is not None for credit in facts.credits):
        return wire, by
    for at, (i, leader) in enumerate(zip(by_id.tolist(), head.tolist(), strict=True)):
        credit = facts.credits[i]
        if credit is not None:
            wire[at], by[at] = credit.agency, credit.by
        elif leader in agencies:
            wire[at], by[at] = agencies[leader], "copy"
    return wire, by
