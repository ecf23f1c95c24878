"""What keeps answers prompt: sockets that send without delay, and no collection of what was loaded once."""

from __future__ import annotations

import asyncio
import gc
import socket

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

from reparto.service.server import bind, freeze
from reparto.service.settings import Settings
from reparto.service.state import build


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_accepted_connection_sends_without_delay(host):
    """Otherwise the body of an answer waits for the acknowledgement of its head: 40 ms for a client that keeps alive."""
    found: list[int] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        found.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(accept, sock=bind(Settings(host=host, port=0)))
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            await reader.read()
            writer.close()
            await writer.wait_closed()

    asyncio.run(run())
    assert found and found[0] != 0


def test_a_service_settles_once_all_is_loaded_and_before_it_is_ready():
    service = build(Settings())
    seen: list[bool] = []
    service.settle = lambda: seen.append(service.ready)
    service.start()
    assert (seen, service.ready) == ([False], True)


def test_what_was_loaded_is_left_out_of_later_collections():
    before = gc.get_freeze_count()
    try:
        freeze()
        assert gc.get_freeze_count() > before + 10_000
    finally:
        gc.unfreeze()
