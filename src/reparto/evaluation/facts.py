"""Facts, weights and ranking of one bank line, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from reparto.errors import BankError, Problem, unknown_name
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.lines import as_id, problem


def read_facts(value: Mapping[str, Any]) -> Judgments:
    """Judgments of a line from `facts`, `weights` and `facts_total`; none given is no judgment.

    Raises `BankError` with every fault and its field.
    """
    problems: list[Problem] = []
    facts = _facts(value.get("facts"), problems)
    weights = _weights(value.get("weights"), facts, problems)
    total = value.get("facts_total")
    if total is not None and (type(total) is not int or total < 0):
        problems.append(
            problem(
                "facts_total",
                f"facts_total {total!r} is no count",
                "write a whole number from 0",
                field="facts_total",
            )
        )
    if problems:
        raise BankError(problems)
    return Judgments.binary(facts, weights, total)


def read_ranking(value: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The given list of ids, or None. Raises `BankError` for anything that is no list of ids."""
    ranking = value.get("ranking")
    if ranking is None:
        return None
    if not isinstance(ranking, list):
        raise BankError(
            problem("ranking", "ranking must be a list of ids", "list the ids, best first", field="ranking")
        )
    ids = [as_id(one) for one in ranking]
    faulty = [place for place, one in enumerate(ids) if one is None]
    if faulty:
        raise BankError(
            problem(
                "ranking",
                f"{ranking[place]!r} is no id",
                "write strings or integers",
                field=f"ranking[{place}]",
            )
            for place in faulty
        )
    return tuple(one for one in ids if one is not None)


def _facts(facts: Any, problems: list[Problem]) -> dict[str, list[str]]:
    if facts is None:
        return {}
    if not isinstance(facts, Mapping):
        problems.append(problem("facts", "facts must be an object", 'write {"fact": ["id", …]}', field="facts"))
        return {}
    found: dict[str, list[str]] = {}
    for name, ids in facts.items():
        if not isinstance(ids, list):
            remedy = "list the ids of the passages that carry it"
            problems.append(problem("facts", "a fact must be a list of ids", remedy, field=f"facts.{name}"))
            continue
        read = [as_id(one) for one in ids]
        for place, one in enumerate(read):
            if one is None:
                message = f"{ids[place]!r} is no id"
                problems.append(problem("facts", message, "write strings or integers", field=f"facts.{name}[{place}]"))
        found[str(name)] = [one for one in read if one is not None]
    return found


def _weights(weights: Any, facts: Mapping[str, Any], problems: list[Problem]) -> dict[str, float]:
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        problems.append(problem("weights", "weights must be an object", 'write {"fact": 1}', field="weights"))
        return {}
    found: dict[str, float] = {}
    for name, weight in weights.items():
        field = f"weights.{name}"
        if name not in facts:
            unknown = unknown_name("fact", name, list(facts)[:20], field)
            problems.append(unknown)
        elif isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            problems.append(
                problem("weights", f"weight {weight!r} is no number from 0", "write a finite number", field=field)
            )
        else:
            found[name] = float(weight)
    return found
