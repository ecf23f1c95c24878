"""Verification across shards: a text travels once to each shard that needs it, however many pairs it is in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reparto.corpus.engines.blocks import Row, column, compacted, indexed, packed, ranked, scattered, tables
from reparto.corpus.guard import agree
from reparto.corpus.settings import Settings
from reparto.corpus.verify import shared_counts, verified

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Verifying:
    """Settings, how many shards there are, and whether verdicts are kept for later runs; every method is a step."""

    settings: Settings
    many: int
    remember: bool = False

    def sent(self, rows: Sequence[Row]) -> list[Row]:
        """Texts, sets compared anew, and who wants them -> each text to the shards that do."""
        want, texts, again = tables(rows, "want"), tables(rows, "text"), tables(rows, "reset")
        if want is None or texts is None:
            return []
        _, ranks = ranked(texts.column("place"))
        _, first = np.unique(ranks, return_index=True)  # a document that came twice
        texts = texts.take(pa.array(first))
        places = texts.column("place").combine_chunks()
        if again is not None:
            at = pc.index_in(places, value_set=again.column("place").combine_chunks())
            fresh = again.column("set").take(at)
            texts = texts.set_column(3, "set", pc.coalesce(fresh, texts.column("set")))
        at = pc.index_in(want.column("place").combine_chunks(), value_set=places)
        want = want.filter(at.is_valid())
        return scattered("have", texts.take(at.drop_null()), column(want, "at"), self.many)

    def verified(self, rows: Sequence[Row]) -> list[Row]:
        """Candidates and texts -> pairs that reach a threshold, with what they share and whether they agree."""
        pairs, texts = tables(rows, "candidate"), tables(rows, "have")
        if pairs is None or texts is None:
            return []
        told = texts.column("place").combine_chunks()
        later, earlier = (indexed(pairs.column(name), told) for name in ("later", "earlier"))
        hashes, offsets = _hashes(texts.column("set").combine_chunks())
        sizes = np.diff(offsets)
        shared = shared_counts(hashes, offsets, later, earlier)
        # Pairs are numbered, so that those that hold can be named.
        number = np.arange(len(later))
        kept = verified(number, earlier, shared, (sizes[later], sizes[earlier]), self.settings)
        holds = kept.later
        same = self._agree(texts, later[holds], earlier[holds])
        found = [Row(0, "count", packed(pairs=[len(later)], links=[len(holds)]))]
        link = {
            "later": compacted(told, later[holds]), "earlier": compacted(told, earlier[holds]),
            "resemblance": pa.array(kept.resemblance), "contained": pa.array(kept.contained), "agree": pa.array(same),
        }  # fmt: skip
        if len(holds):
            found.append(Row(0, "link", packed(**link)))
        if self.remember:
            sides = {"later": compacted(told, later), "earlier": compacted(told, earlier)}
            found.append(Row(rows[0].shard, "known", packed(**sides, **_spread(link, holds, len(later)))))
        return found

    def _agree(self, texts: pa.Table, later: Ints, earlier: Ints) -> list[bool]:
        if self.settings.revisions == "collapse":
            return [True] * len(later)
        words, sources = texts.column("text"), texts.column("source")
        found = []
        for own, other in zip(later.tolist(), earlier.tolist(), strict=True):
            one, two = sources[other].as_py(), sources[own].as_py()
            page = one is None or two is None or one == two
            found.append(agree(words[other].as_py(), words[own].as_py(), one_page=page))
        return found


def _hashes(sets: pa.Array) -> tuple[NDArray[np.uint64], Ints]:
    """Sets one after the other, and where each begins."""
    if isinstance(sets, pa.ChunkedArray):
        sets = sets.combine_chunks()
    bounds = np.frombuffer(sets.buffers()[1], np.int64)[sets.offset : sets.offset + len(sets) + 1]
    raw = sets.buffers()[2]
    hashes = (
        np.frombuffer(raw, np.uint64)[bounds[0] // 8 : bounds[-1] // 8] if raw is not None else np.zeros(0, np.uint64)
    )
    return hashes, (bounds - bounds[0]) // 8


def _spread(link: dict[str, pa.Array], holds: Ints, many: int) -> dict[str, pa.Array]:
    """Evidence of the pairs that hold beside all pairs: null for the others."""
    at = np.full(many, -1, dtype=np.int64)
    at[holds] = np.arange(len(holds))
    index = pa.array(at, mask=at < 0)
    return {name: link[name].take(index) for name in ("resemblance", "contained", "agree")}
