"""Batch selection on an engine: the requests of a table, each served alone, answers in the order of the table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from reparto import registry
from reparto.contract import Contract
from reparto.corpus.engines.blocks import Row, packed, unpacked
from reparto.corpus.engines.inputs import lines_of, opened
from reparto.corpus.engines.places import address, stat
from reparto.corpus.engines.plan import Runner
from reparto.errors import CorpusError, InputError, MissingExtraError, Problem, UnknownNameError
from reparto.intake import read_request
from reparto.pipeline import select
from reparto.selection import to_json

RANGE = 8 << 20  # bytes of requests a task
WAVE = 64  # tasks whose answers the driver holds
PARQUET = (".parquet", ".pq")


def select_on(
    engine: str, file: str, contract: Contract, *, query_class: str | None = None, k: int | None = None,
    options: dict[str, str] | None = None, partitions: int | None = None,
) -> Iterator[tuple[bool, str]]:  # fmt: skip
    """(served, JSON line) of each request of a file that every worker sees, in order; an error stands in its place.

    JSONL with a request a line, or Parquet with a column a request's field. The answers pass through the driver,
    those of `WAVE` tasks at a time.
    """
    todo = [Row(i, "task", packed(**{k: [v] for k, v in one.items()})) for i, one in enumerate(_tasks(file))]
    step = partial(_served, contract=contract, query_class=query_class, k=k)
    runner = _runner(engine, options or {}, partitions)
    try:
        for low in range(0, len(todo), WAVE):
            frame = runner.together([runner.rows(todo[low : low + WAVE])], step)
            done = [unpacked(row.block) for row in runner.collect(frame)]
            for table in sorted(done, key=lambda one: one.column("start")[0].as_py()):
                yield from zip(table.column("served").to_pylist(), table.column("line").to_pylist(), strict=True)
    finally:
        runner.stop()


def _runner(engine: str, options: dict[str, str], partitions: int | None) -> Runner:
    made = registry.load("engines", engine, "engine")
    if not hasattr(made, "runner"):
        known = [name for name in registry.names("engines") if name != engine]
        raise UnknownNameError("engine of batch selection", engine, known, "engine")
    runner: Runner = made.runner(options, partitions)
    return runner


def _tasks(file: str) -> Iterator[dict[str, Any]]:
    where = address(file)
    found = stat(where) or []
    if [path for path, *_ in found] != [where]:
        remedy = "give a JSONL or Parquet file that every worker sees"
        raise CorpusError(Problem("no_table", f"{file} is not a file", remedy, field="file"))
    if where.lower().endswith(PARQUET):
        with opened(where) as stream:
            groups = _parquet(stream).num_row_groups
        yield from ({"path": where, "start": group, "end": -1} for group in range(groups))
        return
    yield from ({"path": where, "start": at, "end": at + RANGE} for at in range(0, max(1, found[0][1]), RANGE))


def _parquet(file: Any) -> Any:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    return ParquetFile(file)


def _served(rows: Sequence[Row], contract: Contract, query_class: str | None, k: int | None) -> list[Row]:
    found = []
    for row in rows:
        for task in unpacked(row.block).to_pylist():
            lines = [_answer(one, contract, query_class, k) for one in _requests(task)]
            if lines:
                block = packed(
                    start=[task["start"]] * len(lines), served=[ok for ok, _ in lines], line=[x for _, x in lines]
                )
                found.append(Row(row.shard, "answer", block))
    return found


def _requests(task: dict[str, Any]) -> Iterator[Any]:
    """Requests of a task; an `InputError` where a line is none."""
    if task["end"] < 0:
        with opened(task["path"]) as stream:
            for one in _parquet(stream).read_row_group(task["start"]).to_pylist():
                yield _present(one)
        return
    for line in lines_of(task["path"], task["start"], task["end"]):
        try:
            yield json.loads(line)
        except ValueError as error:
            message = str(error).split(": line")[0]
            yield InputError(Problem("not_json", message, "give one JSON value, or one a line"))


def _present(value: Any) -> Any:
    """Without what is null: a struct column has it for every row that lacks a key."""
    if isinstance(value, dict):
        return {name: _present(one) for name, one in value.items() if one is not None}
    return [_present(one) for one in value] if isinstance(value, list) else value


def _answer(request: Any, contract: Contract, query_class: str | None, k: int | None) -> tuple[bool, str]:
    try:
        if isinstance(request, InputError):
            raise request
        return True, to_json(select(read_request(request), contract, query_class=query_class, k=k).to_dict())
    except InputError as error:
        return False, to_json(error.to_dict())
