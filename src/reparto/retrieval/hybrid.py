"""Two channels into one pool: rank fusion decides who is in, raw scores decide how relevant each one is.

Reciprocal rank fusion (RRF, k = 60: Cormack, Clarke & Büttcher 2009) needs no common scale, so it makes the pool. Its
value says nothing about *how much* more relevant one passage is, and against a similarity in a diversity objective it
would make lambda meaningless. So a candidate's score is a convex combination of both channels, each from its
theoretical minimum (BM25: 0; cosine: the embedder's floor) to the most that this query got: Bruch, Gai & Ingber, "An
Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 2023. The raw numbers go along in `metadata.retrieval`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reparto.stores.base import Hit, Matrix, Row
from reparto.stores.exact import unit

RRF_K = 60
DENSE_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate with what each channel said of it. `bm25` is None where the lexical channel did not reach
    it.
    """

    row: Row
    score: float
    rrf: float
    bm25: float | None
    cosine: float | None

    def evidence(self) -> dict[str, float]:
        """The raw numbers, absent ones left out."""
        raw = {"bm25": self.bm25, "cosine": self.cosine, "rrf": self.rrf}
        return {name: round(value, 6) for name, value in raw.items() if value is not None}


def fuse(channels: Sequence[Sequence[Hit]], limit: int, k: int = RRF_K) -> dict[str, float]:
    """Ids of the `limit` best by the sum of 1/(k + rank), best first, ties by id."""
    sums: dict[str, float] = {}
    for hits in channels:
        for rank, hit in enumerate(hits, 1):
            sums[hit.id] = sums.get(hit.id, 0.0) + 1.0 / (k + rank)
    best = sorted(sums, key=lambda name: (-sums[name], name))[:limit]
    return {id: sums[id] for id in best}


def one_a_group(hits: Sequence[Hit]) -> list[Hit]:
    """The leader of each group where it is among the hits, else its best member; order and scores kept."""
    leaders = {hit.by for hit in hits if hit.id == hit.by}
    seen: set[str] = set()
    kept = []
    for hit in hits:
        if hit.by not in seen and (hit.id == hit.by or hit.by not in leaders):
            seen.add(hit.by)
            kept.append(hit)
    return kept


def scored(
    rows: Sequence[Row],
    rrf: Mapping[str, float],
    lexical: Sequence[Hit],
    query: Matrix | None,
    floor: float = 0.0,
    weight: float = DENSE_WEIGHT,
) -> list[Found]:
    """Candidates with a relevance in 0..1, in rank order (score descending, id ascending).

    Lexical part: BM25 over the best BM25 of this query. Dense part: what the cosine has above `floor`, over the most
    that one of the candidates has. Without a query vector the lexical part stands alone.
    """
    words = {hit.id: hit.score for hit in lexical}
    cosines = _cosines(rows, query)
    best_words = max(words.values(), default=0.0)
    best_cosine = max((one for one in cosines if one is not None), default=0.0)
    found = []
    for row, cosine in zip(rows, cosines, strict=True):
        bm25 = words.get(row.chunk.id)
        share = _part(bm25 or 0.0, 0.0, best_words)
        if query is not None:
            near = _part(floor if cosine is None else cosine, floor, best_cosine)
            share = (1.0 - weight) * share + weight * near
        found.append(Found(row, share, rrf[row.chunk.id], bm25, cosine))
    return sorted(found, key=lambda one: (-one.score, one.row.chunk.id))


def _part(value: float, least: float, most: float) -> float:
    """Where between least and most, in 0..1; 0 where nothing lies above the least."""
    return min(max((value - least) / (most - least), 0.0), 1.0) if most > least else 0.0


def _cosines(rows: Sequence[Row], query: Matrix | None) -> list[float | None]:
    """The cosine of each row that has a vector."""
    vectors = [row.vector for row in rows if row.vector is not None]
    if query is None or not vectors:
        return [None for _ in rows]
    found = iter(np.clip(unit(np.stack(vectors)) @ unit(query[None, :])[0], -1.0, 1.0).tolist())
    return [None if row.vector is None else next(found) for row in rows]
