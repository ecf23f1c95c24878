"""`POST /v1/select`: a request, or a list of them, in; a selection, or a list of them, out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from reparto.errors import InputError
from reparto.service.examples import SELECT
from reparto.service.faults import Refusal, too_large, unavailable
from reparto.service.limits import read_within
from reparto.service.reading import read_json
from reparto.service.schemas import BUSY, answers, body, ref
from reparto.service.state import Service, service_of
from reparto.service.work import Turn
from reparto.service.writing import json_bytes

router = APIRouter(tags=["selection"])
LOOKED_AT = 10_000  # members of a list, to tell what it is: a longer one is refused either way


@router.post(
    "/v1/select",
    summary="Share seats out over ranked candidates",
    responses=answers(ref("SelectAnswer"), *BUSY),
    openapi_extra=body(ref("SelectBody"), SELECT),
)
async def select(request: Request) -> Response:
    """A request is answered by a selection, a list of requests by a list in the same order.

    A bad request of a list puts its errors in its place and the others are served; where all are bad, or a single
    one is, the answer is 422. A bare list of candidates is a request.
    """
    service, raw = service_of(request), await request.body()
    async with service.work.turn(service.settings.request_seconds) as turn:
        answer, about = await turn.run(_answer, service, raw, turn)
    request.scope["reparto"] = about
    return Response(answer, media_type="application/json")


def is_batch(value: Any) -> bool:
    """Whether a value is a list of requests, and not a list of candidates."""
    if not isinstance(value, list):
        return False
    return not value or any(
        isinstance(one, list) or (isinstance(one, Mapping) and ("candidates" in one or "channels" in one))
        for one in islice(value, LOOKED_AT)
    )


def _answer(service: Service, raw: bytes, turn: Turn) -> tuple[bytes, dict[str, Any]]:
    value = read_json(raw, service.settings)
    if not is_batch(value):
        chosen = _one(service, value)
        return json_bytes(chosen), _about([chosen])
    if len(value) > service.settings.requests:
        raise too_large(f"{len(value)} requests are more than {service.settings.requests}", "send smaller batches")
    answers: list[dict[str, Any]] = []
    failed: list[InputError] = []
    for place, one in enumerate(value, 1):
        if turn.late:
            raise unavailable("deadline", "the answer would have come too late", "send smaller batches")
        try:
            answers.append(_one(service, one))
        except InputError as error:
            placed = error.at_line(place)
            failed.append(placed)
            answers.append(placed.to_dict())
    if failed and len(failed) == len(value):
        raise Refusal(422, InputError([problem for error in failed for problem in error.problems]))
    return json_bytes(answers), _about(answers)


def _one(service: Service, value: Any) -> dict[str, Any]:
    return service.select(read_within(value, service.settings), "select").to_dict()


def _about(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """What the operational log says of the answers: numbers and names of the contract, no text."""
    chosen = [one for one in answers if "report" in one]
    return {
        "selections": len(chosen),
        "failed": len(answers) - len(chosen),
        "candidates": sum(one["report"]["candidates"] for one in chosen),
        "seats": sum(one["report"]["seats"] for one in chosen),
        "policies": sorted({one["query_class"] for one in chosen}),
    }
