"""From the validator's error list to ours: dotted path, what is wrong, the nearest name or the range as remedy."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from reparto.errors import Problem, unknown_name


def problems_of(error: ValidationError, model: type[BaseModel], prefix: str) -> list[Problem]:
    """One problem per fault, each with its path under `prefix`."""
    return [_problem(fault, model, prefix) for fault in error.errors(include_url=False)]


def _problem(fault: Any, model: type[BaseModel], prefix: str) -> Problem:
    steps = [step for step in fault["loc"] if _is_key(step)]
    path = ".".join([*([prefix] if prefix else []), *map(str, steps)])
    if fault["type"] == "extra_forbidden":
        *above, key = fault["loc"]  # the key itself, whatever it looks like
        inside = [step for step in above if _is_key(step)]
        path = ".".join([*([prefix] if prefix else []), *map(str, inside), str(key)])
        return unknown_name("key", str(key), _keys_at(model, inside), field=path)
    message = str(fault["msg"]).removeprefix("Value error, ")
    given = fault.get("input")
    shown = f", not {given!r:.60}" if isinstance(given, str | int | float | bool) else ""
    return Problem(
        code="invalid_value",
        message=f"{message[0].lower()}{message[1:]}{shown}",
        remedy="see `reparto contract schema` for the keys, types and ranges",
        field=path,
    )


def _is_key(step: object) -> bool:
    """Validators put the branch of a union into the path; those are no keys."""
    return isinstance(step, int) or (
        isinstance(step, str)
        and "[" not in step
        and step not in ("int", "float", "str", "callable", "literal", "constrained-int", "constrained-float")
    )


def _keys_at(model: type[BaseModel], steps: Iterable[object]) -> list[str]:
    """The keys of the table that a path leads to."""
    here: type[BaseModel] | None = model
    for step in steps:
        if here is None or not isinstance(step, str):
            continue
        info = here.model_fields.get(step)
        inner = _model_in(info.annotation) if info else None
        here = inner or here
    return [info.alias or name for name, info in here.model_fields.items()] if here else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, types.UnionType, list, dict) or get_args(annotation):
        for part in get_args(annotation):
            if (found := _model_in(part)) is not None:
                return found
    return None
