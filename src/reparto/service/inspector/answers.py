"""Two written answers to compare blind: one from the selection, one from the first places by rank, by one model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reparto.endpoint import Endpoint
from reparto.errors import CorpusError, Problem, RequestError
from reparto.model import EMPTY
from reparto.pipeline import select
from reparto.retrieval.asking import CitedAnswer, ask
from reparto.selection import Selection
from reparto.service import logs
from reparto.service.faults import Refusal, busy
from reparto.service.inspector.inspection import Inspection
from reparto.service.settings import Settings, secret
from reparto.service.state import Service

AT_ONCE = 4  # comparisons that may wait for the model
# Nothing but the ranker's order: what the model would read if nothing selected.
BY_RANK: Mapping[str, Any] = {
    "merge": False,
    "collapse": False,
    "canonical": False,
    "quotas": False,
    "reserve": [],
    "budget": False,
    "order": "selection",
    "diversity": {"objective": "relevance", "floor": 0.0},
}


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """The two answers by what they rest on (`selection`, `top-k`), and the model that wrote them."""

    model: str
    answers: Mapping[str, CitedAnswer]

    @property
    def differ(self) -> bool:
        """Whether there is anything to compare."""
        return len({one.text.strip() for one in self.answers.values()}) > 1


class Answering:
    """Has both answers written side by side, outside the threads that select. One an application."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint, self.model, self._waiting = endpoint, model, 0

    async def write(self, question: str, sets: Mapping[str, Selection]) -> Written:
        """One answer a set.

        A 429 `Refusal` when too many wait already, 502 when the endpoint gives no answer: its words go to no page.
        """
        if self._waiting >= AT_ONCE:
            raise busy("too many answers are being written", 5)
        self._waiting += 1
        try:
            texts = await asyncio.gather(
                *(asyncio.to_thread(ask, question, one, self._endpoint, self.model) for one in sets.values())
            )
        except CorpusError as error:
            logs.event("no_answer", 40, error)
            remedy = "try again; if it lasts, the operator must look at --answer-url and --answer-model"
            raise Refusal(502, Problem("no_answer", "the answering model did not answer", remedy)) from error
        finally:
            self._waiting -= 1
        return Written(self.model, dict(zip(sets, texts, strict=True)))


def answering_of(settings: Settings) -> Answering | None:
    """What the settings say, or None without an endpoint and a model."""
    if not settings.answer_url or not settings.answer_model:
        return None
    keys = secret(settings.answer_key, "REPARTO_ANSWER_KEY")
    url = f"{settings.answer_url.rstrip('/')}/chat/completions"
    return Answering(Endpoint(url, keys[0] if keys else None, settings.answer_seconds), settings.answer_model)


def sets_of(service: Service, seen: Inspection) -> dict[str, Selection]:
    """The two sets as selections, so that both reach the model in the same form. Blocks.

    Raises `RequestError` where there is no question to answer.
    """
    if not seen.selection.query.strip():
        problem = Problem("missing_query", "the request has no query", "give the question as `query`", field="query")
        raise RequestError(problem)
    plain = replace(seen.given.request, candidates=seen.first, k=None, policy=EMPTY, query_class=None)
    policy = {**BY_RANK, "scores": {"kind": seen.policy.scores.kind}}
    first = select(plain, service.contract, query_class=seen.selection.query_class, k=seen.policy.k, policy=policy)
    return {"selection": seen.selection, "top-k": first}
