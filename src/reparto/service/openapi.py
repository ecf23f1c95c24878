"""The OpenAPI document: the routes' own descriptions, and the wire format's schemas once."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from reparto.service.schemas import COMPONENTS
from reparto.service.state import Service

DESCRIPTION = """Set-aware selection: ranked candidates in, shared-out seats with a decision for every candidate out.

`/v1/select` speaks the full contract. `/v2/rerank`, `/v1/rerank` and `/rerank` answer clients of the reranking APIs
that already exist; there `model` may name a query class."""


def document(app: FastAPI) -> dict[str, Any]:
    """OpenAPI 3.1, made once an application."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        made.setdefault("components", {}).setdefault("schemas", {}).update(COMPONENTS)
        service: Service = app.state.service
        if service.keys:
            made["components"]["securitySchemes"] = {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            }
            made["security"] = [{"bearer": []}, {"key": []}]
            for path in ("/healthz", "/readyz"):
                made["paths"][path]["get"]["security"] = []
        app.openapi_schema = made
    return app.openapi_schema
