"""Running the service: a socket of our own, heads of requests in limited time, a stop that finishes what was taken."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from reparto.errors import InputError, Problem
from reparto.service import logs
from reparto.service.app import create_app
from reparto.service.settings import Settings

SWITCH_SECONDS = 0.001
MOST_CHUNKS = 16_384  # of one body; each costs some 15 µs, whatever it holds


def serve(settings: Settings) -> None:
    """Listen until SIGTERM or SIGINT. Raises `InputError` for settings that cannot be used or are not safe."""
    app = create_app(settings)
    if not settings.loopback and not app.state.service.keys and not settings.force:
        message = f"{settings.host} is reached from other machines, and there is no API key"
        remedy = "set REPARTO_API_KEYS or --api-keys FILE, listen on 127.0.0.1, or --force behind a proxy that checks"
        raise InputError(Problem("open_to_all", message, remedy, field="host"))
    sock = bind(settings)
    host, port = sock.getsockname()[:2]
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    logs.announce("listening", address=address, pid=os.getpid())
    for number in (signal.SIGTERM, signal.SIGINT):
        # The server takes these over while it runs and hands them on afterwards: being told to stop is no failure.
        signal.signal(number, _exit)
    app.state.service.settle = freeze
    # Selecting threads hand the interpreter's lock over sooner, so that probes and refusals do not wait for them.
    sys.setswitchinterval(SWITCH_SECONDS)
    _Server(config_of(app, settings)).run(sockets=[sock])


def freeze() -> None:
    """Leave what is loaded by now out of every later garbage collection.

    A full collection looks at every object of every library, 60 to 150 ms in which nothing else runs; without them it
    looks at requests only.
    """
    gc.collect()
    gc.freeze()


def _exit(number: int, frame: Any) -> None:
    raise SystemExit(0)


def config_of(app: Any, settings: Settings) -> uvicorn.Config:
    """The server's own settings: h11 with a time for heads, no logs of its own, no trust in forwarded addresses."""
    return uvicorn.Config(
        app,
        http=protocol_of(settings.header_seconds),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        limit_concurrency=settings.connections,
        backlog=256,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=max(1, round(settings.stop_seconds)),
        h11_max_incomplete_event_size=32768,
    )


def bind(settings: Settings) -> socket.socket:
    """A listening socket; `InputError` when the address is taken or not ours."""
    sock: socket.socket | None = None
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        # The protocol is named because the event loop sends without delay (TCP_NODELAY) on such sockets only: an answer
        # is two writes, and the second would wait for the delayed acknowledgement of the first, 40 ms.
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((settings.host, settings.port))
        sock.listen(256)
    except (OSError, UnicodeError, OverflowError) as error:  # a port above 65535, a name that is none
        if sock is not None:
            sock.close()
        reason = getattr(error, "strerror", None) or str(error)
        message = f"{settings.host}:{settings.port}: {reason}"
        raise InputError(Problem("cannot_listen", message, "choose another --host or --port", field="port")) from error
    return sock


class _Server(uvicorn.Server):
    """Tells systemd (`Type=notify`) when it listens and when it stops."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        notify("READY=1")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        notify("STOPPING=1")
        await super().shutdown(sockets)


def notify(state: str) -> None:
    """Say something to the service manager, where there is one (sd_notify(3))."""
    path = os.environ.get("NOTIFY_SOCKET")
    if not path:
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.connect("\0" + path[1:] if path.startswith("@") else path)
            channel.sendall(state.encode())
    except OSError as error:
        logs.event("notify_failed", 30, error)


def _counted(next_event: Callable[[], Any]) -> Callable[[], Any]:
    """A parser's events, of which a body may have so many: one in chunks of a byte would keep the loop to itself."""
    chunks = 0

    def counted() -> Any:
        nonlocal chunks
        event = next_event()
        if isinstance(event, h11.Data) and event.chunk_start:
            chunks += 1
            if chunks > MOST_CHUNKS:
                raise h11.RemoteProtocolError("too many chunks", error_status_hint=413)
        elif isinstance(event, h11.Request):
            chunks = 0
        return event

    return counted


def protocol_of(seconds: float) -> type[asyncio.Protocol]:
    """The server's HTTP protocol, with a time in which the head of a request must arrive.

    The server itself waits for ever: a client that sends a byte a minute would hold its connection as long as it likes.
    """

    class Timed(H11Protocol):
        """Closes a connection on which no whole head has come in time."""

        _head: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.conn.next_event = _counted(self.conn.next_event)  # type: ignore[method-assign]
            self._head = self.loop.call_later(seconds, self._late)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            waiting = self.cycle is None or self.cycle.response_complete
            if not waiting:
                self._stop()
            elif self._head is None and not self.transport.is_closing():
                self._head = self.loop.call_later(seconds, self._late)

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _late(self) -> None:
            self._head = None
            if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
                self.transport.close()

        def _stop(self) -> None:
            if self._head is not None:
                self._head.cancel()
                self._head = None

    return Timed
