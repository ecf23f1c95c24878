"""Numbers that JSON cannot say: where they stand in a value, and the value with null in their place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

DEEPEST = 200  # levels of metadata: what is read must be writable again, and every writer of JSON recurses
PLAIN = (str, int, bool, type(None))


class TooDeepError(ValueError):
    """A value nested in more than `DEEPEST` levels."""


def not_finite(value: Mapping[str, Any], path: str = "", depth: int = 1) -> Iterator[str]:
    """Paths (`a.b[2]`) of NaN and infinite numbers in an object. O(values); nothing is made where all is plain.

    Raises `TooDeepError`.
    """
    if depth > DEEPEST:
        raise TooDeepError
    for name, one in value.items():
        if type(one) not in PLAIN:
            yield from _within(one, f"{path}.{name}" if path else str(name), depth)


def is_too_deep(value: Mapping[str, Any]) -> bool:
    """Whether an object is nested in more than `DEEPEST` levels."""
    try:
        for _ in not_finite(value):
            pass
    except TooDeepError:
        return True
    return False


def _within(value: Any, path: str, depth: int) -> Iterator[str]:
    if isinstance(value, float):
        if not math.isfinite(value):
            yield path
    elif isinstance(value, Mapping):
        yield from not_finite(value, path, depth + 1)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        if depth >= DEEPEST:
            raise TooDeepError
        for place, one in enumerate(value):
            if type(one) not in PLAIN:
                yield from _within(one, f"{path}[{place}]", depth + 1)
    elif hasattr(value, "tolist"):  # numpy's numbers and arrays
        yield from _within(value.tolist(), path, depth)


def finite(value: Any) -> Any:
    """The same value with null for every number that is not finite; mappings become dicts, sequences lists."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [finite(one) for one in value]
    if hasattr(value, "tolist"):
        return finite(value.tolist())
    return value
