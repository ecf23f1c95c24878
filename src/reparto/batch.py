"""Many requests at once: selections in order, on several threads where the kernels release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from reparto.contract import Contract
from reparto.pipeline import select
from reparto.selection import Selection

AHEAD = 64  # requests in flight per thread: enough to keep them busy, few enough to stay small


def select_many(
    requests: Iterable[Any], contract: Contract | None = None, *, threads: int | None = None, **given: Any
) -> Iterator[Selection]:
    """Selections in the order of the requests; keywords as in `select`. Memory does not grow with their number.

    The first bad request raises its error, after those before it have been given.
    """
    threads = threads or min(8, os.cpu_count() or 1)
    if threads == 1:
        for request in requests:
            yield select(request, contract, **given)
        return
    stream = iter(requests)
    with ThreadPoolExecutor(threads, thread_name_prefix="reparto") as pool:
        while block := list(islice(stream, AHEAD * threads)):
            yield from pool.map(lambda request: select(request, contract, **given), block)
