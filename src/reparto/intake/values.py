"""Readers of single values: each returns the value, or raises `Fault` saying what it should have been."""

from __future__ import annotations

import math
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any

import numpy as np

from reparto.kernels import floats
from reparto.model import Vector

LARGEST = 2**40  # of lengths, offsets and counts: sums of a whole request stay exact


class Fault(Exception):  # noqa: N818 (it is caught where it arises and becomes a Problem)
    """A value of the wrong form; `code`, `message` and `remedy` go into the problem."""

    def __init__(self, message: str, remedy: str, code: str = "wrong_type") -> None:
        self.code, self.message, self.remedy = code, message, remedy
        super().__init__(message)


def kind(value: object) -> str:
    """A JSON user's name for the type of a value."""
    names: dict[type, str] = {
        bool: "a boolean",
        str: "a string",
        int: "a number",
        float: "a number",
        dict: "an object",
        list: "a list",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def identifier(value: Any) -> str:
    """A string; an integer is its decimal string, so 7 and "7" are the same."""
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    raise Fault(f"should be a string or an integer, not {kind(value)}", "give it as a string")


def required_identifier(value: Any) -> str:
    """As `identifier`; an empty string is no id."""
    text = identifier(value)
    if text == "":
        raise Fault("is empty", "give each candidate an id that is not empty", "empty_id")
    return text


def text(value: Any) -> str:
    """A string, as it is."""
    if isinstance(value, str):
        return value
    raise Fault(f"should be a string, not {kind(value)}", "give it as a string")


def number(value: Any) -> float:
    """A real number as float; NaN and infinity pass, they are faults of value, not of form."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, int | np.integer | np.floating) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    raise Fault(f"should be a number, not {kind(value)}", "give it as a number, without quotes")


def count(value: Any) -> int:
    """A whole number, zero or more."""
    whole = isinstance(value, float | np.floating) and math.isfinite(value) and value == int(value)
    if whole or (isinstance(value, int | np.integer) and not isinstance(value, bool)):
        if value < 0:
            raise Fault(f"is negative ({value})", "give zero or more", "negative")
        if value > LARGEST:
            raise Fault(f"is above {LARGEST}", "give the number that was meant", "out_of_range")
        return int(value)
    raise Fault(f"should be a whole number, not {kind(value)}", "give it as a whole number")


def version(value: Any) -> str:
    """A string or a number, as a string."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return str(value)
    raise Fault(f"should be a string or a number, not {kind(value)}", "give it as a string")


def published(value: Any) -> str:
    """A date or time as text. Python's own dates are written as ISO 8601."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    return text(value)


def one_of(*allowed: str) -> Any:
    """A reader that takes these words only."""

    def read(value: Any) -> str:
        if value in allowed:
            return str(value)
        raise Fault(f"is {value!r:.60}", f"use one of: {', '.join(allowed)}", "unknown_value")

    return read


def mapping(value: Any) -> Mapping[str, Any]:
    """An object."""
    if isinstance(value, Mapping):
        return value
    raise Fault(f"should be an object, not {kind(value)}", "give it as name: value pairs")


def identifiers(value: Any) -> tuple[str, ...]:
    """A list of strings."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        raise Fault(f"should be a list, not {kind(value)}", "give it as a list of strings")
    return tuple(identifier(one) for one in value)


NOT_NUMBERS = ("holds something that is not a number", "give numbers only, without quotes, nulls or booleans")


def vector(value: Any) -> Vector:
    """A list of numbers as a 1-d array; a numpy array of floats is taken as it is, without a copy."""
    if type(value) is list and (plain := floats(value)) is not None:
        return plain
    if not isinstance(value, np.ndarray) and isinstance(value, str | bytes | Mapping):
        raise Fault(f"should be a list of numbers, not {kind(value)}", "give the vector as numbers, not as text")
    try:
        array = value if isinstance(value, np.ndarray) else _array(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise Fault("should be a flat list of numbers", "give one list of numbers, all of one depth") from error
    if array.ndim != 1:
        raise Fault(f"should be a flat list of numbers, not of {array.ndim} dimensions", "give one flat list")
    if array is not value and _has_booleans(value, array):
        raise Fault(*NOT_NUMBERS)
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind in "iu" or array.size == 0:
        return array.astype(np.float64)
    return _odd_numbers(array)


def _array(value: Any) -> Any:
    """A list of plain numbers, three times as fast as numpy reads it; all else as numpy does."""
    if type(value) is list and value and type(value[0]) in (float, int):
        try:
            return np.frombuffer(struct.pack(f"{len(value)}d", *value), dtype=np.float64)
        except (struct.error, TypeError, OverflowError):
            pass
    return np.array(value)


def signature(value: Any) -> bytes:
    """A stored signature: bytes, or base64 text of them. Anything else by that name is none."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and value.startswith(_SIGNATURE):
        try:
            return b64decode(value, validate=True)
        except ValueError:
            pass
    raise Fault("is no stored signature", "give the bytes that `Sketches.to_bytes` gave, or base64 text of them")


def _odd_numbers(array: Any) -> Vector:
    """Integers beyond 64 bits are numbers all the same; anything else is not."""
    if array.dtype.kind == "O" and all(isinstance(one, int | float) and not isinstance(one, bool) for one in array):
        return np.array([number(one) for one in array], dtype=np.float64)
    raise Fault(*NOT_NUMBERS)


def _has_booleans(value: Any, array: Any) -> bool:
    """Among numbers numpy takes true for 1: only where there are ones or zeros are the kinds looked at."""
    if array.dtype.kind not in "fiu" or not ((array == 0) | (array == 1)).any():
        return False
    return not {bool, np.bool_}.isdisjoint(map(type, value))


_SIGNATURE = b64encode(b"RPSK00").decode()[:5]  # how base64 text of a signature begins
_DATE_ONLY = re.compile(r"^(\d{4})(?:-(\d{2}))?$")


def instant(value: str) -> tuple[datetime, bool] | None:
    """The moment a published text denotes (aware), and whether its zone was missing (then UTC). None: unreadable.

    Whole dates are their first moment; "2024" and "2024-05" are read too. Only a time can lack a zone; a whole date
    has none to lack.
    """
    value = value.strip()
    try:
        if match := _DATE_ONLY.match(value):
            moment = datetime(int(match[1]), int(match[2] or 1), 1)
        else:
            moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC), moment.time() != time(0) or "T" in value.upper() or " " in value
    try:
        return moment.astimezone(UTC), False
    except (OverflowError, ValueError):
        return None
