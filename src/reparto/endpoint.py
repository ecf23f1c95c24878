"""One JSON request to a service that the user named: bounded in time and size, with errors that say what to
do.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reparto.errors import CorpusError, Problem

LARGEST_REPLY = 64 * 2**20


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key is never carried on to another address."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Refuse."""
        return


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and its key. The key is in no message and no representation."""

    url: str
    key: str | None = field(default=None, repr=False)
    timeout: float = 60.0

    def post(self, body: Mapping[str, Any]) -> Any:
        """The JSON reply. `CorpusError` for anything else: refused, too slow, too long, not JSON."""
        if not self.url.startswith(("http://", "https://")):
            raise self._error(f"{self.url!r} is no http(s) address")
        headers = {"Content-Type": "application/json", "User-Agent": "reparto"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode("utf-8"), headers)
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            with opener.open(request, timeout=self.timeout) as reply:
                raw = reply.read(LARGEST_REPLY + 1)
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(500).decode("utf-8", "replace")
            raise self._error(f"HTTP {error.code}: {said}") from error
        except (OSError, ValueError) as error:
            raise self._error(str(getattr(error, "reason", error))) from error
        if len(raw) > LARGEST_REPLY:
            raise self._error("the reply is too long")
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise self._error("the reply is not JSON") from error

    def _error(self, message: str) -> CorpusError:
        remedy = "check the address, the key and that the service runs"
        return CorpusError(Problem("endpoint", f"{self.url}: {message}", remedy))
