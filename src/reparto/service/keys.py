"""Who may ask: API keys compared in constant time, host names answered to, and pages of other sites turned away."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable
from urllib.parse import urlsplit

from reparto.errors import Problem
from reparto.service.faults import Refusal
from reparto.service.settings import Settings

OPEN = ("/healthz", "/readyz")  # probes carry no key
LOOPBACK = ("localhost", "127.0.0.1", "[::1]", "::1")
LEAST_LENGTH = 16
Headers = dict[bytes, list[bytes]]


class Keys:
    """The accepted keys, kept as digests. False when there are none."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._digests = tuple(_digest(key.encode("utf-8")) for key in keys)

    def __bool__(self) -> bool:
        """Whether any key is asked for."""
        return bool(self._digests)

    def accept(self, given: bytes) -> bool:
        """Whether `given` is a key. Takes the same time whichever key it is, or none."""
        digest, found = _digest(given), False
        for known in self._digests:
            found |= hmac.compare_digest(digest, known)
        return found


def check_key(path: str, headers: Headers, keys: Keys) -> None:
    """A 401 `Refusal` unless the request carries a key: `Authorization: Bearer`, `X-API-Key`, or Basic's password."""
    if not keys or path in OPEN:
        return
    # Every offered credential is looked at, so that a stray header does not hide the right one.
    if not any(keys.accept(one) for one in _offered(headers)):
        raise Refusal(
            401,
            Problem(
                "unauthorized", "there is no valid API key", "send `Authorization: Bearer KEY` or `X-API-Key: KEY`"
            ),
            {"WWW-Authenticate": 'Basic realm="reparto", charset="UTF-8"' if path == "/" else 'Bearer realm="reparto"'},
        )


def check_host(headers: Headers, hosts: tuple[str, ...]) -> None:
    """A 421 `Refusal` for a host name that is not ours: a page elsewhere may have pointed its name at this address."""
    named = headers.get(b"host", [])
    if hosts and (len(named) != 1 or host_name(named[0].decode("latin-1")) not in hosts):
        given = named[0].decode("latin-1")[:60] if named else ""
        raise Refusal(
            421, Problem("unknown_host", f"host {given!r} is not answered to", "use a name that --hosts lists")
        )


def check_site(method: str, headers: Headers) -> None:
    """A 403 `Refusal` for a request that a browser sends on behalf of another site's page."""
    if method in ("GET", "HEAD", "OPTIONS"):
        return
    site = headers.get(b"sec-fetch-site", [b""])[0]
    origin = headers.get(b"origin", [b""])[0].decode("latin-1")
    host = headers.get(b"host", [b""])[0].decode("latin-1")
    foreign = site in (b"cross-site", b"same-site") or (bool(origin) and _authority(origin) != host.lower())
    if foreign:
        raise Refusal(
            403,
            Problem(
                "cross_site", "the request comes from another site's page", "call from a server, or from this page"
            ),
        )


def hosts_of(settings: Settings, keys: Keys) -> tuple[str, ...]:
    """The host names to answer to; empty for any."""
    named = tuple(one.strip().lower() for one in settings.hosts.split(",") if one.strip())
    if named:
        return named
    return (*LOOPBACK, settings.host.lower()) if settings.loopback and not keys else ()


def host_name(value: str) -> str:
    """The name in a Host header, without its port."""
    value = value.strip().lower()
    if value.startswith("["):
        return value.partition("]")[0] + "]"
    return value.partition(":")[0]


def _offered(headers: Headers) -> list[bytes]:
    offered = [one.strip() for one in headers.get(b"x-api-key", [])]
    for value in headers.get(b"authorization", []):
        scheme, _, credentials = value.strip().partition(b" ")
        if scheme.lower() == b"bearer":
            offered.append(credentials.strip())
        elif scheme.lower() == b"basic":
            try:
                offered.append(base64.b64decode(credentials.strip(), validate=True).partition(b":")[2])
            except binascii.Error:
                continue
    return offered


def _authority(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()
