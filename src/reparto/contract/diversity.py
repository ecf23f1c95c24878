"""The `diversity` table: its keys are `objective`, `floor`, and whatever the named objective declares.

An objective is a frozen dataclass; each field carries `metadata = {"key", "range", "doc"}`, from which the contract
reads the key's name, type and range. So a new objective needs no edit here.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reparto import registry
from reparto.errors import InputError, Problem, UnknownNameError, unknown_name
from reparto.objectives import Objective

COMMON = ("objective", "floor")


@dataclass(frozen=True, slots=True)
class Diversity:
    """The objective, ready to start, and the floor: below this share of the best relevance an entry is seated only
    when seats stay empty.
    """

    objective: Objective
    floor: float = 0.0
    keys: Mapping[str, Any] = field(default_factory=dict)


def objective_keys(name: str, path: str = "diversity.objective") -> dict[str, dataclasses.Field[Any]]:
    """Contract key -> dataclass field of a registered objective."""
    return {
        one.metadata.get("key", one.name): one for one in dataclasses.fields(registry.load("objectives", name, path))
    }


def merge_diversity(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Key by key; a layer that changes the objective drops the keys that only the old objective has."""
    name = above.get("objective")
    if name is not None and name != below.get("objective"):
        try:
            kept = {*COMMON, *objective_keys(str(name))}
        except UnknownNameError:
            kept = set(below)
        below = {key: value for key, value in below.items() if key in kept}
    return {**below, **above}


def check_diversity(table: Mapping[str, Any], path: str, objective: str | None = None) -> list[Problem]:
    """Problems of one layer's table. `objective` is the one in force when the table names none."""
    name = table.get("objective", objective or "relevance")
    if not isinstance(name, str):
        return [_wrong(f"{path}.objective", name, "a name", registry.names("objectives"))]
    try:
        keys = objective_keys(name, f"{path}.objective")
    except UnknownNameError as error:
        return list(error.problems)
    found: list[Problem] = []
    for key, value in table.items():
        if key == "objective":
            continue
        if key == "floor":
            found += _number(f"{path}.floor", value, (0, 1))
        elif key in keys:
            found += _value(f"{path}.{key}", value, keys[key])
        else:
            owners = [one for one in registry.names("objectives") if one != name and key in objective_keys(one)]
            problem = unknown_name("key", key, [*COMMON, *keys], f"{path}.{key}")
            if owners:
                problem = dataclasses.replace(
                    problem,
                    message=f"objective {name!r} has no key {key!r}",
                    remedy=f"{key!r} belongs to {', '.join(owners)}; {name!r} knows {', '.join([*COMMON, *keys])}",
                )
            found.append(problem)
    return found


def build(table: Mapping[str, Any] | None) -> Diversity:
    """The objective with its keys set. None (switched off) is ranking by relevance."""
    table = table or {}
    name = table.get("objective", "relevance")
    keys = objective_keys(name)
    given = {keys[key].name: value for key, value in table.items() if key in keys}
    try:
        objective = registry.load("objectives", name)(**given)
    except ValueError as error:
        raise InputError(
            Problem("invalid_value", str(error), "see the objective's documentation", field="diversity")
        ) from error
    return Diversity(objective, float(table.get("floor", 0.0)), dict(table))


def _value(path: str, value: Any, field: dataclasses.Field[Any]) -> list[Problem]:
    allowed = field.metadata.get("choices")
    if allowed is not None:
        return [] if value in allowed else [_wrong(path, value, "one of the choices", allowed)]
    if value is False and field.metadata.get("off"):
        return []
    bounds = field.metadata.get("range")
    if bounds is None or isinstance(bounds[0], int | float):
        return _number(path, value, bounds)
    return []


def _number(path: str, value: Any, bounds: tuple[float, float] | None) -> list[Problem]:
    low, high = bounds or (-math.inf, math.inf)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return [_wrong(path, value, "a number", None)]
    if not low <= value <= high:
        return [_wrong(path, value, f"between {low:g} and {high:g}", None)]
    return []


def _wrong(path: str, value: Any, wanted: str, known: Any) -> Problem:
    return Problem(
        "invalid_value",
        f"should be {wanted}, not {value!r:.60}",
        f"one of: {', '.join(map(str, known))}" if known else "see `reparto contract schema`",
        field=path,
    )
