"""Increment: the groups after documents came or went, from the groups before, equal to a run over everything.

Only places that may have changed are looked at: those of the documents that came, of those behind them (or behind what
went) in a bucket, and, whenever one of these starts or stops to lead, of those behind it. Places are settled in
order of rank, so that each is settled once, with all leaders before it known.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.candidates import ascending, band_pairs, sentence_pairs, telling, united
from reparto.corpus.leaders import NONE, Assigned, settle
from reparto.corpus.settings import Settings
from reparto.corpus.state import Segment, State
from reparto.corpus.verify import Verified

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Marks = NDArray[np.bool_]
Rows = tuple[Hashes, Ints]


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """Keys of some documents: bands (n, bands), and sentences with their owners' places in `documents`."""

    documents: Ints
    bands: Hashes
    filled: Marks
    said: Hashes
    sayers: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Now:
    """The documents that stand for a text now, in order of rank, and what can be asked of them.

    `keys` gives the keys of documents, `verify` the pairs of codes that hold, both over the texts as they are now.
    """

    nodes: Ints
    figures: Hashes
    sentences: Ints
    keys: Callable[[Ints], Keys]
    verify: Callable[[Hashes], Verified]
    agree: Callable[[int, int], bool]


class Increment:
    """One increment. `gone` are the keys of the documents that went, or are compared by something else now."""

    def __init__(self, before: State, segments: list[Segment], now: Now, gone: Keys, settings: Settings) -> None:
        self.now, self.settings, self.before, self.segments = now, settings, before, segments
        most = int(max(now.nodes.max(initial=-1), before.nodes.max(initial=-1), len(before.segment_of) - 1)) + 1
        self.rank_of = np.full(most, NONE, dtype=np.int64)
        self.rank_of[now.nodes] = np.arange(len(now.nodes))
        self.segment_of = np.full(most, -1, dtype=np.int16)
        self.segment_of[: len(before.segment_of)] = before.segment_of
        self.segment_of[gone.documents] = -1
        kept = np.zeros(most, dtype=bool)
        kept[before.nodes] = True
        kept[gone.documents] = False
        kept &= self.rank_of >= 0
        self.kept = kept
        self.added = now.nodes[~kept[now.nodes]]
        self.gone = gone
        self.new = now.keys(self.added)

    def run(self) -> tuple[Assigned, int]:
        """Everybody's place, and how many places were looked at again."""
        found = self._before()
        leads = (found.leader == np.arange(len(found.leader))).tolist()
        fresh = set(self.rank_of[self.added].tolist())
        waiting = sorted(fresh | self._touched())
        reopened = len(waiting) - len(fresh)
        known, edges = set(waiting), self._edges(np.array(waiting, dtype=np.int64))
        while waiting:
            own = heapq.heappop(waiting)
            pairs, low, high = edges[own]
            was = leads[own]
            settle(found, own, pairs.earlier[low:high].tolist(), low, pairs, leads.__getitem__, self.now.agree)
            leads[own] = bool(found.leader[own] == own)
            if leads[own] == was or own in fresh:
                continue
            more = sorted(self._behind(own) - known)
            known.update(more)
            reopened += len(more)
            edges.update(self._edges(np.array(more, dtype=np.int64)))
            for one in more:
                heapq.heappush(waiting, one)
        return found, reopened

    def _before(self) -> Assigned:
        """The places as they were, by the ranks of now."""
        found, before = Assigned.alone(len(self.now.nodes)), self.before
        same = self.kept[before.nodes]
        ranks = self.rank_of[before.nodes[same]]
        found.leader[ranks] = self.rank_of[before.leader[same]]
        found.resemblance[ranks], found.contained[ranks] = before.resemblance[same], before.contained[same]
        revised = before.revision_of[same]
        found.revision_of[ranks] = np.where(revised == NONE, NONE, self.rank_of[revised])
        return found

    def _touched(self) -> set[int]:
        """Ranks behind what came or went in one of their buckets."""
        found: set[int] = set()
        for band in range(self.settings.bands):
            keys, ranks, _ = self._band_rows(
                band, ascending(np.concatenate([k.bands[k.filled, band] for k in (self.new, self.gone)]))
            )
            changed = (
                np.concatenate([self.new.bands[self.new.filled, band], self.gone.bands[self.gone.filled, band]]),
                np.concatenate([self.rank_of[self.added[self.new.filled]], np.full(int(self.gone.filled.sum()), -1)]),
            )
            found.update(_behind(keys, ranks, *changed).tolist())
        wanted = ascending(np.concatenate([self.new.said, self.gone.said]))
        keys, ranks, olds = self._said_rows(wanted)
        changed = (
            np.concatenate([self.new.said, self.gone.said]),
            np.concatenate([self.rank_of[self.added[self.new.sayers]], np.full(len(self.gone.said), -1)]),
        )
        found.update(_behind(keys, ranks, *changed).tolist())
        # A sentence that became too common, or no longer is, changes what it proposes to everybody.
        most = self.settings.sentences
        size = np.searchsorted(np.sort(keys), wanted, "right") - np.searchsorted(np.sort(keys), wanted, "left")
        crossed = wanted[(size > most) != (olds > most)]
        found.update(ranks[np.isin(keys, crossed)].tolist())
        return found - set(self.rank_of[self.added].tolist())

    def _behind(self, rank: int) -> set[int]:
        """Ranks that may have the document of a rank as a candidate."""
        own = self.now.keys(self.now.nodes[[rank]])
        found: set[int] = set()
        if own.filled[0]:
            for band in range(self.settings.bands):
                _, ranks, _ = self._band_rows(band, own.bands[0, band : band + 1])
                found.update(ranks[ranks > rank].tolist())
        _, ranks, _ = self._said_rows(ascending(own.said))
        found.update(ranks[ranks > rank].tolist())
        return found

    def _edges(self, ranks: Ints) -> dict[int, tuple[Verified, int, int]]:
        """For each rank the verified pairs in which it is the later one: where they begin and end."""
        if not len(ranks):
            return {}
        own = self.now.keys(self.now.nodes[ranks])
        mine = np.zeros(len(self.now.nodes), dtype=bool)
        mine[ranks] = True
        codes: list[Hashes] = []
        for band in range(self.settings.bands):
            keys, others, _ = self._band_rows(band, ascending(own.bands[own.filled, band]))
            codes.append(_of(band_pairs(keys, others, self.now.figures[others], self.settings.bucket), mine))
        keys, others, _ = self._said_rows(ascending(own.said))
        said = sentence_pairs(keys, others, self.settings.bucket, self.settings.sentences)
        pairs = self.now.verify(united([*codes, telling(_of(said, mine), self.now.sentences)]))
        low, high = np.searchsorted(pairs.later, ranks, "left"), np.searchsorted(pairs.later, ranks, "right")
        return {r: (pairs, a, b) for r, a, b in zip(ranks.tolist(), low.tolist(), high.tolist(), strict=True)}

    def _band_rows(self, band: int, wanted: Hashes) -> tuple[Hashes, Ints, Ints]:
        own = (self.new.bands[self.new.filled, band], self.added[self.new.filled])
        return self._rows(wanted, own, lambda segment: segment.in_band(band, wanted))

    def _said_rows(self, wanted: Hashes) -> tuple[Hashes, Ints, Ints]:
        own = (self.new.said, self.added[self.new.sayers])
        return self._rows(wanted, own, lambda segment: segment.saying(wanted))

    def _rows(self, wanted: Hashes, own: Rows, look: Callable[[Any], Rows]) -> tuple[Hashes, Ints, Ints]:
        """(key, rank) of everybody with a wanted key, and how many had each key before."""
        fresh = _among(own[0], wanted)
        keys, documents = [own[0][fresh]], [own[1][fresh]]
        olds = np.zeros(len(wanted), dtype=np.int64)
        for number, segment in enumerate(self.segments):
            some, owners = look(segment)
            then = self.before.segment_of[owners] == number
            np.add.at(olds, np.searchsorted(wanted, some[then]), 1)
            still = self.segment_of[owners] == number
            keys.append(some[still])
            documents.append(owners[still])
        return np.concatenate(keys), self.rank_of[np.concatenate(documents)], olds


def _behind(keys: Hashes, ranks: Ints, changed: Hashes, where: Ints) -> Ints:
    """Ranks behind the first change in their bucket."""
    order = np.lexsort((where, changed))
    distinct, first = np.unique(changed[order], return_index=True)
    if not len(distinct) or not len(keys):
        return np.zeros(0, np.int64)
    at = np.minimum(np.searchsorted(distinct, keys), len(distinct) - 1)
    since = where[order][first][at]
    found: Ints = ranks[(distinct[at] == keys) & (ranks > since)]
    return found


def _among(keys: Hashes, wanted: Hashes) -> Marks:
    """Which keys are wanted; those ascend."""
    if not len(wanted):
        return np.zeros(len(keys), dtype=bool)
    at = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    found: Marks = wanted[at] == keys
    return found


def _of(codes: Hashes, mine: Marks) -> Hashes:
    """Codes whose later rank is marked."""
    return codes[mine[(codes >> np.uint64(32)).astype(np.int64)]]
