"""Nugget files: JSONL, one query a line, each nugget with the passages that support it.

    {"query_id" | "qid", "nuggets": [{"id"?, "text", "importance"?: "vital" | "okay" | number, "docs": […]}]}

`docs` (also `docids`, `doc_ids`, `relevant_corpus_ids`) is a list of supporting ids, or an object `{id:
"support" | "partial_support" | "not_support"}`. Only full support carries the fact (strict scoring of the
TREC RAG track); partial support is judged, with grade 0. Vital weighs 1, okay .5.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reparto.errors import BankError, Problem
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.lines import as_id, objects, problem, read_text

DOCS = ("docs", "docids", "doc_ids", "relevant_corpus_ids")
WEIGHTS: Mapping[str, float] = MappingProxyType({"vital": 1.0, "okay": 0.5})
GRADES: Mapping[str, int] = MappingProxyType({"support": 1, "partial_support": 0, "not_support": 0})


def read_nuggets(path: str | Path) -> dict[str, Judgments]:
    """Judgments per query. Raises `BankError` with every fault: line, field, remedy."""
    found: dict[str, Judgments] = {}
    problems: list[Problem] = []
    for line, value in objects(read_text(path), problems):
        query = as_id(value.get("query_id", value.get("qid")))
        nuggets = value.get("nuggets")
        if query is None:
            problems.append(problem("missing", "a nugget line needs a query id", "add query_id", line, "query_id"))
        elif not isinstance(nuggets, list):
            problems.append(problem("type", "nuggets must be a list", "list the nuggets", line, "nuggets", query))
        else:
            found[query] = _judgments(nuggets, line, query, problems)
    if problems:
        raise BankError(problems)
    return found


def _judgments(nuggets: list[Any], line: int, query: str, problems: list[Problem]) -> Judgments:
    facts: dict[str, dict[str, int]] = {}
    weights: dict[str, float] = {}
    for place, nugget in enumerate(nuggets):
        field = f"nuggets[{place}]"
        docs = _docs(nugget)
        if docs is None:
            remedy = "add docs: a list of ids, or {id: support|partial_support|not_support}"
            problems.append(
                problem("nugget", "a nugget needs the passages that support it", remedy, line, field, query)
            )
            continue
        name = as_id(nugget.get("id", nugget.get("_id"))) or f"n{place + 1}"
        weight = nugget.get("importance", 1.0)
        weight = WEIGHTS.get(weight) if isinstance(weight, str) else weight
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight >= 0:
            remedy = f"write {', '.join(WEIGHTS)} or a number from 0"
            problems.append(problem("weight", "importance is no weight", remedy, line, f"{field}.importance", query))
            continue
        facts[name], weights[name] = docs, float(weight)
    return Judgments(facts, weights)


def _docs(nugget: object) -> dict[str, int] | None:
    """Grade per passage, or None where the nugget cannot be read."""
    if not isinstance(nugget, Mapping):
        return None
    docs = next((nugget[name] for name in DOCS if name in nugget), None)
    if isinstance(docs, Mapping):
        docs = {key: GRADES.get(grade) for key, grade in docs.items() if isinstance(grade, str)}
        graded = {str(key): grade for key, grade in docs.items() if grade is not None}
        return graded if len(graded) == len(docs) else None
    if not isinstance(docs, list):
        return None
    ids = [as_id(one) for one in docs]
    known = [one for one in ids if one is not None]
    return dict.fromkeys(known, 1) if len(known) == len(ids) else None
