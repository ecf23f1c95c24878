"""Limits of one request: how many candidates, how long texts and vectors, how many seats. All faults at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reparto.errors import Problem, RequestError
from reparto.intake import Request, read_request
from reparto.service.settings import Settings

NAMED = 20  # faults of one kind that are named one by one


def read_within(raw: Any, settings: Settings) -> Request:
    """A request as `read_request` reads it, within the service's limits.

    Raises `RequestError`. What can be counted is counted before anything is read, so an oversized request is cheap.
    """
    whole = raw if isinstance(raw, Mapping) else {"candidates": raw}
    _raise(_of_form(whole, settings))
    _raise(_of_candidates(whole, settings))
    return read_request(raw)


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


def _of_candidates(raw: Mapping[str, Any], settings: Settings) -> list[Problem]:
    """Texts and vectors as they were sent: one that reading would pass over is held to the limit all the same."""
    problems = text_problem(raw.get("query"), "query", settings)
    for one in _candidates(raw):
        id = str(one.get("id"))
        problems += text_problem(one.get("text"), "text", settings, id)
        problems += _vector_problem(one.get("vector"), "vector", settings, id)
        several = one.get("vectors")
        for name, vector in several.items() if isinstance(several, Mapping) else ():
            problems += _vector_problem(vector, f"vectors.{name}", settings, id)
        if len(problems) > NAMED:
            break
    return problems[:NAMED]


def _vector_problem(vector: Any, field: str, settings: Settings, id: str) -> list[Problem]:
    if not isinstance(vector, list) or len(vector) <= settings.dimensions:
        return []
    message = f"{field} has {len(vector)} numbers, more than {settings.dimensions}"
    return [Problem("too_long", message, "send a shorter embedding", id=id, field=field)]


def _candidates(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    channels = raw.get("channels")
    lists = [raw.get("candidates"), *(channels.values() if isinstance(channels, Mapping) else ())]
    for one in lists:
        yield from (candidate for candidate in (one if isinstance(one, list) else ()) if isinstance(candidate, Mapping))


def _too_many(number: int, field: str, settings: Settings) -> Problem:
    message = f"{number} candidates are more than {settings.candidates}"
    return Problem("too_many", message, "send the best of them; the tail of a ranking seldom gets a seat", field=field)


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise RequestError(problems)
