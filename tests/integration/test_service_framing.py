"""Hostile framing, heads, paths and values over a raw socket, beyond test_service_hostile.py: status, and what was kept.

Where two readers could disagree on where a request ends, the connection is closed: nothing behind it is answered.
"""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "yaml"):
    pytest.importorskip(module, reason="the service needs the extra `service`")

import httpx

from reparto.service.settings import Settings
from reparto.service.testing import in_thread
from reparto.service.testing_raw import GOOD, MARK, MIB, Case, chunked, dripping, get, post, statuses

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = Settings(body_seconds=3.0, header_seconds=1.0, request_seconds=10.0)
N = len(GOOD)
ONE = b"%x\r\n%s\r\n" % (N, GOOD)


def framed(coding: str, body: bytes, version: str = "1.1") -> bytes:
    head = f"POST /v1/select HTTP/{version}\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{coding}\r\n\r\n"
    return head.encode("latin-1") + body


def named(value: str) -> bytes:
    return f"GET /healthz HTTP/1.1\r\nHost: {value}\r\n\r\n".encode("latin-1")


def rerank(*documents: str) -> bytes:
    return post(json.dumps({"query": MARK, "documents": documents}).encode(), path="/v2/rerank")


def text(raw: bytes) -> bytes:
    return post(b'[{"id":"a","score":1,"text":"' + raw + b'"}]')


