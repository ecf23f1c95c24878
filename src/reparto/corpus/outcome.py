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
COLUMNS = (
    "doc_id", "group_id", "leader_id", "relation", "resemblance", "containment", "copies", "sources", "first_published",
    "revision_of", "contained_in", "wire", "wire_by", "canonical_url",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Columns of n documents that decide nothing about resemblance; `order` lists those that count in order of
    priority."""

    ids: Sequence[str]
    sources: Sequence[str | None]
    published: Sequence[str | None]
    instants: NDArray[np.float64]
    urls: Sequence[str | None]
    credits: Sequence[Credit | None]
    order: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A result, column by column, sorted by `doc_id`; `columns` has the names of `COLUMNS`, None where there is nothing."""

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


def _rows(
    facts: Facts, node_of: Ints, first: Ints, leader: Ints, assigned: Assigned, settings: Settings
) -> Grouped:
    ids, n = facts.ids, len(facts.order)
    by_id = sorted(facts.order.tolist(), key=ids.__getitem__)
    sizes = np.bincount(leader[facts.order], minlength=len(ids))
    outlets, earliest, agencies = _of_groups(facts, leader, sizes)
    columns: dict[str, list[Any]] = {name: [None] * n for name in COLUMNS}
    names: dict[int, str] = {}
    leaders, nodes = leader.tolist(), node_of.tolist()
    copies, resemblance, contained = sizes.tolist(), assigned.resemblance.tolist(), assigned.contained.tolist()
    revision_of, contained_in = assigned.revision_of.tolist(), assigned.contained_in.tolist()
    least = settings.resemblance
    for row, i in enumerate(by_id):
        head, at = leaders[i], nodes[i]
        if head not in names:
            names[head] = group_id(ids[head])
        columns["doc_id"][row], columns["group_id"][row], columns["leader_id"][row] = ids[i], names[head], ids[head]
        if nodes[head] == at:
            if head != i:
                columns["relation"][row] = "exact"
                columns["resemblance"][row] = columns["containment"][row] = 1.0
            elif revision_of[at] != NONE:
                columns["relation"][row] = "revision"
                columns["resemblance"][row], columns["containment"][row] = resemblance[at], contained[at]
                columns["revision_of"][row] = ids[first[revision_of[at]]]
            if head == i and contained_in[at] != NONE:
                columns["contained_in"][row] = ids[first[contained_in[at]]]
        else:
            near = least is not None and resemblance[at] >= least
            same = near and facts.sources[i] is not None and facts.sources[i] == facts.sources[head]
            columns["relation"][row] = "update" if same else "near" if near else "contained"
            columns["resemblance"][row], columns["containment"][row] = resemblance[at], contained[at]
        columns["copies"][row], columns["sources"][row] = copies[head], outlets.get(head, int(facts.sources[i] is not None))
        columns["first_published"][row] = earliest.get(head, facts.published[i] if np.isfinite(facts.instants[i]) else None)
        credit = facts.credits[i]
        if credit is not None:
            columns["wire"][row], columns["wire_by"][row] = credit.agency, credit.by
        elif head in agencies:
            columns["wire"][row], columns["wire_by"][row] = agencies[head], "copy"
        columns["canonical_url"][row] = canonical_url(facts.urls[i])
    return Grouped(columns)


def _of_groups(
    facts: Facts, leader: Ints, sizes: Ints
) -> tuple[dict[int, int], dict[int, str | None], dict[int, str]]:
    """Outlets, first publication and agency of each group of two or more, by its leader."""
    outlets: dict[int, set[str]] = {}
    earliest: dict[int, tuple[float, str]] = {}
    agencies: dict[int, str] = {}
    for i in facts.order[sizes[leader[facts.order]] > 1].tolist():
        head = int(leader[i])
        named = outlets.setdefault(head, set())
        source, moment, when = facts.sources[i], float(facts.instants[i]), facts.published[i]
        if source is not None:
            named.add(source)
        if when is not None and np.isfinite(moment) and (head not in earliest or (moment, when) < earliest[head]):
            earliest[head] = (moment, when)
        credit = facts.credits[i]
        if credit is not None:
            agencies.setdefault(head, credit.agency)
    first = {head: earliest[head][1] if head in earliest else None for head in outlets}
    return {head: len(named) for head, named in outlets.items()}, first, agencies
