"""The ASGI application: routes from the registry, the guard around them, a start and a stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from reparto import registry
from reparto.errors import InputError, MissingExtraError
from reparto.service.settings import Settings

try:
    from fastapi import FastAPI
    from starlette.exceptions import HTTPException

    from reparto.service import logs
    from reparto.service.answering import on_http, on_input, on_missing, on_refusal
    from reparto.service.faults import Refusal
    from reparto.service.guard import Guard
    from reparto.service.openapi import DESCRIPTION, document
    from reparto.service.state import Service, build
except ImportError as error:
    raise MissingExtraError("the service", "service") from error


def create_app(settings: Settings | None = None, exporters: Sequence[Any] = ()) -> FastAPI:
    """The service as an ASGI application.

    `exporters` take spans in place of OTLP. Raises `InputError` for settings that cannot be used.
    """
    settings = settings or Settings()
    service = build(settings, exporters)
    app = FastAPI(
        title="reparto",
        version=version("reparto"),
        description=DESCRIPTION,
        lifespan=_lifespan,
        openapi_url="/openapi.json" if settings.docs else None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    for kind, handler in (
        (Refusal, on_refusal),
        (InputError, on_input),
        (MissingExtraError, on_missing),
        (HTTPException, on_http),
    ):
        app.add_exception_handler(kind, handler)
    for name in registry.names("routes"):
        app.include_router(registry.load("routes", name))
    app.add_middleware(Guard, service=service)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    starting = asyncio.create_task(_start(service))
    try:
        yield
    finally:
        service.ready = False
        await starting
        if service.upstream is not None:
            await service.upstream.close()
        await asyncio.to_thread(service.work.close)
        logs.event("stopped")


async def _start(service: Service) -> None:
    """Get ready while probes are already answered; what stands in the way is what /readyz says."""
    try:
        await asyncio.to_thread(service.start)
    except Exception as error:
        service.not_ready.append(str(error) if isinstance(error, InputError) else type(error).__name__)
        logs.event("not_ready", 40, error)
