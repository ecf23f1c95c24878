"""Boilerplate across shards: which texts begin or end like others of their source, and what is left of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import xxhash

from reparto.corpus.boilerplate import LEAST, shared_edges
from reparto.corpus.engines.blocks import Row, column, homes, packed, scattered, short, tables
from reparto.corpus.engines.reading import by_source, keys, records, sets
from reparto.corpus.fingerprint import compared_text, prints
from reparto.corpus.settings import Settings


@dataclass(frozen=True, slots=True)
class Trimming:
    """Settings and how many shards there are; every method is a step."""

    settings: Settings
    many: int

    def suspects(self, rows: Sequence[Row]) -> list[Row]:
        """Edges -> nodes that begin or end like others of their source."""
        table = tables(rows, "edge")
        if table is None:
            return []
        _, which, counts = np.unique(column(table, "edge"), return_inverse=True, return_counts=True)
        some = table.filter(pa.array(counts[which.reshape(-1)] >= LEAST)).select(["place", "source"])
        places = some.column("place")
        asked = Row(0, "asked", packed(hash=np.unique(short(places))))
        return [*scattered("suspect", some, homes(places, self.many), self.many), *([asked] if len(places) else [])]

    def suspected(self, rows: Sequence[Row]) -> list[Row]:
        """Suspects and texts -> the texts of the suspects, by source."""
        wanted = {one["place"]: one["source"] for one in records(rows, "suspect")}
        table = tables(rows, "text")
        if not wanted or table is None:
            return []
        texts = dict(zip(table.column("place").to_pylist(), table.column("text").to_pylist(), strict=True))
        told = [one for one in sorted(wanted) if one in texts]
        some = pa.table({
            "place": pa.array(told, pa.binary()), "text": [texts[one] for one in told],
            "source": pa.array([wanted[one] for one in told], pa.string()),
        })  # fmt: skip
        return scattered("suspected", some, by_source(some, self.many), self.many)

    def boilerplate(self, rows: Sequence[Row]) -> list[Row]:
        """Suspects of whole sources -> keys and shingle sets without the edges that texts share."""
        some = sorted(records(rows, "suspected"), key=lambda one: one["place"])
        held = Counter(one["source"] for one in records(rows, "held"))
        left = shared_edges(
            range(len(some)), lambda i: compared_text(some[i]["text"]), lambda i: some[i]["source"], held
        )
        if not left:
            return []
        chosen = sorted(left)
        own = prints([some[i]["text"] for i in chosen], self.settings, [left[i] for i in chosen])
        where = [some[i]["place"] for i in chosen]
        places = pa.array(where, pa.binary())
        shards = homes(places, self.many)
        told = np.array([xxhash.xxh3_64_intdigest(left[i].encode("utf-8", "surrogatepass")) for i in chosen], np.uint64)
        reset = pa.table({"place": places, "set": sets(own.hashes, own.offsets)})
        return [
            *scattered("rekeyed", keys(places, own), shards, self.many),
            *scattered("reset", reset, shards, self.many),
            Row(0, "left", packed(hash=short(places), told=told)),
        ]
