"""A bank: queries with their candidates and judged facts, one JSON object a line; vectors may lie beside it.

    {"query_id", "query", "query_class", "candidates": […], "facts": {"f1": ["id", …]}, "weights": {"f1": 1},
     "facts_total": 12, "ranking": ["id", …]}

`NAME.vectors.npz` beside `NAME.jsonl` (or `.jsonl.gz`) holds `ids`, `vectors` and optionally `query_ids`,
`query_vectors`. Facts may name judged ids that are no candidates; further fields of a line are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from reparto.errors import BankError, InputError, Problem, nearest
from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.facts import read_facts, read_ranking
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.lines import as_id, objects, problem, read_text
from reparto.evaluation.vectors import BankVectors, vectors_beside
from reparto.intake import Request, read_request
from reparto.model import Candidate, Vector

T = TypeVar("T")

REQUEST_KEYS = ("query", "query_class", "k", "policy", "candidates", "channels", "offset_unit", "aspects")
KEYS = (*REQUEST_KEYS, "query_id", "facts", "facts_total", "weights", "ranking")


@dataclass(frozen=True, eq=False)
class BankQuery:
    """One query: the request as it would be served, the judgments, and where a list is given, the ranking.

    `vector` is the query's own, (d,), where the bank has it. `line` is where it stands in the file.
    """

    id: str
    request: Request
    judgments: Judgments
    ranking: tuple[str, ...] | None = None
    vector: Vector | None = None
    line: int | None = None

    @property
    def query_class(self) -> str | None:
        """The class of the query, where the bank names one."""
        return self.request.query_class

    @cached_property
    def pool(self) -> tuple[Candidate, ...]:
        """Valid candidates, best first: score descending (ascending for a distance), then id; an id once."""
        scores = self.request.policy.get("scores")
        sign = 1.0 if isinstance(scores, Mapping) and scores.get("kind") == "distance" else -1.0
        ranked = sorted(
            (one for one in self.request.candidates if one.valid), key=lambda one: (sign * one.score, one.id)
        )
        return tuple({one.id: one for one in reversed(ranked)}[id] for id in dict.fromkeys(one.id for one in ranked))

    @cached_property
    def passages(self) -> Mapping[str, Passage]:
        """The pool as measures see it, by id, in rank order."""
        return {one.id: passage_of(one) for one in self.pool}

    def deliver(self, ids: tuple[str, ...] | list[str]) -> Delivery:
        """A given list of ids as a delivery; an id that is no candidate is a passage of which
        nothing is known.
        """
        passages = self.passages
        return Delivery(
            tuple(passages[id] if id in passages else Passage(id, (id,)) for id in ids),
            self.judgments,
            tuple(passages.values()),
        )


@dataclass(frozen=True, eq=False)
class Bank:
    """Queries in file order. `warnings` are what a reader should know though nothing is wrong in form."""

    name: str
    queries: tuple[BankQuery, ...]
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    def __iter__(self) -> Iterator[BankQuery]:
        return iter(self.queries)

    def of_class(self, name: str) -> Bank:
        """The queries of one class; those without a class belong to every class."""
        kept = tuple(one for one in self.queries if one.query_class in (None, name))
        return replace(self, queries=kept)

    def judged_by(self, judgments: Mapping[str, Judgments]) -> Bank:
        """The same queries under other judgments (qrels, nuggets), by query id; queries without
        any are left out.
        """
        kept = tuple(replace(one, judgments=judgments[one.id]) for one in self.queries if one.id in judgments)
        if not kept:
            message = "no query of the bank has a judgment under its id"
            raise BankError(problem("unjudged", message, "use the bank's query ids as topics", field="qrels"))
        return replace(self, queries=kept)

    def ranked_by(self, run: Mapping[str, tuple[tuple[str, float], ...]]) -> Bank:
        """The same queries with the rankings of a TREC run; a query that the run lacks has an empty one."""
        return replace(
            self,
            queries=tuple(replace(one, ranking=tuple(doc for doc, _ in run.get(one.id, ()))) for one in self.queries),
        )


@dataclass
class _Reading:
    """What was found wrong, or worth a warning, so far."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)


