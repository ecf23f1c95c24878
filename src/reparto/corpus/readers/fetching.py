"""One document from an http(s) address, without being led into a private network.

Every address a name resolves to must be a public one, the connection goes to the address that was checked (so
a second answer of the name server changes nothing), and every redirect is checked anew. Size, time and
redirects are bounded.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from urllib.parse import urljoin, urlsplit

from reparto.corpus.readers.base import Limits, Source
from reparto.errors import CorpusError, Problem

REDIRECTS, SECONDS, LARGEST = 5, 20.0, 32 * 2**20
KINDS = {
    "pdf": "pdf",
    "rss": "feed",
    "atom": "feed",
    "xml": "feed",
    "ndjson": "jsonl",
    "jsonl": "jsonl",
    "json": "json",
}
KINDS |= {"csv": "csv", "markdown": "markdown", "plain": "text", "html": "html"}
NAT64 = ipaddress.ip_network("64:ff9b::/96")


def fetched(address: str, limits: Limits, private: bool = False) -> tuple[Source, str]:
    """The content of an address and the name of its reader; `CorpusError` says why there is none."""
    deadline, place = time.monotonic() + SECONDS, address
    for _ in range(REDIRECTS + 1):
        status, headers, content = _get(place, deadline, private)
        if status in {301, 302, 303, 307, 308} and headers.get("location"):
            place = urljoin(place, headers["location"])
            continue
        if status != 200:
            raise _refused(address, f"HTTP {status}")
        return Source(place, data=content, identity=address, limits=limits), kind_of(headers, content)
    raise _refused(address, f"more than {REDIRECTS} redirects")


def kind_of(headers: dict[str, str], content: bytes) -> str:
    """The reader for a content type; a page that is really a feed is read as one."""
    kind = headers.get("content-type", "").split(";")[0].strip().lower().replace("+", "/").split("/")
    kind = [part.removeprefix("x-") for part in kind]
    if content.lstrip()[:200].lower().startswith((b"<rss", b"<feed")):
        return "feed"
    return next((KINDS[part] for part in kind if part in KINDS), "html")


def public(host: str, port: int) -> list[str]:
    """The addresses of a host, all of them public; `CorpusError` otherwise."""
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:
        raise _refused(host, f"the name does not resolve ({error})") from error
    hidden = sorted(one for one in found if not _is_public(one))
    if hidden:
        raise _refused(host, f"{hidden[0]} is not a public address", "allow it with --allow-private, knowingly")
    return sorted(found)


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.split("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if address.teredo or (inner and not _is_public(str(inner))):
            return False
        if inner:
            return True
    return address.is_global and not address.is_multicast


def _get(place: str, deadline: float, private: bool) -> tuple[int, dict[str, str], bytes]:
    try:
        parts = urlsplit(place)
        host, port = parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme, 0)
    except ValueError as error:
        raise _refused(place, str(error)) from error
    if parts.scheme not in {"http", "https"} or not host:
        raise _refused(place, "only http and https are fetched")
    numbers = [host] if private else public(host, port)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        with _connected(numbers[0], port, deadline) as plain:
            if parts.scheme == "https":
                plain = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
            connection = http.client.HTTPConnection(host, port)
            connection.sock = plain
            headers = {
                "User-Agent": "reparto",
                "Accept-Encoding": "identity",
                "Host": parts.netloc.rpartition("@")[2],
            }
            connection.request("GET", path, headers=headers)
            reply = connection.getresponse()
            content = _content(place, reply, plain, deadline)
            return reply.status, {name.lower(): value for name, value in reply.getheaders()}, content
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _refused(place, f"{type(error).__name__}: {error}") from error


def _connected(number: str, port: int, deadline: float) -> socket.socket:
    return socket.create_connection((number, port), timeout=max(deadline - time.monotonic(), 0.01))


def _content(place: str, reply: http.client.HTTPResponse, plain: socket.socket, deadline: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise _refused(place, f"not complete after {SECONDS:.0f} seconds")
        if plain.fileno() >= 0:
            plain.settimeout(left)
        part = reply.read1(65536)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            raise _refused(place, f"longer than {LARGEST} bytes")


def _refused(place: str, why: str, remedy: str = "skipped; check the address") -> CorpusError:
    return CorpusError(Problem("not_fetched", f"{place}: {why}", remedy))
