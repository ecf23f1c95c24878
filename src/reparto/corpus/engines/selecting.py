"""Batch selection on an engine: the requests of a table, each served alone, answers in the order of the table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from reparto import registry
from reparto.contract import Contract
from reparto.corpus.engines.blocks import Row, packed, unpacked
from reparto.corpus.engines.plan import Runner
from reparto.errors import CorpusError, InputError, MissingExtraError, Problem, UnknownNameError
from reparto.intake import read_request
from reparto.pipeline import select
from reparto.selection import to_json

RANGE = 8 << 20  # bytes of requests a task
PARQUET = (".parquet", ".pq")


def select_on(
    engine: str, file: str, contract: Contract, *, query_class: str | None = None, k: int | None = None,
    options: dict[str, str] | None = None, partitions: int | None = None,
) -> Iterator[tuple[bool, str]]:  # fmt: skip
    """(served, JSON line) of each request of a file that every worker sees, in order; an error stands in its place.

    JSONL with a request a line, or Parquet with a column a request's field. The answers pass through the driver.
    """
    asked = [Row(i, "task", packed(**{k: [v] for k, v in one.items()})) for i, one in enumerate(_tasks(file))]
    runner = _runner(engine, options or {}, partitions)
    try:
        frame = runner.together([runner.rows(asked)], partial(_served, contract=contract, query_class=query_class, k=k))
        done = [table for row in runner.collect(frame) for table in [unpacked(row.block)]]
    finally:
        runner.stop()
    for table in sorted(done, key=lambda one: one.column("start")[0].as_py()):
        yield from zip(table.column("served").to_pylist(), table.column("line").to_pylist(), strict=True)


def _runner(engine: str, options: dict[str, str], partitions: int | None) -> Runner:
    made = registry.load("engines", engine, "engine")
    if not hasattr(made, "runner"):
        known = [name for name in registry.names("engines") if name != engine]
        raise UnknownNameError("engine of batch selection", engine, known, "engine")
    runner: Runner = made.runner(options, partitions)
    return runner


def _tasks(file: str) -> Iterator[dict[str, Any]]:
    path = Path(file)
    if not path.is_file():
        remedy = "give a JSONL or Parquet file that every worker sees"
        raise CorpusError(Problem("no_table", f"{file} is not a file", remedy, field="file"))
    if path.suffix.lower() in PARQUET:
        for group in range(_parquet(file).num_row_groups):
            yield {"path": file, "start": group, "end": -1}
        return
    for start in range(0, max(1, path.stat().st_size), RANGE):
        yield {"path": file, "start": start, "end": start + RANGE}


def _parquet(file: str) -> Any:
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
        for one in _parquet(task["path"]).read_row_group(task["start"]).to_pylist():
            yield _present(one)
        return
    with open(task["path"], "rb") as stream:
        if task["start"]:
            stream.seek(task["start"] - 1)
            stream.readline()  # the line that begins before the range is another task's
        while stream.tell() < task["end"] and (line := stream.readline()):
            if line.strip():
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
