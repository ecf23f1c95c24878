"""The plan: which step follows which, whoever runs them.

Checkpoints lie in the work folder, so a run can be taken up again.

An engine brings tasks to workers, rows of one shard together, and rows to Parquet and back; it knows nothing of texts.
Every shuffle is by the hash of something (an id, a text's digest, a key, a place), never by a document's order.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from reparto.corpus.engines.blocks import Row, Step, packed, tables, unpacked
from reparto.corpus.engines.gather import Gather, leaders
from reparto.corpus.engines.inputs import tasks
from reparto.corpus.engines.steps import Steps, short
from reparto.corpus.job import Account, Job
from reparto.corpus.loading import plan_of
from reparto.corpus.outcome import COLUMNS, Grouped
from reparto.corpus.shelf import folder_size
from reparto.corpus.tally import tally
from reparto.corpus.writing import check_out, write_groups
from reparto.errors import CorpusError, Problem

SHARDS = 16


class Runner(Protocol):
    """What an engine must be able to do. A frame is the engine's own; frames are lazy."""

    def rows(self, rows: Sequence[Row]) -> Any:
        """A frame of rows that the driver has."""
        ...

    def together(self, frames: Sequence[Any], step: Step) -> Any:
        """Apply a step to all rows of each shard."""
        ...

    def each(self, frame: Any, step: Step) -> Any:
        """Apply a step to rows as they lie, without bringing shards together."""
        ...

    def write(self, frame: Any, folder: Path) -> None:
        """Write a frame as Parquet, a folder `kind=NAME` for each kind."""
        ...

    def read(self, folder: Path, kind: str) -> Any:
        """The frame of one kind that was written."""
        ...

    def collect(self, frame: Any) -> Iterable[Row]:
        """The rows of a frame, on the driver."""
        ...

    def stop(self) -> None:
        """Let go of workers."""
        ...


def run(job: Job, runner: Runner, name: str) -> Account:
    """De-duplicate the inputs of a job on an engine."""
    check_out(job.out)
    if job.keep:
        remedy = "run the whole again, or keep a state with the local engine"
        raise CorpusError(Problem("no_state", f"{name} does not keep a state", remedy, field="state"))
    account = Account(name)
    plan_of(job)
    try:
        flow = _Flow(job, runner, account)
        rows = flow.run()
    finally:
        runner.stop()
    with account.timed("write"):
        write_groups(rows, job.out)
    account.bytes = folder_size(job.work)
    shutil.rmtree(job.work, ignore_errors=True)
    return account


