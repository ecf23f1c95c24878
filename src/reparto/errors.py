"""Everything that `reparto` raises on purpose.

RepartoError
├── InputError            bad input or usage: carries every problem found, exit code 2, HTTP 422
│   ├── RequestError      a request or one of its candidates
│   ├── ContractError     a contract file or an inline policy
│   ├── BankError         a query bank, a run, qrels or labelled pairs
│   ├── LogError          a selection log that cannot be read
│   └── CorpusError       documents or a store that cannot be used as asked
├── MissingExtraError     an optional dependency is not installed; names the extra
├── UnknownNameError      a name that no plug-in registered; lists the known ones
└── ConservationError     a stage lost or invented a candidate (a defect of that stage)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an input: what is wrong, where, and what to do about it.

    `id` is the candidate's, query's or document's id where one is known; `field` a dotted path;
    `line` counts from 1 in line-oriented input.
    """

    code: str
    message: str
    remedy: str
    id: str | None = None
    field: str | None = None
    line: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The wire form: `{"code", "id", "field", "line", "message", "remedy"}`."""
        wire = asdict(self)
        return {name: wire[name] for name in ("code", "id", "field", "line", "message", "remedy")}

    def __str__(self) -> str:
        """One line of text, safe for a terminal and a log."""
        place = [
            f"line {self.line}" if self.line is not None else "",
            f"id {_quoted(self.id)}" if self.id is not None else "",
            f"field {self.field}" if self.field is not None else "",
        ]
        where = ", ".join(part for part in place if part)
        text = f"{self.code}: {where + ': ' if where else ''}{self.message} ({self.remedy})"
        return _printable(text)


class RepartoError(Exception):
    """Root of the tree."""


class InputError(RepartoError):
    """Bad input: all problems at once, each with id, field and remedy."""

    def __init__(self, problems: Iterable[Problem] | Problem) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def to_dict(self) -> dict[str, Any]:
        """The wire form, `{"errors": [...]}`."""
        return {"errors": [problem.to_dict() for problem in self.problems]}

    def at_line(self, line: int) -> InputError:
        """The same problems, placed on a line of a stream."""
        from dataclasses import replace

        return type(self)(replace(problem, line=line) for problem in self.problems)


class RequestError(InputError):
    """A request, or one of its candidates, cannot be served as it stands."""


class ContractError(InputError):
    """A contract file or an inline policy cannot be used as it stands."""


class BankError(InputError):
    """A query bank, a run, qrels or labelled pairs cannot be read as they stand."""


class LogError(InputError):
    """A selection log cannot be read as it stands."""


class CorpusError(InputError):
    """Documents or a store cannot be used as asked."""


class MissingExtraError(RepartoError, ImportError):
    """An optional dependency is absent; the message is the command that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs an optional dependency: pip install 'reparto[{extra}]'")


class UnknownNameError(InputError):
    """A name that nothing is registered under; lists the known names and the nearest."""

    def __init__(self, kind: str, name: str, known: Sequence[str], field: str | None = None) -> None:
        self.name, self.known = name, tuple(known)
        super().__init__(unknown_name(kind, name, known, field))

    def at_line(self, line: int) -> InputError:
        """The same problem, placed on a line of a stream."""
        return InputError(self.problems).at_line(line)


class ConservationError(RepartoError):
    """A stage did not account for every candidate exactly once."""


def unknown_name(
    kind: str, name: str, known: Sequence[str], field: str | None = None, id: str | None = None
) -> Problem:
    """The problem of an unknown key or name, with the nearest known one as remedy."""
    close = nearest(name, known)
    remedy = f"did you mean {close!r}? " if close else ""
    return Problem(
        code=f"unknown_{kind.replace(' ', '_')}",
        message=f"unknown {kind} {_quoted(name)}",
        remedy=f"{remedy}known: {', '.join(map(str, known))}",
        field=field,
        id=id,
    )


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, or None when none is alike."""
    by_fold = {one.casefold(): one for one in known}
    found = difflib.get_close_matches(str(name).casefold(), by_fold, n=1, cutoff=0.5)
    return by_fold[found[0]] if found else None


def _quoted(value: object, limit: int = 80) -> str:
    text = str(value)
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def _printable(text: str) -> str:
    """Line breaks and control characters escaped: one problem is one line on any terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
