"""Limits of one request: how many candidates, how long texts and vectors, how many seats. All faults at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.errors import Problem, RequestError
from reparto.intake import Request, read_request
from reparto.service.settings import Settings

NAMED = 20  # faults of one kind that are named one by one


def read_within(raw: Any, settings: Settings) -> Request:
    """A request as `read_request` reads it, within the service's limits.

    Raises `RequestError`. What can be counted is counted before anything is read, so an oversized request is cheap.
    """
    if isinstance(raw, Mapping):
        _raise(_of_form(raw, settings))
    elif isinstance(raw, list) and len(raw) > settings.candidates:
        _raise([_too_many(len(raw), "candidates", settings)])
    request = read_request(raw)
    _raise(_of_content(request, settings))
    return request


def _of_form(raw: Mapping[str, Any], settings: Settings) -> list[Problem]:
    problems = []
    candidates, channels = raw.get("candidates"), raw.get("channels")
    if isinstance(candidates, list) and len(candidates) > settings.candidates:
        problems.append(_too_many(len(candidates), "candidates", settings))
    if isinstance(channels, Mapping):
        total = sum(len(one) for one in channels.values() if isinstance(one, list))
        if total > settings.candidates:
            problems.append(_too_many(total, "channels", settings))
    problems += seats_problem(raw.get("k"), "k", settings)
    policy = raw.get("policy")
    if policy is not None and not settings.allow_policy:
        message, remedy = (
            "this service takes no inline policy",
            "name a `query_class`; the operator's contract says what it means",
        )
        problems.append(Problem("policy_forbidden", message, remedy, field="policy"))
    elif isinstance(policy, Mapping):
        problems += seats_problem(policy.get("k"), "policy.k", settings)
    return problems


def seats_problem(k: Any, field: str, settings: Settings) -> list[Problem]:
    """The problem of a k above the limit, if it is one; other faults are the reader's to name."""
    if isinstance(k, int | float) and not isinstance(k, bool) and k > settings.seats:
        return [
            Problem(
                "out_of_range",
                f"{field} is above {settings.seats}",
                f"ask for at most {settings.seats} seats",
                field=field,
            )
        ]
    return []


def text_problem(text: Any, field: str, settings: Settings, id: str | None = None) -> list[Problem]:
    """The problem of a text above the limit, if it is one."""
    if isinstance(text, str) and len(text) > settings.text_chars:
        message = f"{field} has {len(text)} characters, more than {settings.text_chars}"
        return [Problem("too_long", message, "cut it into chunks", id=id, field=field)]
    return []


def _of_content(request: Request, settings: Settings) -> list[Problem]:
    problems = text_problem(request.query, "query", settings)
    for one in request.candidates:
        problems += text_problem(one.text, "text", settings, one.id)
        for name, vector in one.vectors.items():
            if len(vector) > settings.dimensions:
                field = "vector" if name == "vector" else f"vectors.{name}"
                message = f"{field} has {len(vector)} numbers, more than {settings.dimensions}"
                problems.append(Problem("too_long", message, "send a shorter embedding", id=one.id, field=field))
        if len(problems) > NAMED:
            break
    return problems[:NAMED]


def _too_many(number: int, field: str, settings: Settings) -> Problem:
    message = f"{number} candidates are more than {settings.candidates}"
    return Problem("too_many", message, "send the best of them; the tail of a ranking seldom gets a seat", field=field)


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise RequestError(problems)
