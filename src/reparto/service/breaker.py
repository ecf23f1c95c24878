"""A circuit breaker: after failures in a row nothing is asked for a while, then one call finds out how it stands."""

from __future__ import annotations

import time
from collections.abc import Callable


class Breaker:
    """Closed (calls pass), open (none passes), half open (one passes). Used from the event loop only."""

    def __init__(self, failures: int, rest: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._rest, self._clock = failures, rest, clock
        self._failures, self._until, self._trying = 0, 0.0, False

    @property
    def state(self) -> str:
        """`closed`, `open` or `half_open`."""
        if self._failures < self._most:
            return "closed"
        return "open" if self._clock() < self._until else "half_open"

    def allows(self) -> bool:
        """Whether a call may be made now; one that may must be followed by `succeeded`, `failed` or `gave_up`."""
        state = self.state
        if state == "half_open" and not self._trying:
            self._trying = True
            return True
        return state == "closed"

    def succeeded(self) -> None:
        """The call went well: closed."""
        self._failures, self._trying = 0, False

    def failed(self) -> None:
        """The call failed: one more in a row, and a rest when there are enough."""
        self._failures, self._trying = self._failures + 1, False
        if self._failures >= self._most:
            self._until = self._clock() + self._rest

    def gave_up(self) -> None:
        """The call was cut short from our side: it says nothing."""
        self._trying = False
