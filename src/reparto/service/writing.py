"""Values to JSON bytes that every reader takes: valid JSON in UTF-8, whatever metadata came in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from reparto.selection import to_json


def json_bytes(value: Any) -> bytes:
    """JSON in UTF-8. What JSON cannot say becomes null (NaN, Infinity); lone surrogates are escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except (ValueError, TypeError):
        return to_json(value).encode("utf-8")


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(json_bytes(value), status, dict(headers or {}), "application/json")
