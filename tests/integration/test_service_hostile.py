"""Hostile input over a raw socket: what each is answered, that the service then still serves, and what it kept (nothing).

The table in docs/service.md is this one: `test_the_documentation_has_this_table`.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")


from reparto.service.settings import Settings
from reparto.service.testing import in_thread
from reparto.service.testing_raw import CLOSED, GOOD, MARK, MIB, Case, chunked, dripping, get, post, send

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = Settings(body_seconds=3.0, header_seconds=1.0, request_seconds=10.0)


def request(candidates: int = 1, **fields) -> bytes:
    texts = [
        f"{MARK if n == 0 else ''} {' '.join(f'{word}{n * 7919 % 2003}' for word in ('able', 'bold', 'cold', 'dark'))}"
        for n in range(candidates)
    ]
    return json.dumps(
        {"candidates": [{"id": f"c{n}", "score": 1, "text": text} for n, text in enumerate(texts)], **fields}
    ).encode()


CASES = [
    Case("a good request, to compare", 200, post(GOOD)),
    Case("body of 100 MB, declared", 413, post(b"", length=100 * MIB), "too_large"),
    Case("body of 100 MB, in chunks", 413, dripping(chunked(end=False), b"%x\r\n%s\r\n" % (MIB, b" " * MIB), 0, 100), "too_large"),
    Case("body of 16 MB and a byte", 413, post(b" " * (16 * MIB + 1 - len(GOOD)) + GOOD), "too_large"),
    Case("body of 16 MB", 200, post(b" " * (16 * MIB - len(GOOD)) + GOOD)),
    Case("16 MB of `{},`", 413, post(b"[" + b"{}," * (5 * MIB) + b"{}]"), "too_large"),
    Case("16 MB of `[`", 413, post(b"[" * (16 * MIB)), "too_large"),
    Case("a body that never comes", 408, post(b"", length=10), "slow_body"),
    Case("a byte of body every 0.2 s", 408, dripping(post(b"", length=1000), b"x"), "slow_body"),
    Case("a head that never ends", CLOSED, dripping(get("/healthz").removesuffix(b"\r\n"), b"X-A: b\r\n")),
    Case("a connection that says nothing", CLOSED, b""),
    Case("JSON 100,000 levels deep", 422, post(b"[" * 100_000 + b"]" * 100_000), "too_deep"),
    Case("JSON 65 levels deep", 422, post(b"[" * 65 + b"]" * 65), "too_deep"),
    Case("an integer of 5,000 digits", 422, post(b'[{"id":"a","score":' + b"9" * 5000 + b"}]"), "not_json"),
    Case("a score of 1e999", 200, post(b'[{"id":"a","score":1e999,"text":"x"}]')),
    Case("no JSON", 422, post(b"{'id': 1}"), "not_json"),
    Case("an empty body", 422, post(b""), "not_json"),
    Case("UTF-16", 422, post(GOOD.decode().encode("utf-16")), "not_utf8"),
    Case("UTF-8 with a BOM", 200, post(b"\xef\xbb\xbf" + GOOD)),
    Case("Latin-1 bytes", 422, post(b'[{"id":"a","score":1,"text":"\xf1"}]'), "not_utf8"),
    Case("a lone surrogate", 200, post(rb'[{"id":"\ud800","score":1,"text":"\udfff x"}]')),
    Case("charset=utf-16", 415, post(GOOD, "Content-Type: application/json; charset=utf-16"), "unsupported"),
    Case("Content-Encoding: gzip", 415, post(GOOD, "Content-Encoding: gzip"), "unsupported"),
    Case("text/plain", 415, post(GOOD, "Content-Type: text/plain"), "unsupported"),
    Case("XML", 415, post(b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>", "Content-Type: text/xml"), "unsupported"),
    Case("2,000 candidates", 200, post(request(2000))),
    Case("2,001 candidates", 422, post(request(2001)), "too_many"),
    Case("k = 200", 200, post(request(k=200))),
    Case("k = 201", 422, post(request(k=201)), "out_of_range"),
    Case("k = 201 in the policy", 422, post(request(policy={"k": 201})), "out_of_range"),
    Case("k = 1e300", 422, post(request().replace(b'"candidates"', b'"k": 1e300, "candidates"', 1)), "out_of_range"),
    Case("a vector of 4,096", 200, post(json.dumps([{"id": "a", "score": 1, "vector": [1] * 4096}]).encode())),
    Case("a vector of 4,097", 422, post(json.dumps([{"id": "a", "score": 1, "vector": [1] * 4097}]).encode()), "too_long"),
    Case("a text of 65,536 characters", 200, post(json.dumps([{"id": "a", "score": 1, "text": "x" * 65536}]).encode())),
    Case("a text of 65,537 characters", 422, post(json.dumps([{"id": "a", "score": 1, "text": "x" * 65537}]).encode()), "too_long"),
    Case("65 requests in a list", 413, post(json.dumps([{"candidates": []}] * 65).encode()), "too_large"),
    Case("one key 50,000 times", 200, post(b'{"candidates":[' + GOOD[1:-1] + b"]" + b',"k":1' * 50_000 + b"}")),
    Case("Content-Length: -1", 400, post(GOOD, length="-1")),
    Case("two lengths that differ", 400, post(GOOD, "Content-Length: 3")),
    Case("length and chunks at once", 400, post(b"%x\r\n%s\r\n0\r\n\r\n" % (len(GOOD), GOOD), "Transfer-Encoding: chunked"), "two_lengths"),
    Case("an unknown transfer coding", 400, post(GOOD, "Transfer-Encoding: gzip, chunked")),
    Case("a header folded over lines", 200, post(GOOD, "X-A: b\r\n c")),
    Case("a NUL in a header", 400, post(GOOD, "X-A: a\x00b")),
    Case("a bare line feed in a header", 400, post(GOOD, "X-A: a\nX-Api-Key b")),
    Case("headers of 64 KB", 431, post(GOOD, *[f"X-{n}: {'a' * 1000}" for n in range(64)])),
    Case("another host's name", 421, get("/healthz").replace(b"127.0.0.1", b"evil.example"), "unknown_host"),
    Case("two host headers", 400, get("/healthz", "Host: evil.example")),
    Case("no host header", 400, b"GET /healthz HTTP/1.1\r\n\r\n"),
    Case("a page of another site", 403, post(GOOD, "Origin: https://evil.example"), "cross_site"),
    Case("Sec-Fetch-Site: cross-site", 403, post(GOOD, "Sec-Fetch-Site: cross-site"), "cross_site"),
    Case("X-Forwarded-For and X-Original-URL", 404, get("/nothing", "X-Forwarded-For: 127.0.0.1", "X-Original-URL: /metrics"), "http_404"),
    Case("Upgrade: websocket", 200, get("/healthz", "Connection: Upgrade", "Upgrade: websocket")),
    Case("/../../etc/passwd", 404, get("/../../etc/passwd"), "http_404"),
    Case("/%2e%2e%2fetc%2fpasswd", 404, get("/%2e%2e%2fetc%2fpasswd"), "http_404"),
    Case("/v1/select/../../metrics", 404, get("/v1/select/../../metrics"), "http_404"),
    Case("//healthz", 404, get("//healthz"), "http_404"),
    Case("/healthz%00", 404, get("/healthz%00"), "http_404"),
    Case("a target with a host", 404, get("http://evil.example/healthz"), "http_404"),
    Case("a path of 30,000 bytes", 404, get("/" + "a" * 30_000), "http_404"),
    Case("a line break in the path", 404, get("/%0d%0aSet-Cookie:%20a=b"), "http_404"),
    Case("method TRACE", 405, b"TRACE /v1/select HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "http_405"),
    Case("a method of 1,000 letters", 405, b"A" * 1000 + b" /v1/select HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "http_405"),
    Case("TLS on a plain port", 400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n"),
    Case("HTTP/2 preface", 421, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    Case("a chunk size that lies", 400, chunked(GOOD, end=False) + b"zz\r\nabc\r\n"),
    Case("a script in a text", 200, post(json.dumps([{"id": "a", "score": 1, "text": "<script>alert(1)</script>"}]).encode())),
]  # fmt: skip


@pytest.fixture(scope="module")
def running():
    with in_thread(SETTINGS) as running:
        yield running


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_hostile_input(running, case, withstood):
    withstood(running, case)


def test_the_documentation_has_this_table():
    text = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    for case in CASES:
        said = "closed" if case.status == CLOSED else str(case.status)
        assert f"| {case.name} | {said} |" in text


def test_eight_bombs_at_once_stay_in_memory():
    """Objects are counted before they are made; bodies together are bounded."""
    resource = pytest.importorskip("resource", reason="peak memory is read from getrusage")
    bomb = post(b"[" + b"{}," * (5 * MIB) + b"{}]")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with in_thread(SETTINGS) as running:
        found: list[int] = []
        threads = [threading.Thread(target=lambda: found.append(send(running.port, bomb)[0])) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(30)
    assert set(found) <= {413, 429, 408}
    assert len(found) == 8
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 600 * 1024


def test_bodies_in_flight_are_bounded_together():
    with in_thread(Settings(flight_bytes=1000, body_seconds=3)) as running:
        with socket.create_connection(("127.0.0.1", running.port)) as slow:
            slow.sendall(post(b" " * 900, length=2000))
            time.sleep(0.3)
            status, body, _ = send(running.port, post(b" " * 500 + GOOD))
            assert (status, json.loads(body)["errors"][0]["code"]) == (429, "busy")
        time.sleep(0.3)
        assert send(running.port, post(b" " * 500 + GOOD))[0] == 200
