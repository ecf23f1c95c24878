"""Frozen records that are made at the price of plain ones.

A frozen dataclass writes each field of a new object through `object.__setattr__`: for the 23 fields of a candidate
three microseconds, most of what it costs to read one. Here a new object has the class of an unfrozen twin with the
same slots while its fields are written, and its own when they are: a third of the time, and just as frozen after.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, field, fields
from functools import wraps
from typing import Any, TypeVar, dataclass_transform

Record = TypeVar("Record")


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def record(cls: type[Record]) -> type[Record]:
    """A frozen dataclass with slots, compared by identity."""
    made: type[Record] = _quickened(dataclass(frozen=True, slots=True, eq=False)(cls))
    return made


@dataclass_transform(eq_default=True, frozen_default=True, field_specifiers=(field,))
def value(cls: type[Record]) -> type[Record]:
    """A frozen dataclass with slots, compared by its fields."""
    made: type[Record] = _quickened(dataclass(frozen=True, slots=True)(cls))
    return made


def _quickened(made: Any) -> Any:
    """The frozen class, with an `__init__` that writes fields as that of an unfrozen class does."""
    twin = type(made.__name__, (), {"__slots__": made.__slots__})
    names: dict[str, Any] = {"_thaw": object.__setattr__, "_twin": twin, "_own": made, "_missing": MISSING}
    parameters, lines = ["self"], ["_thaw(self, '__class__', _twin)"]
    for one in fields(made):
        parameters.append(_parameter(one, names))
        if one.default_factory is not MISSING:
            lines.append(f"if {one.name} is _missing: {one.name} = _default_{one.name}()")
        lines.append(f"self.{one.name} = {one.name}")
    lines.append("self.__class__ = _own")
    # Text that is compiled, as `dataclasses` itself does it: passing arguments on by `**` costs what this saves.
    written = f"def __init__({', '.join(parameters)}):\n  " + "\n  ".join(lines)
    exec(written, names)  # noqa: S102 (made of the names of a class's own fields)
    made.__init__ = wraps(made.__init__)(names["__init__"])
    return made


def _parameter(one: Field[Any], names: dict[str, Any]) -> str:
    """How `__init__` takes a field; what it takes by default goes into `names`."""
    if one.default is not MISSING:
        names[f"_default_{one.name}"] = one.default
        return f"{one.name}=_default_{one.name}"
    if one.default_factory is not MISSING:
        names[f"_default_{one.name}"] = one.default_factory
        return f"{one.name}=_missing"
    return one.name
