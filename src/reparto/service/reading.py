"""Bytes to a JSON value, within bounds: UTF-8 only, not too deep, not too many containers, NaN and Infinity read."""

from __future__ import annotations

import json
import re
from typing import Any

from reparto.errors import Problem, RequestError
from reparto.service.faults import too_large
from reparto.service.settings import Settings

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def read_json(raw: bytes, settings: Settings) -> Any:
    """The value of a body.

    The words NaN and Infinity are read, so that the fault can be named. `RequestError` for what is not JSON in
    UTF-8 or nested too deeply, a 413 `Refusal` for more objects and lists than the service holds. O(bytes).
    """
    if _containers(raw) > settings.containers and _containers(_STRING.sub(b'""', raw)) > settings.containers:
        raise too_large(
            f"the body has more than {settings.containers} objects and lists",
            "send fewer requests or leaner metadata at a time",
        )
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        problem = Problem("not_utf8", f"byte {error.start} is not UTF-8", "encode the body as UTF-8")
    except RecursionError:
        problem = _too_deep(settings)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        problem = Problem("not_json", f"{error.msg} at {place}", "send one JSON value")
    except ValueError as error:  # an integer of thousands of digits
        problem = Problem("not_json", str(error).split(";")[0], "write the number with fewer digits")
    else:
        if deeper_than(value, settings.depth):
            raise RequestError(_too_deep(settings))
        return value
    raise RequestError(problem)


def deeper_than(value: Any, depth: int) -> bool:
    """Whether objects and lists are nested in more than `depth` levels. O(values), not recursive."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        if not level:
            return False
        below: list[Any] = []
        for one in level:
            items = one.values() if isinstance(one, dict) else one
            kinds = set(map(type, items))
            if dict in kinds or list in kinds:
                below += [item for item in items if isinstance(item, dict | list)]
        level = below
    return bool(level)


def _containers(raw: bytes) -> int:
    return raw.count(b"{") + raw.count(b"[")


def _too_deep(settings: Settings) -> Problem:
    return Problem("too_deep", f"the JSON is nested in more than {settings.depth} levels", "flatten it")
