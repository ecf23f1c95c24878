"""TREC files: runs (topic Q0 doc rank score tag) and diversity qrels (topic subtopic doc grade).

A run is ordered as pyndeval orders it: score descending, equal scores by document id ascending, the rank
column ignored (trec_eval breaks ties the other way round). Write runs with strictly decreasing scores, as
`run_lines` does, and the question does not arise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from reparto.errors import BankError, Problem
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.lines import numbered, problem, read_text

Scored = tuple[str, float]


def read_run(path: str | Path) -> dict[str, tuple[Scored, ...]]:
    """Ranked (id, score) per topic.

    Raises `BankError` with every faulty line: columns, score, a document twice.
    """
    found: dict[str, dict[str, float]] = {}
    problems: list[Problem] = []
    for line, text in numbered(read_text(path)):
        columns = text.split()
        if len(columns) != 6:
            problems.append(problem("columns", f"{len(columns)} columns, not 6", "topic Q0 doc rank score tag", line))
            continue
        topic, _, doc, _, score, _ = columns
        value = _number(score)
        if value is None:
            problems.append(
                problem("score", f"score {score!r} is no finite number", "write a number", line, "score", doc)
            )
        elif doc in found.setdefault(topic, {}):
            message = f"topic {topic!r} has the document twice"
            problems.append(problem("duplicate_id", message, "keep its best rank", line, "doc", doc))
        else:
            found[topic][doc] = value
    if problems:
        raise BankError(problems)
    return {topic: _ordered(scores) for topic, scores in found.items()}


def read_qrels(path: str | Path) -> dict[str, Judgments]:
    """Judgments per topic.

    Raises `BankError` with every faulty line. A pair judged twice keeps its last grade.
    """
    facts: dict[str, dict[str, dict[str, int]]] = {}
    problems: list[Problem] = []
    for line, text in numbered(read_text(path)):
        columns = text.split()
        if len(columns) != 4:
            problems.append(problem("columns", f"{len(columns)} columns, not 4", "topic subtopic doc grade", line))
            continue
        topic, subtopic, doc, grade = columns
        try:
            value = int(grade)
        except ValueError:
            problems.append(problem("grade", f"grade {grade!r} is no integer", "write 0, 1, …", line, "grade", doc))
            continue
        facts.setdefault(topic, {}).setdefault(subtopic, {})[doc] = value
    if problems:
        raise BankError(problems)
    return {topic: Judgments(by_fact) for topic, by_fact in facts.items()}


def run_lines(rankings: Mapping[str, Sequence[str]], tag: str = "reparto") -> Iterator[str]:
    """A TREC run of given rankings; scores fall by one from the length of the list, so no reader can
    re-order ties.
    """
    for topic, ids in rankings.items():
        for rank, doc in enumerate(ids, start=1):
            yield f"{topic} Q0 {doc} {rank} {len(ids) - rank + 1} {tag}"


def qrels_lines(judgments: Mapping[str, Judgments]) -> Iterator[str]:
    """Diversity qrels of given judgments."""
    for topic, one in judgments.items():
        for fact, grades in one.facts.items():
            for doc, grade in grades.items():
                yield f"{topic} {fact} {doc} {grade}"


def has_ties(run: Iterable[Scored]) -> bool:
    """Whether two documents of a ranking have equal scores."""
    scores = [score for _, score in run]
    return len(set(scores)) < len(scores)


def _ordered(scores: Mapping[str, float]) -> tuple[Scored, ...]:
    return tuple(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
