"""Fetching: public addresses only, wherever a name or a redirect leads; bounds on size, time and hops."""

import http.server
import socket
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from reparto.corpus.readers import Inputs, fetching
from reparto.corpus.readers.base import Limits
from reparto.documents import Document
from reparto.errors import CorpusError, Problem

HIDDEN = [
    "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1", "::",
    "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:0a00:0001::1", "fe80::1%eth0", "fc00::1", "224.0.0.1",
    "2001:0:0a00:1::1", "255.255.255.255", "192.0.2.1", "ff02::1",
]  # fmt: skip


@pytest.mark.parametrize("address", HIDDEN)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not fetching._is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"])
def test_addresses_that_are(address: str) -> None:
    assert fetching._is_public(address)


@pytest.mark.parametrize(
    "place",
    [
        "http://localhost/", "http://127.0.0.1:1/", "http://2130706433/", "http://0x7f000001/", "http://[::1]/",
        "http://0177.0.0.1/", "http://127.1/", "http://user@127.0.0.1/", "http://[::ffff:127.0.0.1]/",
    ],
)  # fmt: skip
def test_no_spelling_of_loopback_is_fetched(place: str) -> None:
    with pytest.raises(CorpusError, match=r"not a public address|does not resolve"):
        fetching.fetched(place, Limits())


@pytest.mark.parametrize(
    "place", ["file:///etc/hostname", "ftp://example.org/", "gopher://x/", "http://", "http://[x/"]
)
def test_only_http_and_https(place: str) -> None:
    with pytest.raises(CorpusError):
        fetching.fetched(place, Limits(), private=True)


class Handler(http.server.BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        Handler.asked.append(self.path)
        if self.path.startswith("/loop"):
            self.answer(302, b"", {"Location": self.path + "x"})
        elif self.path == "/inside":
            self.answer(302, b"", {"Location": "http://169.254.169.254/latest/"})
        elif self.path == "/file":
            self.answer(302, b"", {"Location": "file:///etc/hostname"})
        elif self.path == "/json":
            self.answer(
                200, b'{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}\n', {"Content-Type": "application/x-ndjson"}
            )
        elif self.path == "/feed":
            self.answer(200, b"<rss version='2.0'><channel></channel></rss>", {"Content-Type": "text/html"})
        elif self.path == "/big":
            self.answer(200, b"x" * 5000, {"Content-Type": "text/plain"})
        else:
            self.answer(404, b"", {})

    def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as one:
        thread = threading.Thread(target=one.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{one.server_address[1]}"
        one.shutdown()
        thread.join()


def test_documents_from_an_address(server: str) -> None:
    documents = [one for one in Inputs([f"{server}/json"], private=True) if isinstance(one, Document)]
    assert [one.id for one in documents] == ["1", "2"]
    refused = [one for one in Inputs([f"{server}/json"]) if isinstance(one, Problem)]
    assert [one.code for one in refused] == ["not_fetched"]
    assert "--allow-private" in refused[0].remedy


def test_a_redirect_is_checked_like_the_first_address(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    host = server.removeprefix("http://").split(":")[0]
    monkeypatch.setattr(fetching, "_is_public", lambda address: address == host)
    for path in ("/inside", "/file", "/loop", "/missing"):
        with pytest.raises(CorpusError):
            fetching.fetched(server + path, Limits())
    assert fetching.fetched(f"{server}/json", Limits())[1] == "jsonl"


def test_the_checked_address_is_the_one_connected_to(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that resolves to a public address first and to loopback a moment later gains nothing."""
    real = socket.getaddrinfo
    answers = iter(["93.184.216.34", "127.0.0.1", "127.0.0.1"])
    connected: list[str] = []

    def resolve(host: str, port: int, *rest: Any, **named: Any) -> Any:
        return real(next(answers) if host == "rebind.example" else host, port, *rest, **named)

    def connect(address: tuple[str, int], **named: Any) -> Any:
        connected.append(address[0])
        raise OSError("no network here")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(CorpusError):
        fetching.fetched("http://rebind.example/", Limits())
    assert connected == ["93.184.216.34"]


def test_too_long_an_answer_is_cut_off(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "LARGEST", 1000)
    with pytest.raises(CorpusError, match="longer than 1000"):
        fetching.fetched(f"{server}/big", Limits(), private=True)


def test_a_slow_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(CorpusError, match="not_fetched"):
        fetching.fetched(f"http://127.0.0.1:{silent.getsockname()[1]}/", Limits(), private=True)


def test_a_page_that_is_a_feed_is_read_as_one(server: str) -> None:
    assert fetching.fetched(f"{server}/feed", Limits(), private=True)[1] == "feed"
