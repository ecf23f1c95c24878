"""Probes, metrics, and the contract in force."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from reparto import kernels
from reparto.contract.schema import contract_schema
from reparto.service.schemas import answers, ref
from reparto.service.state import service_of
from reparto.service.writing import json_response

router = APIRouter(tags=["operation"])


@router.get("/healthz", summary="Alive, and what runs", responses=answers(ref("Health"), 400))
async def healthz(request: Request) -> Response:
    """200 while the process answers. Says which kernels run; asks for no key."""
    active = kernels.active()
    return json_response(
        {
            "status": "ok",
            "version": version("reparto"),
            "kernels": {"name": active.name, "because": active.because, "instruction_set": active.isa},
            "contract": {
                "version": service_of(request).contract.version,
                "digest": service_of(request).contract.digest,
            },
        }
    )


@router.get(
    "/readyz",
    summary="Ready to serve",
    responses={**answers(ref("Readiness"), 400), 503: answers(ref("Readiness"))[200]},
)
async def readyz(request: Request) -> Response:
    """200 when log, store and kernels are in order and a first selection was made, else 503 with the reasons.

    An upstream reranker that rests after failures is said, but the service stays ready: it scores for itself.
    """
    service = service_of(request)
    because = list(service.not_ready) or ([] if service.ready else ["starting or stopping"])
    answer: dict[str, Any] = {"ready": service.ready and not service.not_ready, "because": because}
    if service.upstream is not None:
        answer["upstream"] = service.upstream.breaker.state
    return json_response(answer, 200 if answer["ready"] else 503)


@router.get(
    "/metrics",
    summary="Prometheus metrics",
    responses={
        **answers({}, 400, 401),
        200: {"description": "Exposition format", "content": {"text/plain": {"schema": {"type": "string"}}}},
    },
)
async def metrics(request: Request) -> Response:
    """Counters, histograms and gauges of this process."""
    return Response(service_of(request).metrics.text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/v1/contract", summary="The contract in force", responses=answers(ref("Contract"), 400, 401))
async def contract(request: Request) -> Response:
    """Every class with its layers merged, and the digest that selections and log records carry."""
    held = service_of(request).contract
    return json_response(
        {
            "version": held.version,
            "digest": held.digest,
            "default_class": held.default_class,
            "classes": {name: held.layers(name) for name in held.classes},
            "alerts": held.alerts,
        }
    )


@router.get("/v1/contract/schema", summary="JSON Schema of a contract", responses=answers({"type": "object"}, 400, 401))
async def schema(request: Request) -> Response:
    """Draft 2020-12; the policy in it is what a request's `policy` may hold."""
    return json_response(contract_schema())
