"""A request: what to select from, for which query, under which class and policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reparto.errors import Problem, RequestError, unknown_name
from reparto.finite import DEEPEST, is_too_deep
from reparto.intake import values
from reparto.intake.candidates import Reading, read_candidates
from reparto.intake.channels import fuse
from reparto.intake.tables import rows_of
from reparto.intake.values import Fault
from reparto.model import EMPTY, Candidate
from reparto.objectives import Aspect
from reparto.signatures import faults_of

KEYS = ("query", "query_class", "k", "policy", "candidates", "channels", "offset_unit", "aspects")
# A line of a query bank is a request too; what only evaluation reads is let through.
CARRIED = ("query_id", "facts", "facts_total", "weights", "ranking")


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A request whose form is right. `faults` are the faults of value found: warned about, or refused by policy."""

    candidates: tuple[Candidate, ...]
    query: str = ""
    query_class: str | None = None
    k: int | None = None
    policy: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    offset_unit: Literal["characters", "bytes"] = "characters"
    aspects: tuple[Aspect, ...] = ()
    faults: tuple[Problem, ...] = ()
    fused: bool = False  # from channels: the scores are fused values, and higher is better whatever the policy says


def read_request(raw: Any) -> Request:
    """Check a request object, or a bare list (or table) of candidates.

    Raises `RequestError` with every fault of form at once. The input is not changed. O(total size).
    """
    if isinstance(raw, Request):
        return raw
    if not isinstance(raw, Mapping):
        raw = {"candidates": raw}
    reading = Reading()
    for key in raw:
        if key not in KEYS and key not in CARRIED:
            reading.problems.append(unknown_name("key", str(key), KEYS, str(key)))
    simple = {
        "query": _read(raw, "query", values.text, reading) or "",
        "query_class": _read(raw, "query_class", values.text, reading),
        "k": _read(raw, "k", _seats, reading),
        "policy": _read(raw, "policy", values.mapping, reading) or EMPTY,
        "offset_unit": _read(raw, "offset_unit", values.one_of("characters", "bytes"), reading) or "characters",
    }
    if is_too_deep(simple["policy"]):
        reading.problem(Fault(f"is nested in more than {DEEPEST} levels", "flatten it", "too_deep"), None, "policy")
    candidates = read_candidates(_raw_candidates(raw, reading), reading)
    aspects = _read_aspects(raw.get("aspects"), reading)
    candidates = _same_id_twice(candidates, reading)
    reading.problems += faults_of(candidates)
    if reading.problems:
        raise RequestError(reading.problems)
    fused = raw.get("channels") is not None
    return Request(candidates, aspects=aspects, faults=tuple(reading.faults), fused=fused, **simple)


def _read(raw: Mapping[str, Any], name: str, reader: Any, reading: Reading) -> Any:
    if raw.get(name) is None:
        return None
    try:
        return reader(raw[name])
    except Fault as fault:
        reading.problem(fault, None, name)
        return None


def _seats(value: Any) -> int:
    number = values.count(value)
    if number < 1:
        raise Fault(f"is {number}", "ask for at least one seat", "out_of_range")
    return number


def _raw_candidates(raw: Mapping[str, Any], reading: Reading) -> Iterable[Any]:
    candidates, channels = raw.get("candidates"), raw.get("channels")
    if candidates is not None and channels is not None:
        reading.problem(
            Fault("both `candidates` and `channels` are given", "give one of them", "conflicting_keys"),
            None,
            "channels",
        )
    if channels is not None:
        return fuse(channels, reading)
    if candidates is None:
        reading.problem(
            Fault("has no candidates", "give `candidates` (a list) or `channels` (ranked lists)", "missing_candidates"),
            None,
            "candidates",
        )
        return ()
    try:
        return rows_of(candidates)
    except Fault as fault:
        reading.problem(fault, None, "candidates")
        return ()


def _same_id_twice(candidates: tuple[Candidate, ...], reading: Reading) -> tuple[Candidate, ...]:
    """One id with two texts is a fault of form. The same passage twice is left for the policy's score direction."""
    first: dict[str, Candidate] = {}
    reported: set[str] = set()
    for one in candidates:
        known = first.setdefault(one.id, one)
        if known.text != one.text and one.id not in reported:
            reported.add(one.id)
            fault = Fault("one id with two texts", "give every passage an id of its own", "conflicting_text")
            reading.problem(fault, one.id, "text")
    return candidates


ASPECT_KEYS = ("id", "text", "weight", "ratings")


def _read_aspects(raw: Any, reading: Reading) -> tuple[Aspect, ...]:
    """Aspects with their weights normalised to sum 1."""
    if raw is None:
        return ()
    if isinstance(raw, str | Mapping) or not hasattr(raw, "__iter__"):
        reading.problem(
            Fault(f"should be a list, not {values.kind(raw)}", 'give [{"id", "text", "weight", "ratings"}]'),
            None,
            "aspects",
        )
        return ()
    found: list[Aspect] = []
    for place, one in enumerate(raw):
        path = f"aspects[{place}]"
        if not isinstance(one, Mapping):
            reading.problem(
                Fault(f"should be an object, not {values.kind(one)}", "give each aspect as an object with an id"),
                None,
                path,
            )
            continue
        for key in one:
            if key not in ASPECT_KEYS:
                reading.problems.append(unknown_name("key", str(key), ASPECT_KEYS, f"{path}.{key}"))
        before = len(reading.problems)
        id = _read(one, "id", values.required_identifier, reading) or ""
        if one.get("id") is None:
            reading.problem(Fault("has no id", "give every aspect an id", "missing_id"), None, f"{path}.id")
        weight = _read(one, "weight", _share_or_more, reading)
        ratings = _read(one, "ratings", _ratings, reading) or {}
        if len(reading.problems) == before:
            found.append(
                Aspect(id, _read(one, "text", values.text, reading) or "", 1.0 if weight is None else weight, ratings)
            )
    total = sum(aspect.weight for aspect in found)
    if found and total <= 0:
        reading.problem(
            Fault("the weights sum to 0", "give at least one aspect a weight above 0", "out_of_range"), None, "aspects"
        )
        return ()
    return tuple(Aspect(one.id, one.text, one.weight / total, one.ratings) for one in found)


def _share_or_more(value: Any) -> float:
    number = values.number(value)
    if not 0 <= number < float("inf"):
        raise Fault(f"is {number}", "give a finite weight, zero or more", "out_of_range")
    return number


def _ratings(value: Any) -> dict[str, float]:
    read = {values.identifier(id): values.number(one) for id, one in values.mapping(value).items()}
    if any(not 0 <= one <= 1 for one in read.values()):
        raise Fault("holds a rating outside 0..1", "give ratings as shares, 0..1", "out_of_range")
    return read
