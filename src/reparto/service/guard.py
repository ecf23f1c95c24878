"""Around every request: its id, who asks, the bounds of its body, what is logged and counted about it."""

from __future__ import annotations

import time
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reparto.service import logs
from reparto.service.answering import COUNTED
from reparto.service.body import Bounded, check_head, headers_of
from reparto.service.faults import Refusal
from reparto.service.keys import check_host, check_key, check_site
from reparto.service.rerank.shapes import plain_error
from reparto.service.state import Service
from reparto.service.work import no_place
from reparto.service.writing import json_bytes

LEFT = 499  # nobody to answer: the client went away, or broke off its body
SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """ASGI middleware. Refusals from here and from the body's bounds have the error body of every other fault."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; anything but HTTP passes through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        service, headers, started = self._service, headers_of(scope), time.perf_counter()
        id = logs.request_id(headers.get(b"x-request-id", [None])[0])
        token = logs.REQUEST_ID.set(id)
        bounded = Bounded(receive, service.settings, service.flight)
        answer = _Answer(send, id)
        service.metrics.in_flight.inc()
        size = 0
        try:
            check_host(headers, service.hosts)
            check_key(scope["path"], headers, service.keys)
            check_site(scope["method"], headers)
            check_head(headers, service.settings, scope["http_version"])
            if scope["method"] == "POST" and service.work.full:
                raise no_place()  # before its body is read: what is turned away should cost next to nothing
            await self._app(scope, bounded, answer)
        except Refusal as refusal:  # before the routes, where nothing else turns it into an answer
            if refusal.status in COUNTED:
                service.metrics.shed.labels(refusal.problems[0].code).inc()
            await answer.refuse(refusal, scope["path"])
        except ClientDisconnect:
            answer.status = LEFT  # no failure of the service, and not to be counted as one
        except Exception as error:
            logs.event("failed", 40, error)
            await answer.fail()
        finally:
            size = bounded.bytes
            bounded.release()
            service.metrics.in_flight.dec()
            self._account(scope, answer, started, size)
            logs.REQUEST_ID.reset(token)

    def _account(self, scope: Scope, answer: _Answer, started: float, size: int) -> None:
        seconds = time.perf_counter() - started
        route = getattr(scope.get("route"), "path", "unmatched")
        metrics = self._service.metrics
        method = (
            scope["method"]
            if scope["method"] in ("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
            else "other"
        )
        metrics.requests.labels(route, method, str(answer.status)).inc()
        metrics.http_seconds.labels(route).observe(seconds)
        quiet = route in ("/healthz", "/readyz", "/metrics") and answer.status == 200
        logs.event(
            "request",
            10 if quiet else 20,
            method=method,
            path=scope["path"][:200],
            status=answer.status,
            ms=round(1000 * seconds, 2),
            bytes_in=size,
            bytes_out=answer.bytes,
            **scope.get("reparto", {}),
        )


class _Answer:
    """A `send` that adds headers, and remembers what went out."""

    def __init__(self, send: Send, id: str) -> None:
        self._send, self._id = send, id.encode("ascii")
        self.status, self.bytes, self._begun = 500, 0, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self._begun = message["status"], True
            present = {name.lower() for name, _ in message["headers"]}
            extra = [pair for pair in SAFE_HEADERS if pair[0] not in present]
            message = {**message, "headers": [*message["headers"], *extra, (b"x-request-id", self._id)]}
        elif message["type"] == "http.response.body":
            self.bytes += len(message.get("body", b""))
        await self._send(message)

    async def refuse(self, refusal: Refusal, path: str) -> None:
        """Answer with a refusal, unless an answer is already under way; at the rerank doors in every client's shape."""
        body = plain_error(refusal) if path.endswith("/rerank") else refusal.to_dict()
        await self._whole(refusal.status, json_bytes(body), refusal.headers)

    async def fail(self) -> None:
        """Answer 500. The message says nothing of the cause; the log has it under the request's id."""
        problem = {"code": "internal", "id": None, "field": None, "line": None}
        problem["message"] = f"the service failed; request id {self._id.decode()}"
        problem["remedy"] = "tell the operator the request id"
        await self._whole(500, json_bytes({"errors": [problem]}), {})

    async def _whole(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        if self._begun:
            return
        pairs: list[Any] = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        pairs += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self({"type": "http.response.start", "status": status, "headers": pairs})
        await self({"type": "http.response.body", "body": body})
