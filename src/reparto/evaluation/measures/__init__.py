"""Measures of a delivered set, one family a file, registered under `reparto.measures`; read as in
ir-measures.

    parse("alpha_nDCG(alpha=0.5)@10")      parse("StRecall@10")      parse("NRBP")

A new measure is one file with a `Measure` and one entry-point line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from reparto import registry
from reparto.errors import InputError, Problem
from reparto.evaluation.measures.base import Measure, measure_problem, unknown_parameter

FORM = "write NAME, NAME@cutoff or NAME(parameter=value)@cutoff, as in alpha_nDCG(alpha=0.5)@10"


def known() -> tuple[str, ...]:
    """Names of the registered measures, sorted."""
    return registry.names("measures")


def parse(text: str) -> Measure:
    """Read one measure; an unknown name, parameter or value raises `InputError` with the known ones."""
    name, given, cutoff = _read(text)
    kind: type[Measure] = registry.load("measures", name, "measure")
    declared = {one.name: one for one in kind.parameters()}
    problems = [unknown_parameter(kind, key) for key in given if key not in declared]
    if problems:
        raise InputError(problems)
    return kind(cutoff=cutoff, **{key: _as(declared[key].default, value) for key, value in given.items()})


def parse_all(texts: Iterable[str]) -> dict[str, Measure]:
    """Measures by the text they were asked for, in order; every problem of every text at once."""
    measures: dict[str, Measure] = {}
    problems: list[Problem] = []
    for text in texts:
        try:
            measures[text.strip()] = parse(text)
        except InputError as error:
            problems += [replace(one, field=f"measure {text.strip()}") for one in error.problems]
    if problems:
        raise InputError(problems)
    return measures


def _as(default: object, value: object) -> object:
    return float(value) if isinstance(default, float) and type(value) is int else value


def _read(text: str) -> tuple[str, dict[str, Any], int | None]:
    """Split into name, parameters and cutoff without evaluating anything."""
    try:
        node: ast.expr = ast.parse(text.strip(), mode="eval").body
        cutoff: Any = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            cutoff = ast.literal_eval(node.right)
            node = node.left
        given: dict[str, Any] = {}
        if isinstance(node, ast.Call) and not node.args:
            for one in node.keywords:
                if one.arg is None or one.arg == "cutoff":
                    raise ValueError(text)
                given[one.arg] = ast.literal_eval(one.value)
            node = node.func
        if not isinstance(node, ast.Name):
            raise TypeError(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise InputError(measure_problem(text[:80], f"cannot read the measure {text[:80]!r}", FORM)) from None
    return node.id, given, cutoff


__all__ = ["Measure", "known", "parse", "parse_all"]
