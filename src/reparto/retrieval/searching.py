"""A question to a store: a pool of declared size, selection by the contract, and a wider pool when seats stay
empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reparto.embedders import Embedder
from reparto.encodable import encodable
from reparto.errors import CorpusError, Problem, RequestError
from reparto.retrieval.carrying import Carrying
from reparto.retrieval.hybrid import Found, fuse, one_a_group, scored
from reparto.retrieval.reranking import Reranker
from reparto.stores.base import Store
from reparto.stores.filters import Filters

if TYPE_CHECKING:
    from reparto.contract import Contract
    from reparto.intake import Request
    from reparto.selection import Selection

POOL_PER_SEAT, LEAST_POOL = 5, 50
WIDER, WIDEST = 3, 1500
DEPTH = 2


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A selection, the pool it was made from, and how wide that pool had to be."""

    selection: Selection
    pool: tuple[Found, ...]
    size: int
    first_size: int
    request: Request

    @property
    def widened(self) -> bool:
        """Whether the first pool left seats empty or filled without their quotas."""
        return self.size > self.first_size


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Searches one store. `embedder` must be the one the store was made with; None: lexical search alone."""

    store: Store
    embedder: Embedder | None = None
    contract: Contract | None = None
    reranker: Reranker | None = None

    def __call__(
        self,
        query: str,
        *,
        query_class: str | None = None,
        k: int | None = None,
        pool: int | None = None,
        filters: Filters = Filters(),  # noqa: B008 - frozen and empty
        policy: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Retrieve and select.

        `pool` is the number of candidates, by default five a seat and at least 50; fewer than k is a
        `RequestError`. It grows (threefold, up to ten times) while seats stay empty or are filled without
        their quotas and the store has more to give.
        """
        from reparto.intake import read_request
        from reparto.pipeline import select

        seats = k if k is not None else self._seats(query_class, policy)
        first = size = pool if pool is not None else max(POOL_PER_SEAT * seats, LEAST_POOL)
        if size < seats:
            message = f"a pool of {size} cannot give k = {seats} seats"
            remedy = "ask for pool >= k (by default 5 x k), or a smaller k"
            raise RequestError(Problem("pool_smaller_than_k", message, remedy, field="pool"))
        sound = encodable(query)
        vector = self.embedder.query(sound) if self.embedder else None
        while True:
            found, more = self.candidates(sound, size, filters, vector)
            request = read_request(self.request(query, found, query_class, k, filters, policy))
            selection = select(request, contract=self.contract)
            wider = min(size * WIDER, max(WIDEST, first), first * 10)
            if not more or wider <= size or not _wanting(selection):
                return Answer(selection, tuple(found), size, first, request)
            size = wider

    def candidates(self, query: str, size: int, filters: Filters, vector: Any = None) -> tuple[list[Found], bool]:
        """The pool, at most `size` in rank order, one a group of copies, and whether the store has more to give.

        A group is represented by its leader where a channel found that, else by the best member found.
        """
        depth = size * DEPTH
        lexical = self.store.lexical(query, depth, filters)
        dense = self.store.nearest(vector, depth, filters) if vector is not None else []
        channels = [one_a_group(hits) for hits in (lexical, dense)]
        rrf = _one_each(fuse(channels, depth), channels, size)
        rows = list(self.store.rows(list(rrf), vectors=True))
        floor = self.embedder.floor if self.embedder else 0.0
        found = scored(rows, rrf, lexical, vector, floor)
        cut = len({hit.by for hits in channels for hit in hits}) > len(rrf)
        more = cut or any(len(hits) == depth for hits in (lexical, dense))
        return self.reranker.reranked(query, found) if self.reranker else found, more

    def request(
        self,
        query: str,
        found: Sequence[Found],
        query_class: str | None,
        k: int | None,
        filters: Filters,
        policy: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The request for `select`: candidates with the multiplicity the index knows."""
        carrying = Carrying.of(self.store, [one.row for one in found])
        wire: dict[str, Any] = {"query": query, "query_class": query_class, "k": k, "policy": policy}
        wire = {name: value for name, value in wire.items() if value is not None}
        wire["candidates"] = [_candidate(one, carrying, filters) for one in found]
        return wire

    def _seats(self, query_class: str | None, policy: Mapping[str, Any] | None) -> int:
        from reparto.contract import Contract

        contract = self.contract or Contract()
        return int(contract.resolve(query_class or contract.default_class, policy).policy.k)


def _wanting(selection: Selection) -> bool:
    """Whether a wider pool may do better: a seat is empty for want of candidates, or was filled against a
    quota.
    """
    report = selection.report
    empty = report["empty_seats"] > 0 and report["empty_because"] != "budget"
    return empty or any(seat.filled for seat in selection.seats)


def _one_each(rrf: Mapping[str, float], channels: Sequence[Sequence[Any]], size: int) -> dict[str, float]:
    """One candidate a group also where the channels chose different members of it."""
    leader = {hit.id: hit.by for hits in channels for hit in hits}
    kept: dict[str, float] = {}
    seen: set[str] = set()
    for id, value in rrf.items():
        if leader[id] not in seen and len(kept) < size:
            seen.add(leader[id])
            kept[id] = value
    return kept


def _candidate(found: Found, carrying: Carrying, filters: Filters) -> dict[str, Any]:
    chunk, fields = found.row.chunk, found.row.fields
    wire: dict[str, Any] = {
        "id": chunk.id,
        "text": chunk.text,
        "score": found.score,
        "document": chunk.document,
        "start": chunk.start,
        "end": chunk.end,
        "metadata": {
            **fields["metadata"],
            "retrieval": {
                **found.evidence(),
                "start": chunk.start,
                "end": chunk.end,
                **({"document": told} if (told := carrying.told(found.row)) else {}),
            },
        },
    }
    names = ("source", "published", "tier", "concept", "version", "language", "url", "title")
    wire.update({name: fields[name] for name in names if fields.get(name) is not None})
    if found.row.vector is not None:
        wire["vector"] = found.row.vector
    copies = carrying.copies(found.row, filters)
    if copies is not None:
        wire["copies"] = copies
    return wire


def check_embedder(store: Store, embedder: Embedder | None) -> None:
    """Refuse an embedder that is not the store's own; `CorpusError` names the command that rebuilds it."""
    from reparto.embedders import described
    from reparto.stores.manifest import disagreement

    made, asked = store.manifest.embedder, described(embedder)
    if (dict(made) if made else None) != asked:
        raise CorpusError(disagreement("embedder", made, asked, store.location))
