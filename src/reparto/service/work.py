"""Threads that select, and who may wait for one: what cannot be served soon is turned away at once."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from reparto.service.faults import Refusal, busy, unavailable

T = TypeVar("T")


def no_place() -> Refusal:
    """The 429 of a service whose places are all taken."""
    return busy("all places are taken")


class Turn:
    """One admitted request. Its place is free again when it is over *and* no thread works for it any more."""

    def __init__(self, work: Work, seconds: float) -> None:
        self._work = work
        self._until = time.monotonic() + seconds
        self._pending: Future[Any] | None = None

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return max(0.0, self._until - time.monotonic())

    @property
    def late(self) -> bool:
        """Whether the deadline has passed; a thread asks between two steps."""
        return time.monotonic() >= self._until

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """Run in a thread; a 503 `Refusal` at the deadline. The thread cannot be stopped: it keeps its place."""
        context = contextvars.copy_context()
        future: Future[T] = self._work.threads.submit(context.run, function, *args)
        self._pending = future
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.left)
        except TimeoutError:
            if future.done() and not future.cancelled():
                raise  # the function's own
            raise unavailable(
                "deadline", "the answer would have come too late", "send fewer candidates, or try again"
            ) from None

    def over(self) -> None:
        """Give the place back, now or when the thread is done."""
        if self._pending is None:
            self._work.leave()
        else:
            self._pending.add_done_callback(lambda _: self._work.leave())


class Work:
    """A pool of `threads` and a queue of `queue` places."""

    def __init__(self, threads: int, queue: int) -> None:
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="reparto-serve")
        self.places = threads + queue
        self._taken, self._lock = 0, threading.Lock()

    @property
    def taken(self) -> int:
        """Requests admitted and not over."""
        return self._taken

    @property
    def full(self) -> bool:
        """Whether one more request would be turned away."""
        return self._taken >= self.places

    @asynccontextmanager
    async def turn(self, seconds: float) -> AsyncIterator[Turn]:
        """A place for one request; a 429 `Refusal` when all are taken."""
        with self._lock:
            if self.full:
                raise no_place()
            self._taken += 1
        turn = Turn(self, seconds)
        try:
            yield turn
        finally:
            turn.over()

    def leave(self) -> None:
        """One place fewer taken."""
        with self._lock:
            self._taken -= 1

    def close(self) -> None:
        """Finish what runs and take no more."""
        self.threads.shutdown(wait=True, cancel_futures=True)
