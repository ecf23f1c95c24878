"""Order of delivery: as seated, by relevance, or the best at both edges of the context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reparto.model import Entry
from reparto.stages.seat import Place


def by_selection(places: Sequence[Place], entries: Sequence[Entry]) -> list[Place]:
    """As the greedy loop gave them."""
    return list(places)


def by_score(places: Sequence[Place], entries: Sequence[Entry]) -> list[Place]:
    """Relevance descending; entries come in rank order, so their index says it."""
    return sorted(places, key=lambda place: place.entry)


def at_edges(places: Sequence[Place], entries: Sequence[Entry]) -> list[Place]:
    """Best first, second best last, and so inwards: the middle of a long context is read least.

    N. F. Liu et al., "Lost in the middle: how language models use long contexts", TACL 2024.
    """
    best = by_score(places, entries)
    return best[0::2] + best[1::2][::-1]


ORDERS: Mapping[str, Callable[[Sequence[Place], Sequence[Entry]], list[Place]]] = {
    "selection": by_selection,
    "score": by_score,
    "edges": at_edges,
}
