"""For tests: requests as bytes over a bare socket, where a client library would refuse to send them."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

CLOSED = 0  # the connection is closed without an answer
MIB = 2**20
MARK = "zq-never-in-a-log-zq"  # in every text that is sent, and to be in no log
GOOD = json.dumps([{"id": "a", "score": 1, "text": MARK}]).encode()
Sending = bytes | Callable[[socket.socket], None]


@dataclass(frozen=True, slots=True)
class Case:
    """A name for the table, the status expected (0: closed), what is sent, and the first error's code."""

    name: str
    status: int
    send: Sending
    code: str | None = None


def post(body: bytes, *headers: str, path: str = "/v1/select", length: int | str | None = None) -> bytes:
    """A POST of a body; `length` is what it claims of itself."""
    size = len(body) if length is None else length
    head = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {size}", *headers]
    if not any(one.lower().startswith("content-type") for one in headers):
        head.append("Content-Type: application/json")
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body


def get(path: str, *headers: str) -> bytes:
    """A GET."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *headers]).encode("latin-1") + b"\r\n\r\n"


def chunked(*chunks: bytes, end: bool = True, path: str = "/v1/select", coding: str = "chunked") -> bytes:
    """A POST in chunks."""
    head = [
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        f"Transfer-Encoding: {coding}",
    ]
    parts = b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in chunks)
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + parts + (b"0\r\n\r\n" if end else b"")


def dripping(first: bytes, then: bytes, seconds: float = 0.2, times: int = 100) -> Callable[[socket.socket], None]:
    """Sends something, then something more again and again."""

    def drip(sock: socket.socket) -> None:
        sock.sendall(first)
        for _ in range(times):
            time.sleep(seconds)
            sock.sendall(then)

    return drip


def send(port: int, what: Sending) -> tuple[int, bytes, float]:
    """Send to a service on the loopback while its answer is read: status (0: closed without one), body, seconds."""
    started = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        threading.Thread(target=_push, args=(sock, what), daemon=True).start()
        answer = b""
        try:
            while chunk := sock.recv(65536):
                answer += chunk
                head, _, body = answer.partition(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", head.lower())
                if length and len(body) >= int(length[1]):
                    break
        except ConnectionResetError:
            pass
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else CLOSED, body, time.perf_counter() - started


def statuses(port: int, what: bytes, seconds: float = 1.0) -> list[int]:
    """Send, and read until nothing has come for so long: the statuses of all answers on the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        threading.Thread(target=_push, args=(sock, what), daemon=True).start()
        sock.settimeout(seconds)
        answer = b""
        try:
            while chunk := sock.recv(65536):
                answer += chunk
        except (TimeoutError, ConnectionResetError):
            pass
    return [int(one) for one in re.findall(rb"(?:^|[}\]\n\x00-\xff])HTTP/1\.1 (\d{3}) ", answer)]


def _push(sock: socket.socket, what: Sending) -> None:
    try:
        if callable(what):
            what(sock)
        else:
            sock.sendall(what)
    except OSError:
        return  # refused before all was sent