def read_bank(path: str | Path, vectors: str | Path | None = None) -> Bank:
    """Read and check a bank. Raises `BankError` with every fault of every line: line, field, remedy.

    `vectors` names an .npz file in place of the one beside the bank.
    """
    found = vectors_beside(path, vectors)
    reading = _Reading()
    queries = []
    for line, value in objects(read_text(path), reading.problems):
        one = _read_line(line, value, found, reading)
        if one is not None:
            queries.append(one)
    if not queries and not reading.problems:
        reading.problems.append(problem("empty", "the bank has no query", "write one query a line"))
    if reading.problems:
        raise BankError(reading.problems)
    return Bank(Path(str(path)).name.split(".")[0], tuple(queries), tuple(reading.warnings))


def bank_of(judgments: Mapping[str, Judgments], run: Mapping[str, tuple[tuple[str, float], ...]], name: str) -> Bank:
    """A bank of ids only, from a TREC run and qrels: every judged topic, its ranking that of the run."""
    queries = []
    for topic, judged in judgments.items():
        scored = run.get(topic, ())
        candidates = tuple(Candidate(id=doc, score=score) for doc, score in scored)
        ranking = tuple(doc for doc, _ in scored)
        queries.append(BankQuery(topic, Request(candidates), judged, ranking))
    return Bank(name, tuple(queries))


def passage_of(candidate: Candidate) -> Passage:
    """A candidate as a measure sees it. A candidate without text and without content known is text None."""
    return Passage(
        id=candidate.id,
        carries=(candidate.id,),
        text=candidate.text or None,
        tokens=candidate.tokens,
        document=candidate.document,
        source=candidate.source,
        vectors=candidate.vectors,
        score=candidate.score,
    )


def _read_line(line: int, value: dict[str, Any], vectors: BankVectors, reading: _Reading) -> BankQuery | None:
    before = len(reading.problems)
    id = as_id(value.get("query_id"))
    if id is None:
        what = "is missing" if value.get("query_id") is None else "is no string or integer"
        reading.problems.append(problem("query_id", f"query_id {what}", "give each query an id", line, "query_id"))
    elif id in reading.lines:
        message = f"query {id!r} already stands on line {reading.lines[id]}"
        reading.problems.append(
            problem("duplicate_id", message, "give each query an id of its own", line, "query_id", id)
        )
    else:
        reading.lines[id] = line
    _warn_of_typos(value, line, reading)
    request = _collect(lambda: read_request(_request(value)), line, reading)
    judgments = _collect(lambda: read_facts(value), line, reading)
    ranking = _collect(lambda: read_ranking(value), line, reading)
    if len(reading.problems) > before or id is None or request is None or judgments is None:
        return None
    for fault in request.faults:
        reading.warnings.append(str(replace(fault, line=line)))
    candidates = tuple(vectors.attach(one) for one in request.candidates)
    _warn_of_strangers(ranking, candidates, judgments, line, reading)
    return BankQuery(id, replace(request, candidates=candidates), judgments, ranking, vectors.queries.get(id), line)


def _request(value: Mapping[str, Any]) -> dict[str, Any]:
    """The request of a line. A line that brings a ranking may do without candidates: then only ids are known."""
    request = {key: value[key] for key in REQUEST_KEYS if key in value}
    if value.get("ranking") is not None and "candidates" not in value and "channels" not in value:
        request["candidates"] = []
    return request


def _collect(read: Callable[[], T], line: int, reading: _Reading) -> T | None:
    try:
        return read()
    except InputError as error:
        reading.problems += [replace(one, line=line) for one in error.problems]
        return None


def _warn_of_typos(value: Mapping[str, Any], line: int, reading: _Reading) -> None:
    for key in value:
        close = nearest(key, KEYS) if key not in KEYS else None
        if close and abs(len(close) - len(key)) <= 2 and sorted(close)[:3] == sorted(key)[:3]:
            reading.warnings.append(f"line {line}: field {key!r} is not read; did you mean {close!r}?")


def _warn_of_strangers(
    ranking: tuple[str, ...] | None,
    candidates: tuple[Candidate, ...],
    judgments: Judgments,
    line: int,
    reading: _Reading,
) -> None:
    known = {one.id for one in candidates} | judgments.judged
    strangers = [id for id in ranking or () if id not in known]
    if strangers:
        reading.warnings.append(
            f"line {line}: the ranking names ids that are neither candidates nor judged: {strangers[:5]}"
        )
    if ranking and len(set(ranking)) < len(ranking):
        twice = sorted({id for id in ranking if ranking.count(id) > 1})
        reading.warnings.append(f"line {line}: the ranking repeats ids, which gain nothing: {twice[:5]}")
    if not judgments.level().n:
        reading.warnings.append(f"line {line}: no fact is judged, so measures of facts skip the query")
