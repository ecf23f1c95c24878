"""The operational log: one JSON object a line on standard error, with a request id and never a text of a request."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

LOGGER = "reparto.service"
REQUEST_ID: ContextVar[str | None] = ContextVar("reparto_request_id", default=None)
_SAFE_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")


class JSONLines(logging.Formatter):
    """A record as one line of JSON: at, level, event, request_id, then what `extra={"data": {…}}` gave."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever the message holds."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if (id := REQUEST_ID.get()) is not None:
            line["request_id"] = id
        line.update(getattr(record, "data", {}))
        if record.exc_info and record.exc_info[0] is not None:
            # The kind and the place, not the message: messages quote their input.
            line["error"] = record.exc_info[0].__name__
            line["where"] = _places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=True, default=str)


def configure(level: str) -> None:
    """Send this process's service and server logs to standard error as JSON lines. For `serve` only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JSONLines())
    for name in (LOGGER, "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level.upper())
    logging.getLogger("uvicorn.error").handlers = []
    logging.getLogger("uvicorn.error").propagate = True


def event(name: str, level: int = logging.INFO, error: BaseException | None = None, **data: Any) -> None:
    """Log one event. `data` must hold no text of a request."""
    logging.getLogger(LOGGER).log(level, name, extra={"data": data}, exc_info=error)


def announce(name: str, **data: Any) -> None:
    """Log an event whatever the level is: where the service listens must be told even by a quiet one."""
    logger = logging.getLogger(LOGGER)
    logger.handle(logger.makeRecord(LOGGER, logging.INFO, __file__, 0, name, (), None, extra={"data": data}))


def request_id(given: bytes | None) -> str:
    """The caller's id where it is safe to repeat, else a new one."""
    if given is not None and _SAFE_ID.fullmatch(given):
        return given.decode("ascii")
    return secrets.token_hex(8)


def _places(traceback: Any) -> list[str]:
    """Module and line of the innermost frames."""
    places = []
    while traceback is not None:
        frame = traceback.tb_frame
        places.append(f"{frame.f_globals.get('__name__', '?')}:{traceback.tb_lineno}")
        traceback = traceback.tb_next
    return places[-4:]
