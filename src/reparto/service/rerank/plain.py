"""`/rerank`: `documents` as vLLM, Infinity and LocalAI take them, `texts` as TEI does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from reparto.errors import Problem, RequestError
from reparto.service.examples import TEI
from reparto.service.reading import read_json
from reparto.service.rerank import shapes
from reparto.service.rerank.asking import Asked, read_rerank
from reparto.service.rerank.ranking import rank
from reparto.service.schemas import BUSY, answers, body, ref
from reparto.service.settings import Settings
from reparto.service.state import service_of
from reparto.service.writing import json_response

router = APIRouter(tags=["rerank"])


@router.post(
    "/rerank",
    summary="Rerank (vLLM, Infinity, LocalAI with `documents`; TEI with `texts`)",
    responses=answers({"anyOf": [ref("CohereAnswer"), ref("TEIAnswer")]}, *BUSY, error="PlainError"),
    openapi_extra=body({"anyOf": [ref("CohereBody"), ref("TEIBody")]}, TEI),
)
async def rerank(request: Request) -> Response:
    """Which of the two the client is shows in its body. Documents are never echoed to `documents` clients here:
    two of them expect the same field in different forms, and both do without it.
    """
    service, raw = service_of(request), await request.body()
    async with service.work.turn(service.settings.request_seconds) as turn:
        asked = await turn.run(lambda: _read(read_json(raw, service.settings), service.settings))
        ranking = await rank(service, asked, turn)
    request.scope["reparto"] = {"candidates": len(asked.documents), "seats": ranking.seats}
    answer: Any = shapes.tei(asked, ranking) if asked.tei else shapes.cohere(asked, ranking, "1", None)
    return json_response(answer, headers=shapes.headers(ranking))


def _read(raw: Any, settings: Settings) -> Asked:
    if isinstance(raw, Mapping) and raw.get("documents") is not None and raw.get("texts") is not None:
        message = "both `documents` and `texts` are given"
        raise RequestError(
            Problem("conflicting_keys", message, "give `documents` (vLLM) or `texts` (TEI)", field="texts")
        )
    return read_rerank(raw, settings, tei=isinstance(raw, Mapping) and raw.get("texts") is not None)


rerank.error_body = shapes.plain_error  # type: ignore[attr-defined]
