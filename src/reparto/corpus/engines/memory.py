"""Memory that steps have let go of, back to the system: allocators keep it, and one process runs many steps."""

from __future__ import annotations

import ctypes
import gc

import pyarrow as pa

LEAST = 64 << 20  # bytes that a step wrote: less is not worth the look


def given_back(written: int = LEAST) -> None:
    """Give back what is free after a step that wrote so many bytes.

    Where the C library has no such call (other than glibc) it keeps what it has.
    """
    if written < LEAST:
        return
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
