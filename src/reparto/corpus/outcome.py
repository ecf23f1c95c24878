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
from reparto.kernels import native

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


def _group_ids(leaders: Sequence[str]) -> list[str]:
    """`group_id`, a million times."""
    module = native()
    try:
        if module is not None:
            found: list[str] = module.hex_digests(list(leaders))
            return found
        return list(map(xxhash.xxh3_128_hexdigest, map(str.encode, leaders)))
    except UnicodeEncodeError:  # a lone surrogate among them
        return list(map(group_id, leaders))


def outcome(facts: Facts, firsts: Ints, node: Ints, assigned: Assigned, settings: Settings) -> Grouped:
    """Rows from the assignment of distinct texts; `firsts` and `node` as `groups.distinct` gives them. O(n log n)."""
    first = facts.order[firsts]  # document of each node
    node_of = np.zeros(len(facts.ids), dtype=np.int64)
    node_of[facts.order] = node
    leader = first[assigned.leader[node_of]] if len(first) else node_of
    return _rows(facts, node_of, first, leader, assigned, settings)


def _rows(facts: Facts, node_of: Ints, first: Ints, leader: Ints, assigned: Assigned, settings: Settings) -> Grouped:
    ids = _objects(facts.ids)
    by_id = _sorted_by(facts.order, facts.ids)
    head, node = leader[by_id], node_of[by_id]
    sizes = np.bincount(leader[facts.order], minlength=len(ids))
    sources = _codes(facts.sources)
    same_source = (sources[by_id] >= 0) & (sources[by_id] == sources[head])
    relation, resemblance, contained = _evidence(node_of, by_id, head, same_source, assigned, settings)
    names = _objects([None] * len(ids))
    heads = np.flatnonzero(sizes)
    names[heads] = _group_ids(ids[heads].tolist())
    revised = np.where(relation == "revision", assigned.revision_of[node], NONE)
    revision_of = _objects([None] * len(by_id))
    revision_of[revised != NONE] = ids[first[revised[revised != NONE]]]
    crowd = facts.order[sizes[leader[facts.order]] > 1]
    outlets = _outlets(sources, leader, crowd)
    earliest = _earliest(facts, leader, crowd)
    wire, wire_by = _wire(facts, by_id, head, leader, crowd)
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
    module = native()
    if module is not None:
        counts = np.zeros(len(ids), dtype=bool)
        counts[order] = True
        try:
            every: Ints = module.text_order(list(ids))
            return every[counts[every]]
        except UnicodeEncodeError:  # a lone surrogate among them
            pass
    return np.array(sorted(np.sort(order).tolist(), key=ids.__getitem__), dtype=np.int64)


def _codes(values: Sequence[str | None]) -> Ints:
    """Values as numbers from 0; -1 for None."""
    numbers: dict[str | None, int] = {None: -1}
    numbers |= {name: at for at, name in enumerate(one for one in dict.fromkeys(values) if one is not None)}
    return np.fromiter(map(numbers.__getitem__, values), dtype=np.int64, count=len(values))


def _evidence(
    node_of: Ints, by_id: Ints, head: Ints, same_source: NDArray[np.bool_], assigned: Assigned, settings: Settings
) -> tuple[Objects, NDArray[np.float64], NDArray[np.float64]]:
    node = node_of[by_id]
    resemblance, contained = assigned.resemblance[node], assigned.contained[node]
    relation = _objects([None] * len(by_id))
    same = node_of[head] == node
    exact, joined = same & (head != by_id), ~same
    revision = same & ~exact & (assigned.revision_of[node] != NONE)
    near = joined & (resemblance >= (2.0 if settings.resemblance is None else settings.resemblance))
    update = near & same_source
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


def _outlets(sources: Ints, leader: Ints, crowd: Ints) -> Ints:
    """Distinct named sources by leader; `crowd` are the documents of groups of two or more."""
    outlets = (sources >= 0).astype(np.int64)
    named = crowd[sources[crowd] >= 0]
    width = int(sources.max(initial=0)) + 1
    heads = np.unique(leader[named] * width + sources[named]) // width
    outlets[leader[crowd]] = 0
    outlets[heads] = 0
    np.add.at(outlets, heads, 1)
    return outlets


def _earliest(facts: Facts, leader: Ints, crowd: Ints) -> Objects:
    """The earliest date by leader, as it was given; of several spellings of one moment the least."""
    earliest = _objects(facts.published)
    earliest[~np.isfinite(facts.instants)] = None
    dated = crowd[np.isfinite(facts.instants[crowd])]
    by = dated[np.lexsort((facts.instants[dated], leader[dated]))]
    moment, head = facts.instants[by], leader[by]
    new = np.ones(len(by), dtype=bool)
    new[1:] = head[1:] != head[:-1]
    start = np.flatnonzero(new)[np.cumsum(new) - 1] if len(by) else np.zeros(0, np.int64)
    given = earliest[by]
    undated = np.setdiff1d(leader[crowd], head)
    earliest[undated] = None
    earliest[head[new]] = given[new]
    for at in np.flatnonzero((moment == moment[start]) & ~new).tolist():
        if given[at] < earliest[head[at]]:
            earliest[head[at]] = given[at]
    return earliest


def _wire(facts: Facts, by_id: Ints, head: Ints, leader: Ints, crowd: Ints) -> tuple[Objects, Objects]:
    """Agency and where it is credited, row by row; a document without a credit takes that of its group."""
    wire, by = _objects([None] * len(by_id)), _objects([None] * len(by_id))
    credited = _objects(facts.credits) != None  # noqa: E711 - element by element
    if not credited.any():
        return wire, by
    agencies: dict[int, str] = {}
    for i in crowd[credited[crowd]].tolist():
        agencies.setdefault(int(leader[i]), facts.credits[i].agency)
    for at, (i, group) in enumerate(zip(by_id.tolist(), head.tolist(), strict=True)):
        credit = facts.credits[i]
        if credit is not None:
            wire[at], by[at] = credit.agency, credit.by
        elif group in agencies:
            wire[at], by[at] = agencies[group], "copy"
    return wire, by
