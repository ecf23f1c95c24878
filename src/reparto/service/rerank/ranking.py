"""From documents to an order that says everything by scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reparto.intake import read_request
from reparto.model import Fate
from reparto.selection import Selection
from reparto.service import logs
from reparto.service.faults import unavailable
from reparto.service.rerank.asking import Asked
from reparto.service.scorer import Scored
from reparto.service.state import Service
from reparto.service.upstream import UpstreamError
from reparto.service.work import Turn

LEAST_SEAT, MOST_TAIL = 0.5, 0.25  # between the two lies the gap
BEHIND = {Fate.COPY: 1, Fate.MERGED: 1, Fate.INVALID: 2}


@dataclass(frozen=True, slots=True)
class Result:
    """A document's place: its index in the request, its score in 0..1."""

    index: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Results in order, scores strictly decreasing. `warnings` say what could not be done as configured."""

    results: tuple[Result, ...]
    seats: int
    tokens: int
    warnings: tuple[str, ...] = ()


async def rank(service: Service, asked: Asked, turn: Turn) -> Ranking:
    """Score, select, and turn the selection into an order."""
    if not asked.documents:
        return Ranking((), 0, 0)
    scored, warnings = await _upstream(service, asked, turn)
    return await turn.run(_choose, service, asked, scored, warnings)


async def _upstream(service: Service, asked: Asked, turn: Turn) -> tuple[Scored | None, tuple[str, ...]]:
    if service.upstream is None:
        return None, ()
    try:
        found, missing = await service.upstream.scores(asked.query, [one.text for one in asked.documents], turn.left)
    except UpstreamError as error:
        if not service.settings.upstream_fallback:
            raise unavailable("upstream", "the reranker behind this service failed", "try again later") from error
        service.metrics.degraded.inc()
        return None, (f"the reranker behind this service failed; relevance is from {service.settings.scorer!r}",)
    if missing:
        return Scored(found), (f"the reranker behind this service left out {missing} of {len(found)} documents",)
    return Scored(found), ()


def _choose(service: Service, asked: Asked, scored: Scored | None, warnings: tuple[str, ...]) -> Ranking:
    scored = scored or service.scorer(asked.query, [one.text for one in asked.documents])
    candidates: list[dict[str, Any]] = []
    for place, document in enumerate(asked.documents):
        # Ids in the order sent: where relevance ties, what came first stays first.
        one = {"id": f"{place:06d}", "text": document.text, "score": scored.relevance[place], **document.fields}
        if scored.vectors is not None:
            one["vector"] = scored.vectors[place]
        candidates.append(one)
    given: dict[str, Any] = {"query": asked.query, "candidates": candidates}
    name = class_named(asked.model, service.contract.classes)
    # A span would answer for texts that its index alone does not deliver: chunks stay apart here.
    selection = service.select(
        read_request(given),
        "rerank",
        asked.model,
        query_class=name,
        policy={"merge": False},
        k=min(asked.cut, service.settings.seats) if asked.cut else None,
    )
    tokens = sum(len(one.text) for one in asked.documents) // 4 + 1
    logs.event("reranked", 10, policy=selection.query_class, documents=len(candidates), seats=len(selection.seats))
    return Ranking(tuple(results_of(selection, scored.relevance, asked.cut)), len(selection.seats), tokens, warnings)


def results_of(selection: Selection, relevance: Sequence[float], cut: int | None) -> list[Result]:
    """Seats in their order, then (unless cut) every other document: first those outranked, then copies, then blanks.

    Seat i of s scores 1 - i/(2s), so above .5; what has no seat scores below .25, in equal steps too.
    """
    seats = [int(seat.id) for seat in selection.seats]
    results = [Result(index, round(1 - (1 - LEAST_SEAT) * place / len(seats), 6)) for place, index in enumerate(seats)]
    if cut is not None:
        return results
    seated = set(seats)
    rest = [one for one in selection.decisions if int(one.id) not in seated]
    rest.sort(key=lambda one: (BEHIND.get(one.fate, 0), -relevance[int(one.id)], int(one.id)))
    steps = len(rest) + 1
    return results + [
        Result(int(one.id), round(MOST_TAIL * (steps - place) / steps, 6)) for place, one in enumerate(rest, 1)
    ]


def class_named(model: str | None, classes: Sequence[str]) -> str | None:
    """The query class that a model's name names (`survey`, `reparto/survey`); None leaves it to the router."""
    name = (model or "").rpartition("/")[2].strip()
    return name if name in classes else None
