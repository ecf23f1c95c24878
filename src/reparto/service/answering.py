"""Every known error as an HTTP answer; the rerank doors have shapes of their own for the same faults."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from reparto.errors import Problem
from reparto.service.faults import Refusal
from reparto.service.state import service_of
from reparto.service.writing import json_response

COUNTED = (408, 413, 429, 503)


async def on_refusal(request: Request, error: Any) -> Response:
    """A refusal: its status, its headers."""
    return answer_of(request, error)


async def on_input(request: Request, error: Any) -> Response:
    """Bad input: 422 with every problem."""
    return answer_of(request, Refusal(422, error))


async def on_missing(request: Request, error: Any) -> Response:
    """An optional dependency that the operator did not install."""
    return answer_of(request, Refusal(501, Problem("missing_extra", str(error), "the operator must install it")))


async def on_http(request: Request, error: Any) -> Response:
    """The framework's own: 404, 405."""
    remedy = "see /openapi.json for paths and methods" if error.status_code in (404, 405) else "see the documentation"
    problem = Problem(f"http_{error.status_code}", str(error.detail).lower(), remedy)
    return answer_of(request, Refusal(error.status_code, problem, error.headers))


def answer_of(request: Request, refusal: Refusal) -> Response:
    """The answer, in the shape that the route's clients read (its endpoint's `error_body`, if it has one)."""
    if refusal.status in COUNTED:
        service_of(request).metrics.shed.labels(refusal.problems[0].code).inc()
    shape = getattr(getattr(request.scope.get("route"), "endpoint", None), "error_body", None)
    body = shape(refusal) if shape is not None else refusal.to_dict()
    return json_response(body, refusal.status, refusal.headers)
