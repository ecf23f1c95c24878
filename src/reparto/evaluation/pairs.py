"""Labelled pairs: JSONL `{"a": {"id", "text", "vector"?}, "b": {…}, "label":
"copy|revision|contained|different"}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reparto.errors import BankError, Problem, unknown_name
from reparto.evaluation.lines import as_id, objects, problem, read_text
from reparto.model import Vector

LABELS = ("copy", "revision", "contained", "different")


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One text of a pair."""

    id: str
    text: str
    vector: Vector | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two texts and what an assessor said of them."""

    a: Side
    b: Side
    label: str


def read_pairs(path: str | Path) -> tuple[Pair, ...]:
    """Pairs in file order. Raises `BankError` with every fault: line, field, remedy."""
    problems: list[Problem] = []
    pairs = []
    for line, value in objects(read_text(path), problems):
        before = len(problems)
        a, b = (_side(value.get(name), name, line, problems) for name in ("a", "b"))
        label = value.get("label")
        if label not in LABELS:
            found = unknown_name("label", str(label), LABELS, field="label")
            problems.append(problem(found.code, found.message, found.remedy, line, "label"))
        if a is not None and b is not None and len(problems) == before:
            if a.vector is not None and b.vector is not None and len(a.vector) != len(b.vector):
                message = f"vectors of {len(a.vector)} and {len(b.vector)} numbers"
                problems.append(problem("vector_length", message, "use one model for both", line, "b.vector", b.id))
            else:
                pairs.append(Pair(a, b, str(label)))
    if not pairs and not problems:
        problems.append(problem("empty", "there is no pair in the file", "write one pair a line"))
    if problems:
        raise BankError(problems)
    return tuple(pairs)


def _side(value: object, name: str, line: int, problems: list[Problem]) -> Side | None:
    if not isinstance(value, Mapping):
        problems.append(problem("type", f"{name} must be an object", "write {id, text}", line, name))
        return None
    id, text = as_id(value.get("id")), value.get("text")
    if id is None:
        problems.append(problem("missing", "a text of a pair needs an id", "add an id", line, f"{name}.id"))
    if not isinstance(text, str):
        problems.append(problem("type", "text must be a string", "give the passage", line, f"{name}.text", id))
    vector = _vector(value.get("vector"))
    if vector is None and value.get("vector") is not None:
        remedy = "give a list of finite numbers"
        problems.append(problem("vector", "vector is no list of finite numbers", remedy, line, f"{name}.vector", id))
        return None
    return Side(id, text, vector) if id is not None and isinstance(text, str) else None


def _vector(value: Any) -> Vector | None:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    try:
        vector = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return vector if vector.ndim == 1 and np.isfinite(vector).all() else None
