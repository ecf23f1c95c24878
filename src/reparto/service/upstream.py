"""A reranker behind the service: asked within a deadline, again when that may help, and left alone when it is down."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from contextlib import suppress

import httpx

from reparto.errors import InputError, Problem, UnknownNameError
from reparto.service import logs
from reparto.service.breaker import Breaker
from reparto.service.metrics import Metrics
from reparto.service.protocols import PROTOCOLS, BadAnswerError, scores_of
from reparto.service.settings import Settings, secret

LARGEST_ANSWER = 16 * 2**20
PASSING = (408, 425, 429, 500, 502, 503, 504)  # may go better the next time
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0


class UpstreamError(Exception):
    """The upstream did not give relevance; the message quotes nothing of a request."""


class _Passing(Exception):  # noqa: N818 - a reason to try again, seen by nobody
    def __init__(self, message: str, pause: float | None = None) -> None:
        super().__init__(message)
        self.pause = pause


class Upstream:
    """One upstream. `scores` may be called concurrently, from the event loop."""

    def __init__(self, settings: Settings, metrics: Metrics, key: str | None = None) -> None:
        self._settings, self._metrics, self._key = settings, metrics, key
        self._protocol = PROTOCOLS[settings.upstream_protocol]
        self._client: httpx.AsyncClient | None = None
        self.breaker = Breaker(settings.upstream_failures, settings.upstream_rest_seconds)

    async def scores(self, query: str, documents: Sequence[str], seconds: float) -> tuple[list[float], int]:
        """A score a document, and how many the upstream left out; `UpstreamError` when there are none to be had."""
        if not self.breaker.allows():
            self._metrics.upstream.labels("open").inc()
            raise UpstreamError("it failed lately and is left alone for now")
        try:
            async with asyncio.timeout(min(seconds, self._settings.upstream_seconds)):
                found, missing = await self._tries(query, documents)
        except (UpstreamError, _Passing, BadAnswerError, TimeoutError) as error:
            self.breaker.failed()
            reason = "it did not answer in time" if isinstance(error, TimeoutError) else str(error)
            self._metrics.upstream.labels("failed").inc()
            logs.event("upstream_failed", 30, reason=reason, breaker=self.breaker.state)
            raise UpstreamError(reason) from error
        except BaseException:
            self.breaker.gave_up()
            raise
        self.breaker.succeeded()
        self._metrics.upstream.labels("partial" if missing else "answered").inc()
        return found, missing

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _tries(self, query: str, documents: Sequence[str]) -> tuple[list[float], int]:
        body = json.dumps(self._protocol.body(query, documents, self._settings.upstream_model)).encode()
        pause = FIRST_PAUSE
        for left in range(self._settings.upstream_retries, -1, -1):
            try:
                return scores_of(await self._ask(body), self._protocol.listed, len(documents))
            except _Passing as error:
                if left == 0:
                    raise
                self._metrics.upstream.labels("retried").inc()
                await asyncio.sleep((error.pause or pause) * random.uniform(0.5, 1.0))
                pause = min(2 * pause, LONGEST_PAUSE)
        raise AssertionError("unreachable")

    async def _ask(self, body: bytes) -> object:
        if self._client is None:
            # No redirects: a key and the texts go where the operator said, and nowhere else.
            self._client = httpx.AsyncClient(
                follow_redirects=False, timeout=self._settings.upstream_seconds, trust_env=False
            )
        headers = {"Content-Type": "application/json", "User-Agent": "reparto"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            async with self._client.stream(
                "POST", str(self._settings.upstream), content=body, headers=headers
            ) as answer:
                if answer.status_code in PASSING:
                    raise _Passing(f"HTTP {answer.status_code}", _pause(answer.headers.get("retry-after")))
                if answer.status_code != 200:
                    raise UpstreamError(f"HTTP {answer.status_code}")
                raw = bytearray()
                async for chunk in answer.aiter_bytes():
                    raw += chunk
                    if len(raw) > LARGEST_ANSWER:
                        raise UpstreamError("its answer is too long")
        except httpx.HTTPError as error:
            raise _Passing(type(error).__name__) from error
        except httpx.InvalidURL as error:
            raise UpstreamError("its URL is not valid") from error
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise UpstreamError("its answer is not JSON") from error


def upstream_of(settings: Settings, metrics: Metrics) -> Upstream | None:
    """The upstream that the settings name; None for none. `InputError` when they cannot be used."""
    if settings.upstream is None:
        return None
    if not settings.upstream.startswith(("http://", "https://")):
        raise InputError(
            Problem(
                "no_url",
                "the upstream is no http(s) URL",
                "give its full URL, such as http://host/rerank",
                field="upstream",
            )
        )
    if settings.upstream_protocol not in PROTOCOLS:
        raise UnknownNameError("protocol", settings.upstream_protocol, list(PROTOCOLS), "upstream_protocol")
    keys = secret(settings.upstream_key, "REPARTO_UPSTREAM_KEY")
    return Upstream(settings, metrics, keys[0] if keys else None)


def _pause(value: str | None) -> float | None:
    with suppress(TypeError, ValueError):
        return min(max(float(value or "x"), 0.0), LONGEST_PAUSE) or None
    return None
