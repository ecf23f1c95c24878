"""Leaders from the verified pairs, and the rows of each group. Pairs that hold are few: the driver has them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reparto.corpus.candidates import apart, code
from reparto.corpus.engines.blocks import Row, column, homes, id_of, ranked, ranked_together, scattered, tables
from reparto.corpus.leaders import NONE, Assigned, assign
from reparto.corpus.outcome import COLUMNS, Facts, outcome
from reparto.corpus.settings import Settings
from reparto.corpus.verify import Verified
from reparto.corpus.wire import Credit
from reparto.corpus.writing import schema

Ints = NDArray[np.int64]


def leaders(links: pa.Table | None, many: int) -> list[Row]:
    """Verified pairs -> the nodes that join another or revise it, each to its own shard."""
    if links is None or not len(links):
        return []
    places, (later, earlier) = ranked_together([links.column("later"), links.column("earlier")])
    codes, first = np.unique(code(later, earlier), return_index=True)
    later, earlier = apart(codes)
    told = links.column("agree").to_numpy().astype(bool)[first]
    pairs = Verified(later, earlier, column(links, "resemblance")[first], column(links, "contained")[first])

    def agree(one: int, other: int) -> bool:
        return bool(told[np.searchsorted(codes, np.uint64((other << 32) | one))])

    found = assign(len(places), pairs, agree)
    own = np.flatnonzero((found.leader != np.arange(len(places))) | (found.revision_of != NONE))
    revised = found.revision_of[own]
    table = pa.table({
        "node": places.take(pa.array(own)), "leader": places.take(pa.array(found.leader[own])),
        "resemblance": found.resemblance[own], "contained": found.contained[own],
        "revises": places.take(pa.array(revised, mask=revised == NONE)),
    })  # fmt: skip
    return scattered("assigned", table, homes(table.column("node"), many), many)


@dataclass(frozen=True, slots=True)
class Gather:
    """Settings, how many shards there are, and where the sorted result is cut; every method is a step."""

    settings: Settings
    many: int
    bounds: tuple[bytes, ...] = ()

    def grouped(self, rows: Sequence[Row]) -> list[Row]:
        """Members and places -> members with their leader, by leader."""
        table, places = tables(rows, "member"), tables(rows, "assigned")
        if table is None:
            return []
        if places is None:
            none = pa.array([], pa.binary())
            floats = pa.array([], pa.float64())
            places = pa.table(
                {"node": none, "leader": none, "resemblance": floats, "contained": floats, "revises": none}
            )
        at = pa.compute.index_in(
            table.column("node").combine_chunks(), value_set=places.column("node").combine_chunks()
        )
        beside = places.select(["leader", "resemblance", "contained", "revises"]).take(at)
        leader = pa.compute.coalesce(beside.column("leader"), table.column("node"))
        for name in ("resemblance", "contained", "revises"):
            table = table.append_column(name, beside.column(name))
        table = table.append_column("leader", leader)
        return scattered("grouped", table, homes(leader, self.many), self.many)

    def rows(self, rows: Sequence[Row]) -> list[Row]:
        """Whole groups -> their rows, each to its stretch of the sorted result."""
        table = tables(rows, "grouped")
        if table is None:
            return []
        table = table.take(pa.compute.sort_indices(table.column("place")))
        nodes, first = table.column("node"), np.zeros(0, np.int64)
        names, which = ranked(nodes)
        _, first = np.unique(which, return_index=True)  # places of nodes in the table, in order of rank
        heads, leader = ranked(pa.chunked_array([*names_of(names).chunks, *table.column("leader").chunks]))
        del heads
        rank_of = {int(code): rank for rank, code in enumerate(leader[: len(names)].tolist())}
        assigned = Assigned.alone(len(names))
        at = first
        assigned.leader[:] = [rank_of[int(code)] for code in leader[len(names) :][at].tolist()]
        assigned.resemblance[:] = _floats(table, "resemblance", at)
        assigned.contained[:] = _floats(table, "contained", at)
        facts = Facts(
            table.column("id").to_pylist(), table.column("source").to_pylist(), table.column("published").to_pylist(),
            column(table, "instant"), table.column("url").to_pylist(), _credits(table), np.arange(len(table)),
        )  # fmt: skip
        made = outcome(facts, first, which, assigned, self.settings)
        self._revisions(made.columns, table, first, assigned)
        kinds = schema()
        done = pa.table({name: pa.array(made.columns[name], kinds.field(name).type) for name in COLUMNS})
        ids = (one.encode("utf-8", "surrogatepass") for one in made.columns["doc_id"])
        stretch = np.fromiter((bisect_right(self.bounds, one) for one in ids), np.int64, len(done))
        return scattered("row", done, stretch, self.many)

    def _revisions(self, columns: dict[str, list[object]], table: pa.Table, first: Ints, assigned: Assigned) -> None:
        """A revision may be of a leader in another shard: it is named by its place."""
        where = {name: row for row, name in enumerate(columns["doc_id"])}
        revises = table.column("revises").to_pylist()
        ids = table.column("id").to_pylist()
        for rank, at in enumerate(first.tolist()):
            if revises[at] is not None:
                row = where[ids[at]]
                columns["relation"][row], columns["revision_of"][row] = "revision", id_of(revises[at])
                columns["resemblance"][row] = float(assigned.resemblance[rank])
                columns["containment"][row] = float(assigned.contained[rank])


def names_of(names: pa.Array) -> pa.ChunkedArray:
    """An array as a chunked one."""
    return pa.chunked_array([names])


def _floats(table: pa.Table, name: str, at: Ints) -> NDArray[np.float64]:
    values = table.column(name).to_numpy().astype(np.float64)
    found: NDArray[np.float64] = values[at]
    return found


def _credits(table: pa.Table) -> list[Credit | None]:
    pairs = zip(table.column("agency").to_pylist(), table.column("by").to_pylist(), strict=True)
    return [None if agency is None else Credit(agency, by) for agency, by in pairs]
