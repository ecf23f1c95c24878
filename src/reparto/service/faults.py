"""Refusals: an HTTP status with the error body that the whole project speaks."""

from __future__ import annotations

from collections.abc import Mapping

from reparto.errors import InputError, Problem, RepartoError


class Refusal(RepartoError):  # noqa: N818 - an answer, not a defect
    """A request that is not served: status, problems, headers such as `Retry-After`."""

    def __init__(self, status: int, problems: Problem | InputError, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.problems = problems.problems if isinstance(problems, InputError) else (problems,)
        self.headers = dict(headers or {})
        super().__init__("\n".join(map(str, self.problems)))

    def to_dict(self) -> dict[str, list[dict[str, object]]]:
        """The wire form, `{"errors": [...]}`."""
        return {"errors": [problem.to_dict() for problem in self.problems]}


def too_large(what: str, remedy: str, field: str | None = None) -> Refusal:
    """413."""
    return Refusal(413, Problem("too_large", what, remedy, field=field), {"Connection": "close"})


def busy(what: str, seconds: int = 1) -> Refusal:
    """429, with the time after which to try again."""
    remedy = f"try again in {seconds} s, with a growing pause"
    return Refusal(429, Problem("busy", what, remedy), {"Retry-After": str(seconds)})


def unavailable(code: str, what: str, remedy: str, seconds: int = 2) -> Refusal:
    """503, with the time after which to try again."""
    return Refusal(503, Problem(code, what, remedy), {"Retry-After": str(seconds)})
