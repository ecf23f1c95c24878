"""Bodies in bounds: counted as they are read, whatever length was declared, in limited time and memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from starlette.types import Message, Receive

from reparto.errors import Problem
from reparto.service.faults import Refusal, busy, too_large
from reparto.service.settings import Settings

HEAD_BYTES = 32_768
PLAIN = ("", "utf-8", "utf8")


@dataclass(slots=True)
class Flight:
    """Bytes of bodies that are held at this moment, over all requests. Used from the event loop only."""

    held: int = 0


def check_head(headers: dict[bytes, list[bytes]], settings: Settings, version: str = "1.1") -> None:
    """What the head of a request must and must not say; a `Refusal` (400, 413, 415, 431) otherwise."""
    if sum(len(name) + len(value) for name, values in headers.items() for value in values) > HEAD_BYTES:
        problem = Problem("head_too_large", f"the headers have more than {HEAD_BYTES} bytes", "send fewer headers")
        raise Refusal(431, problem, {"Connection": "close"})
    if version == "1.0" and b"transfer-encoding" in headers:
        # RFC 9112, 6.1: such framing is faulty.
        problem = Problem("two_lengths", "HTTP/1.0 has no transfer coding", "send a length, or HTTP/1.1")
        raise Refusal(400, problem, {"Connection": "close"})
    if b"content-length" in headers and b"transfer-encoding" in headers:
        # Two readers of one stream could disagree on where this request ends (RFC 9112, 6.3).
        problem = Problem("two_lengths", "there is a length and a transfer coding", "send one of them")
        raise Refusal(400, problem, {"Connection": "close"})
    for coding in headers.get(b"content-encoding", []):
        if coding.strip().lower() not in (b"", b"identity"):
            raise _unsupported(f"content encoding {_said(coding)} is not taken", "send the body uncompressed")
    for kind in headers.get(b"content-type", []):
        name, *parameters = (part.strip().lower() for part in kind.decode("latin-1").split(";"))
        forms = name in ("application/x-www-form-urlencoded", "multipart/form-data")
        if name and not forms and name != "application/json" and not name.endswith("+json"):
            raise _unsupported(f"content type {_said(kind)} is not taken", "send application/json")
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "charset" and value.strip(" \"'") not in PLAIN:
                raise _unsupported(f"character set {value[:40]!r} is not taken", "send UTF-8")
    for length in headers.get(b"content-length", []):
        if length.isdigit() and (len(length) > 15 or int(length) > settings.body_bytes):
            raise _over(settings)


class Bounded:
    """A `receive` that counts, and gives up on time. `release` must be called when the request is over."""

    def __init__(self, receive: Receive, settings: Settings, flight: Flight) -> None:
        self._receive, self._settings, self._flight = receive, settings, flight
        self._until: float | None = None
        self.bytes, self._done = 0, False

    async def __call__(self) -> Message:
        """The next message; `Refusal` 408, 413 or 429 when a bound is passed."""
        if self._done:
            return await self._receive()
        now = asyncio.get_running_loop().time()
        self._until = self._until or now + self._settings.body_seconds
        try:
            message = await asyncio.wait_for(self._receive(), self._until - now)
        except TimeoutError:
            seconds = f"{self._settings.body_seconds:g} s"
            problem = Problem("slow_body", f"the body did not arrive in {seconds}", "send it faster, or less of it")
            raise Refusal(408, problem, {"Connection": "close"}) from None
        if message["type"] != "http.request":
            self._done = True
            return message
        self._count(len(message.get("body", b"")))
        self._done = not message.get("more_body", False)
        return message

    def _count(self, more: int) -> None:
        self.bytes += more
        self._flight.held += more
        if self.bytes > self._settings.body_bytes:
            raise _over(self._settings)
        if self._flight.held > self._settings.flight_bytes:
            refusal = busy("too many bytes of bodies are being worked on")
            refusal.headers["Connection"] = "close"
            raise refusal

    def release(self) -> None:
        """Give the bytes back."""
        self._flight.held -= self.bytes
        self.bytes = 0


def headers_of(scope: Any) -> dict[bytes, list[bytes]]:
    """Header values by lower-case name; a name given twice keeps both."""
    found: dict[bytes, list[bytes]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.lower(), []).append(value)
    return found


def _over(settings: Settings) -> Refusal:
    return too_large(
        f"the body is larger than {settings.body_bytes} bytes", "send fewer candidates or requests at a time"
    )


def _unsupported(what: str, remedy: str) -> Refusal:
    return Refusal(415, Problem("unsupported", what, remedy), {"Connection": "close"})


def _said(value: bytes) -> str:
    return repr(value.decode("latin-1")[:60])