TE = "Transfer-Encoding: chunked"
CASES = [
    Case("a chunked body without an end", 408, chunked(GOOD, end=False), "slow_body"),
    Case("a chunk that claims 2^64 - 1 bytes", 408, framed(TE, b"f" * 16 + b"\r\nabc"), "slow_body"),
    Case("a chunk size of 30 digits", 400, framed(TE, b"f" * 30 + b"\r\n")),
    Case("a chunk of -5 bytes", 400, framed(TE, b"-5\r\n")),
    Case("a chunk of 0x5 bytes", 400, framed(TE, b"0x5\r\nabcde\r\n0\r\n\r\n")),
    Case("a chunk longer than it says", 400, framed(TE, b"3\r\nabcdef\r\n0\r\n\r\n")),
    Case("a chunk extension of 100 KB that does not end", 400, framed(TE, b"5;" + b"a" * 100_000)),
    Case("a chunk extension", 200, framed(TE, ONE.replace(b"\r\n", b";a=b\r\n", 1) + b"0\r\n\r\n")),
    Case("chunks without carriage returns", 408, framed(TE, b"%x\n%s\n0\n\n" % (N, GOOD)), "slow_body"),
    Case("100,000 chunks of a byte", 400, framed(TE, b"1\r\n \r\n" * 100_000)),
    Case("trailers that name host and length", 200, framed(TE, ONE + b"0\r\nHost: evil\r\nContent-Length: 3\r\n\r\n")),
    Case("chunks in HTTP/1.0", 400, framed(TE, ONE + b"0\r\n\r\n", "1.0"), "two_lengths"),
    Case("Transfer-Encoding twice", 400, framed(f"{TE}\r\n{TE}", ONE + b"0\r\n\r\n")),
    Case("a space before the colon of Transfer-Encoding", 400, framed("Transfer-Encoding : chunked", ONE + b"0\r\n\r\n")),
    Case("a vertical tab before `chunked`", 400, framed("Transfer-Encoding: \x0bchunked", ONE + b"0\r\n\r\n")),
    Case("`chunked, identity`", 400, framed("Transfer-Encoding: chunked, identity", ONE + b"0\r\n\r\n")),
    Case("`xchunked` beside a length", 400, framed("Transfer-Encoding: xchunked\r\nContent-Length: 4", b"5c\r\n")),
    Case("two lengths that agree", 200, post(GOOD, f"Content-Length: {N}")),
    Case("a length with a sign", 400, post(GOOD, length=f"+{N}")),
    Case("a length in hexadecimal", 400, post(GOOD, length="0x10")),
    Case("a length with an underscore", 400, post(GOOD, length="1_0")),
    Case("an empty length", 400, post(GOOD, length="")),
    Case("a length of 40 digits", 400, post(GOOD, length="9" * 40)),
    Case("Expect: 100-continue for 100 MB", 413, post(b"", "Expect: 100-continue", length=100 * MIB), "too_large"),
    Case("a bare carriage return in a header", 400, post(GOOD, "X-A: a\rb")),
    Case("a header without a name", 400, post(GOOD, ": b")),
    Case("a header name with a bracket", 400, post(GOOD, "X(A: b")),
    Case("a header without a colon", 400, post(GOOD, "XAb")),
    Case("2,000 headers", 200, post(GOOD, *[f"a{n}: b" for n in range(2000)])),
    Case("a request id of 5,000 letters", 200, post(GOOD, "X-Request-ID: " + "a" * 5000)),
    Case("X-HTTP-Method-Override: DELETE", 200, post(GOOD, "X-HTTP-Method-Override: DELETE")),
    Case("two content types", 415, post(GOOD, "Content-Type: application/json", "Content-Type: text/plain"), "unsupported"),
    Case("Content-Encoding: identity, gzip", 415, post(GOOD, "Content-Encoding: identity, gzip"), "unsupported"),
    Case("HTTP/0.9", 400, b"GET /healthz\r\n\r\n"),
    Case("`http/1.1`", 400, b"GET /healthz http/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
    Case("a request line with two spaces", 400, b"GET  /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
    Case("CONNECT to elsewhere", 404, b"CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "http_404"),
    Case("a file as target", 404, get("file:///etc/passwd"), "http_404"),
    Case("host `127.0.0.1@evil.example`", 421, named("127.0.0.1@evil.example"), "unknown_host"),
    Case("host `127.0.0.1.evil.example`", 421, named("127.0.0.1.evil.example"), "unknown_host"),
    Case("host `127.0.0.1, evil.example`", 421, named("127.0.0.1, evil.example"), "unknown_host"),
    Case("host 2130706433", 421, named("2130706433"), "unknown_host"),
    Case("/%ff%fe", 404, get("/%ff%fe"), "http_404"),
    Case("/%c0%af..%c0%afetc", 404, get("/%c0%af..%c0%afetc"), "http_404"),
    Case("/..\\..\\etc", 404, get("/..\\..\\etc"), "http_404"),
    Case("/healthz;a=b", 404, get("/healthz;a=b"), "http_404"),
    Case("/healthz/", 404, get("/healthz/"), "http_404"),
    Case("/HEALTHZ", 404, get("/HEALTHZ"), "http_404"),
    Case("/%252e%252e/", 404, get("/%252e%252e/"), "http_404"),
    Case("/inspector/static/../../settings.py", 404, get("/inspector/static/../../settings.py"), "http_404"),
    Case("/inspector/static/%2e%2e%2f%2e%2e%2fsettings.py", 404, get("/inspector/static/%2e%2e%2f%2e%2e%2fsettings.py"), "http_404"),
    Case("bytes above 127 in the path", 400, get("/\xe9")),
    Case("the page with k of 23 digits and lambda nan", 422, get("/?k=99999999999999999999999&lambda=nan&step=-1")),
    Case("UTF-32", 422, post(GOOD.decode().encode("utf-32")), "not_utf8"),
    Case("an overlong slash in UTF-8", 422, text(b"\xc0\xaf"), "not_utf8"),
    Case("surrogates as UTF-8 bytes", 422, text(b"\xed\xa0\x80\xed\xb0\x80"), "not_utf8"),
    Case("a NUL byte in a string", 422, text(b"a\x00b"), "not_json"),
    Case("an escaped NUL in a string", 200, text(rb"a\u0000b")),
    Case("two JSON values", 422, post(GOOD + GOOD), "not_json"),
    Case("a comment in the JSON", 422, post(b"/* a */" + GOOD), "not_json"),
    Case("a key `__proto__`", 422, post(b'{"__proto__":{"k":1},"candidates":[]}'), "unknown_key"),
    Case("a key of 1 MB", 422, post(b'{"' + b"a" * MIB + b'":1}'), "unknown_key"),
    Case("200,000 keys of metadata", 200, post(b'[{"id":"a","score":1,"text":"x","metadata":{' + b",".join(b'"k%d":1' % n for n in range(200_000)) + b"}}]")),
    Case("a text of 15 MB", 422, text(b"x" * (15 * MIB)), "too_long"),
    Case("14 MB of `0,`", 422, post(b"[" + b"0," * (7 * MIB) + b"0]"), "too_many"),
    Case("8 MB of backslashes", 422, post(b'["' + b"\\\\" * (4 * MIB)), "not_json"),
    Case("a score that is an integer of 400 digits", 200, post(b'[{"id":"a","score":1' + b"0" * 400 + b',"text":"x"}]')),
    Case("YAML aliases within aliases, as a document", 200, rerank("a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\ntext: *b\n")),
    Case("a YAML tag that names a function", 200, rerank("text: !!python/object/apply:os.system ['false']")),
    Case("YAML 30,000 levels deep", 200, rerank("text: a\nb: " + "[" * 30_000)),
    Case("JSON 50,000 levels deep, as a document", 200, rerank('{"text": ' + "[" * 50_000)),
    Case("2,001 documents", 422, rerank(*["a"] * 2001), "too_many"),
    Case("a body a byte a packet", 200, dripping(post(b"", length=40), b" " * 2 + b"[]" + b" " * 36, 0, 1)),
]  # fmt: skip


@pytest.fixture(scope="module")
def running():
    with in_thread(SETTINGS) as running:
        yield running


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_hostile_input(running, case, withstood):
    withstood(running, case)


def test_the_documentation_has_this_table():
    table = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    for case in CASES:
        assert f"| {case.name} | {case.status} | {case.code or ''} |" in table


HIDDEN = get("/metrics")
BEHIND = {
    "a body that is a request": (post(HIDDEN), [422]),
    "a request behind a body that is too large": (post(b"", length=100 * MIB) + HIDDEN, [413]),
    "a request behind a chunked body that is too large": (chunked(b" " * (16 * MIB + 1)) + HIDDEN, [413]),
    "a request behind what is not taken": (post(GOOD, "Content-Encoding: gzip") + HIDDEN, [415]),
    "a request behind length and chunks at once": (framed(f"{TE}\r\nContent-Length: 6", b"0\r\n\r\nG" + HIDDEN), [400]),
    "a request behind an unknown coding": (framed("Transfer-Encoding: xchunked", b"0\r\n\r\n" + HIDDEN), [400]),
    "a request behind a bad chunk": (framed(TE, b"zz\r\n" + HIDDEN), [400]),
    "a request behind chunks in HTTP/1.0": (framed(TE, b"0\r\n\r\n" + HIDDEN, "1.0"), [400]),
    "a request in the body of a GET": (get("/healthz", f"Content-Length: {len(HIDDEN)}") + HIDDEN, [200]),
    "a request in a body for another site's page": (post(HIDDEN, "Origin: https://evil.example"), [403]),
    "a request in a body for another host": (post(HIDDEN).replace(b"127.0.0.1", b"evil"), [421]),
    "a request in a body for nothing": (post(HIDDEN, path="/nothing"), [404]),
    "two requests, one after the other": (get("/healthz") + get("/readyz"), [200, 200]),
}  # fmt: skip


@pytest.mark.parametrize("name", BEHIND)
def test_nothing_hides_behind_a_request(running, name, emptied):
    sent, expected = BEHIND[name]
    assert statuses(running.port, sent) == expected
    emptied(running)


@pytest.mark.parametrize("begun", [post(GOOD[:10], length=N), chunked(GOOD[:10], end=False), post(GOOD, length=10 * N)])
def test_a_client_that_leaves_in_the_middle_is_no_failure(running, begun, caplog, emptied, failures_of):
    caplog.set_level(0)
    failures, before = failures_of(running), left(running)
    with socket.create_connection(("127.0.0.1", running.port)) as sock:
        sock.sendall(begun)
        time.sleep(0.2)
    until = time.monotonic() + 5
    while left(running) == before:
        assert time.monotonic() < until
        time.sleep(0.01)
    emptied(running)
    assert failures_of(running) == failures
    assert not [one for one in caplog.records if one.name == "reparto.service" and one.levelname == "ERROR"]


def left(running) -> float:
    found = running.service.metrics.requests.labels("/v1/select", "POST", "499")
    return found._value.get()


def test_a_client_that_does_not_read_holds_nobody_up(running, emptied):
    with socket.create_connection(("127.0.0.1", running.port)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(1)
        try:
            for _ in range(2000):
                deaf.sendall(get("/openapi.json"))
        except TimeoutError:
            pass  # the service reads no further
        started = time.perf_counter()
        assert httpx.get(f"{running.url}/healthz", trust_env=False, timeout=10).status_code == 200
        assert time.perf_counter() - started < 5
    emptied(running)
