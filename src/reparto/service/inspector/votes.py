"""The answers of blind trials: a JSON line each, appended; and their sum, with an interval, by query class."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reparto.errors import LogError, Problem
from reparto.evaluation.statistics import wilson
from reparto.service.inspector.trial import SETS, Trial

VOTE = 1  # version of the line
CHOICES = ("first", "second", "same")
KINDS = ("sets", "answers")  # what was compared; lines of before there were answers are of sets


@dataclass(frozen=True, slots=True)
class Tally:
    """Answers of one query class (`name` is None for all together) on one kind of trial (`of`: sets or answers).

    `share` of those who preferred one set preferred the selection; `low..high` is its 95 % Wilson interval. Those who
    saw no difference are counted apart.
    """

    name: str | None
    of: str
    selection: int
    ranking: int
    same: int

    @property
    def answers(self) -> int:
        """All answers."""
        return self.selection + self.ranking + self.same

    @property
    def share(self) -> float | None:
        """Share for the selection among the decided; None where nobody decided."""
        decided = self.selection + self.ranking
        return self.selection / decided if decided else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share."""
        return wilson(self.selection, self.selection + self.ranking)


class VoteBook:
    """Answers in a file. Safe for many threads; a torn last line of an earlier crash is skipped, not mended away."""

    def __init__(self, path: str | Path) -> None:
        self.path, self._lock = Path(path), threading.Lock()

    def write(self, trial: Trial, choice: str) -> str:
        """Keep an answer and return what was preferred: `selection`, `top-k` or `same`.

        A second answer to one trial changes nothing. Raises `LogError` when the file cannot be written.
        """
        preferred = "same" if choice == "same" else trial.sides[CHOICES.index(choice)]
        with self._lock:
            if any(one.get("trial") == trial.id for one in self._lines()):
                return preferred
            record = {
                "vote": VOTE,
                "at": datetime.now(UTC).isoformat(timespec="seconds"),
                **trial.about,
                "shown_first": trial.sides[0],
                "preferred": preferred,
            }
            self._append((json.dumps(record) + "\n").encode("ascii"))
        return preferred

    def tallies(self, of: str = "sets") -> list[Tally]:
        """Of one kind: all together, then each query class by name. Raises `LogError` when the file cannot be read."""
        counts: dict[str, dict[str, int]] = {}
        for one in self._lines():
            if one.get("of", "sets") != of:
                continue
            own = counts.setdefault(str(one.get("query_class")), dict.fromkeys((*SETS, "same"), 0))
            if one.get("preferred") in own:
                own[one["preferred"]] += 1
        classes = [Tally(name, of, own["selection"], own["top-k"], own["same"]) for name, own in sorted(counts.items())]
        total = Tally(
            None,
            of,
            sum(one.selection for one in classes),
            sum(one.ranking for one in classes),
            sum(one.same for one in classes),
        )
        return [total, *classes]

    def _append(self, line: bytes) -> None:
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                size = os.fstat(handle).st_size
                if size and os.pread(handle, 1, size - 1) != b"\n":  # after a crash: begin a line of our own
                    line = b"\n" + line
                while line:
                    line = line[os.write(handle, line) :]
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise self._problem(error, "unwritable") from error

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            text = self.path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._problem(error, "unreadable") from error
        for line in text.splitlines():
            try:
                one = json.loads(line)
            except ValueError:
                continue
            if isinstance(one, dict) and one.get("vote") == VOTE:
                yield one

    def _problem(self, error: OSError, code: str) -> LogError:
        message = f"the file of answers: {error.strerror or error}"
        return LogError(Problem(code, message, "make room, or name another file with --votes"))