class _Flow:
    def __init__(self, job: Job, runner: Runner, account: Account) -> None:
        self.job, self.runner, self.account = job, runner, account
        self.many = job.partitions or SHARDS
        self.steps, self.gather = Steps(job.settings, self.many), Gather(job.settings, self.many)

    def run(self) -> Grouped:
        """All steps; the rows."""
        run, steps = self.runner, self.steps
        todo = tasks(self.job.inputs, self.job.reader, self.job.root)
        asked = [Row(i, "task", packed(**{k: [v] for k, v in one.items()})) for i, one in enumerate(todo)]
        read = self._kept("read", lambda: run.together([run.rows(asked)], steps.read))
        self._problems(read)
        lost = self._places(run.together([read["ids"]], steps.replaced), "lost", "place")
        exact = self._kept("exact", lambda: run.together([read["meta"]], partial(steps.exact, lost=frozenset(lost))))
        redone = self._redone(read, exact)
        pairs = self._kept("pairs", lambda: self._paired(read, exact, redone))
        links = self._kept("links", lambda: self._verified(read, redone, pairs))
        found = leaders(self._table(links["link"], "link"), self.many)
        self.account.verified = self._count(links["link"], "link")
        places = run.rows(found)
        grouped = run.together([exact["member"], places], self.gather.grouped)
        rows = self._kept("rows", lambda: run.together([grouped], self.gather.rows))
        table = self._table(rows["row"], "row")
        with self.account.timed("sort"):
            grouped_rows = _sorted(table)
        tally(self.account, grouped_rows, self._count(exact["node"], "node"))
        return grouped_rows

    def _redone(self, read: Mapping[str, Any], exact: Mapping[str, Any]) -> Mapping[str, Any]:
        run, steps = self.runner, self.steps
        suspects = self._kept("suspects", lambda: run.together([exact["edge"]], steps.suspects))
        if not self._count(suspects["suspect"], "suspect"):
            return {"rekeyed": run.rows([]), "reset": run.rows([])}
        told = run.together([suspects["suspect"], read["text"]], steps.suspected)
        return self._kept("boilerplate", lambda: run.together([told, exact["held"]], steps.boilerplate))

    def _paired(self, read: Mapping[str, Any], exact: Mapping[str, Any], redone: Mapping[str, Any]) -> Any:
        run, steps = self.runner, self.steps
        keys = run.together([exact["node"], read["keys"], redone["rekeyed"]], steps.keys)
        return run.together([run.together([keys], steps.buckets)], steps.pairs)

    def _verified(self, read: Mapping[str, Any], redone: Mapping[str, Any], pairs: Mapping[str, Any]) -> Any:
        run, steps = self.runner, self.steps
        table = self._table(pairs["candidate"], "candidate")
        if table is None:
            return run.rows([])
        self.account.pairs = len(table)
        used = set(table.column("later").to_pylist()) | set(table.column("earlier").to_pylist())
        wanted = frozenset(short(sorted(used)).tolist())
        texts = run.each(read["text"], partial(steps.needed, wanted=wanted))
        sets = run.each(redone["reset"], partial(steps.needed, wanted=wanted))
        asked = run.together([pairs["candidate"], texts, sets], steps.asked)
        return run.together([asked], steps.verified)

    def _kept(self, name: str, make: Any) -> Mapping[str, Any]:
        """The frames of a step by kind: from its checkpoint, which is made first where there is none."""
        folder = self.job.work / name
        with self.account.timed(name):
            if not folder.exists():
                making = self.job.work / f"{name}.tmp"
                shutil.rmtree(making, ignore_errors=True)
                making.mkdir(parents=True)
                self.runner.write(make(), making)
                making.rename(folder)
            else:
                self.account.resumed += 1
            self.job.tick(name, 1)
        return _Kinds(self.runner, folder)

    def _rows(self, frame: Any) -> Iterable[Row]:
        return self.runner.collect(frame)

    def _table(self, frame: Any, kind: str) -> pa.Table | None:
        return tables(self._rows(frame), kind)

    def _places(self, frame: Any, kind: str, column: str) -> list[bytes]:
        table = self._table(frame, kind)
        return [] if table is None else table.column(column).to_pylist()

    def _count(self, frame: Any, kind: str) -> int:
        return sum(unpacked(row.block).num_rows for row in self._rows(frame) if row.kind == kind)

    def _problems(self, read: Mapping[str, Any]) -> None:
        found = [Problem(**json.loads(row.block)) for row in self._rows(read["problem"])]
        self.account.skipped += sorted(found, key=str)


class _Kinds(dict[str, Any]):
    """Frames of a checkpoint, read when asked for."""

    def __init__(self, runner: Runner, folder: Path) -> None:
        super().__init__()
        self.runner, self.folder = runner, folder

    def __missing__(self, kind: str) -> Any:
        there = self.folder / f"kind={kind}"
        self[kind] = self.runner.read(there, kind) if there.exists() else self.runner.rows([])
        return self[kind]


def _sorted(table: pa.Table | None) -> Grouped:
    if table is None:
        return Grouped({name: [] for name in COLUMNS})
    table = table.take(pa.compute.sort_indices(table.column("doc_id")))
    return Grouped({name: table.column(name).to_pylist() for name in COLUMNS})
