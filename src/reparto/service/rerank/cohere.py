"""`/v2/rerank` and `/v1/rerank`: Cohere, Jina, Voyage and those who speak like them."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from reparto.service.examples import COHERE
from reparto.service.reading import read_json
from reparto.service.rerank import shapes
from reparto.service.rerank.asking import read_rerank
from reparto.service.rerank.ranking import rank
from reparto.service.schemas import BUSY, answers, body, ref
from reparto.service.state import service_of
from reparto.service.writing import json_response

router = APIRouter(tags=["rerank"])
RESPONSES = answers(ref("CohereAnswer"), *BUSY)
BODY = body(ref("CohereBody"), COHERE)


@router.post("/v2/rerank", summary="Rerank (Cohere v2)", responses=RESPONSES, openapi_extra=BODY)
async def rerank_v2(request: Request) -> Response:
    """All documents when `top_n` is absent or at least their number, seats first; else the seats, at most `top_n`."""
    return await _answer(request, "2")


@router.post("/v1/rerank", summary="Rerank (Cohere v1, Jina, Voyage)", responses=RESPONSES, openapi_extra=BODY)
async def rerank_v1(request: Request) -> Response:
    """As v2; documents may be objects, and `return_documents` gives them back. `top_k` adds `data`."""
    return await _answer(request, "1")


async def _answer(request: Request, version: str) -> Response:
    service, raw = service_of(request), await request.body()
    async with service.work.turn(service.settings.request_seconds) as turn:
        asked = await turn.run(lambda: read_rerank(read_json(raw, service.settings), service.settings))
        ranking = await rank(service, asked, turn)
    request.scope["reparto"] = {"candidates": len(asked.documents), "seats": ranking.seats}
    return json_response(shapes.cohere(asked, ranking, version, shapes.as_object), headers=shapes.headers(ranking))


for endpoint in (rerank_v1, rerank_v2):
    endpoint.error_body = shapes.cohere_error  # type: ignore[attr-defined]
