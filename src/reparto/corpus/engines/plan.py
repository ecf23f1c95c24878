"""The plan: which step follows which, whoever runs them. What steps make lies in the work folder.

An engine brings tasks to workers and rows of one shard together; it knows nothing of texts or files. Every shuffle is
by the hash of something (an id, a text's digest, a key, a place), never by a document's order. The driver holds hashes
of the documents that are in a pair, and the pairs that hold.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reparto.corpus.engines.arranging import Arranging, check, form_of, write_result
from reparto.corpus.engines.blocks import Row, Step, column, packed, tables, unpacked
from reparto.corpus.engines.gather import Gather, leaders
from reparto.corpus.engines.inputs import tasks
from reparto.corpus.engines.kept import Keeping, Loading, Receipts
from reparto.corpus.engines.loads import Loads
from reparto.corpus.engines.memory import given_back
from reparto.corpus.engines.places import Folder, address
from reparto.corpus.engines.proposing import Proposing
from reparto.corpus.engines.reading import Reading
from reparto.corpus.engines.trimming import Trimming
from reparto.corpus.engines.verifying import Verifying
from reparto.corpus.job import Account, Job
from reparto.errors import Problem

LEAST = 1024  # bytes a text is taken to need: those in pairs are longer than many short ones let the mean be
PAUSE = 1.0  # seconds before a step is begun again: what died must be known to be dead
Ints = NDArray[np.int64]
Frame = Any
Part = tuple[Receipts, str]
Make = Callable[[Keeping], Frame]


class Runner(Protocol):
    """What an engine must be able to do. A frame is the engine's own; frames are lazy."""

    attempts: int
    """How often a step is begun; what was done of it is not done again."""
    room: int | None
    """Bytes of texts that may be under way at once, where all workers share one memory; None: no bound."""

    def rows(self, rows: Sequence[Row]) -> Frame:
        """A frame of rows that the driver has."""
        ...

    def together(self, frames: Sequence[Frame], step: Step) -> Frame:
        """Apply a step to all rows of each shard."""
        ...

    def each(self, frame: Frame, step: Step) -> Frame:
        """Apply a step to rows as they lie, without bringing shards together."""
        ...

    def collect(self, frame: Frame) -> Iterable[Row]:
        """The rows of a frame, on the driver."""
        ...

    def stop(self) -> None:
        """Let go of workers."""
        ...


def run(job: Job, runner: Runner, name: str) -> Account:
    """De-duplicate the inputs of a job on an engine."""
    out = address(job.out)
    check(out)
    account = Account(name)
    try:
        flow = _Flow(job, runner, account)
        arranged = flow.run()
    finally:
        runner.stop()
    with account.timed("write"):
        write_result(arranged.rows("sorted"), out)
    flow.loads.done()
    return account


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """What earlier runs of a state found, and the hashes of places for which it no longer holds."""

    known: list[Part]
    changed: Ints


class _Flow:
    def __init__(self, job: Job, runner: Runner, account: Account) -> None:
        self.job, self.runner, self.account = job, runner, account
        self.loads = Loads(job)
        self.many = self.loads.many
        self.number = self.loads.number
        self.steps = self.loads.steps(self.number)

    def run(self) -> Receipts:
        """All steps; the stretches of the result."""
        run, settings, many = self.runner, self.job.settings, self.many
        reading, trimming = Reading(settings, many, self.number), Trimming(settings, many)
        read = [self._earlier(self.loads.load(n), "read") for n in range(self.number)]
        todo = tasks(self.job.inputs, self.job.reader, self.job.root)
        asked = [Row(i, "task", packed(**{k: [v] for k, v in one.items()})) for i, one in enumerate(todo)]
        makes: list[Make] = [lambda keep: run.together([run.rows(asked)], keep)]
        new = self._kept("read", self.loads.load(self.number), makes, reading.read)
        read.append(new)
        self.account.added = new.lines("meta") if self.number else 0
        self._problems(new)
        lost = self._step("replaced", [(one, "ids") for one in read], reading.replaced)
        exact = self._step("exact", [*((one, "meta") for one in read), (lost, "lost")], reading.exact)
        texts: list[Part] = [(one, "text") for one in read]
        redone = self._redone(texts, exact, trimming)
        verdicts = self._verdicts(redone)
        proposing = Proposing(settings, many, verdicts.changed)
        pairs = self._proposed(read, exact, redone, verdicts, proposing)
        links = self._verified(texts, redone, pairs)
        return self._rows(exact, [(one, "link") for one in (pairs, links)])

    def _redone(self, texts: Sequence[Part], exact: Receipts, trimming: Trimming) -> Receipts:
        suspects = self._step("suspects", [(exact, "edge")], trimming.suspects)
        wanted = _distinct(suspects.rows("asked"), "hash")
        folder = self.loads.known(self.number) if self.job.keep else self.steps

        def make(keep: Keeping) -> Frame:
            told = [self._frame([(suspects, "suspect")]), self._frame(texts, wanted)]
            some = self.runner.together(told, trimming.suspected)
            return self.runner.together([some, self._frame([(exact, "held")])], keep)

        if not len(wanted):
            return self._kept("boilerplate", folder, [], trimming.boilerplate)
        return self._kept("boilerplate", folder, [make], trimming.boilerplate)

    def _verdicts(self, redone: Receipts) -> _Verdicts:
        if not self.number:
            return _Verdicts([], np.zeros(0, np.int64))
        before = self.loads.known(self.number - 1)
        then = self._earlier(before, "boilerplate")
        known = [(self._earlier(before, name), "known") for name in ("pairs", "links")]
        return _Verdicts(known, _changed(_marks(then), _marks(redone)))

    def _proposed(
        self, read: Sequence[Receipts], exact: Receipts, redone: Receipts, verdicts: _Verdicts, proposing: Proposing
    ) -> Receipts:
        buckets = self._step(
            "buckets", [(exact, "node"), *((one, "keys") for one in read), (redone, "rekeyed")],
            proposing.buckets, first=proposing.keys,
        )  # fmt: skip
        sizes = (table.column("most")[0].as_py() for table in map(_table, buckets.rows("size")))
        self.account.largest_bucket = max(sizes, default=0)
        parts: list[Part] = [(buckets, "pair"), (buckets, "alike"), *verdicts.known]
        folder = self.loads.known(self.number) if self.job.keep else self.steps
        return self._step("pairs", parts, proposing.pairs, folder=folder)

    def _verified(self, texts: Sequence[Part], redone: Receipts, pairs: Receipts) -> Receipts:
        verifying = Verifying(self.job.settings, self.many, self.job.keep)
        folder = self.loads.known(self.number) if self.job.keep else self.steps

        def making(some: Receipts) -> Make:
            wanted = _distinct(some.rows("used"), "hash")

            def make(keep: Keeping) -> Frame:
                asked = [self._frame([(some, "want")]), self._frame([*texts, (redone, "reset")], wanted)]
                sent = self.runner.together(asked, verifying.sent)
                return self.runner.together([self._frame([(some, "candidate")]), sent], keep)

            return make

        waves = [making(some) for some in self._waves(texts, pairs)]
        links = self._kept("links", folder, waves, verifying.verified)
        self.account.pairs = pairs.lines("candidate")
        self.account.verified = links.lines("link") + pairs.lines("link")
        return links

    def _waves(self, texts: Sequence[Part], pairs: Receipts) -> list[Receipts]:
        """Candidates, some shards at a time, so that the texts they want have room."""
        lines = sum(one.lines(kind) for one, kind in texts)
        each = max(LEAST, sum(one.bytes(kind) for one, kind in texts) // max(1, lines))
        shards = sorted(int(part["shard"]) for part in pairs.parts)
        size = pairs.lines("want") * each
        waves = 1 if self.runner.room is None else min(len(shards), 1 + size // self.runner.room)
        return [pairs.of(frozenset(shards[at::waves])) for at in range(waves)] if pairs.lines("candidate") else []

    def _rows(self, exact: Receipts, links: Sequence[Part]) -> Receipts:
        with self.account.timed("leaders"):
            found = leaders(tables([row for one, kind in links for row in one.rows(kind)], "link"), self.many)
            gather = Gather(self.job.settings, self.many, _bounds(exact, self.many))
        self.account.texts = exact.lines("node")

        def make(keep: Keeping) -> Frame:
            frames = [self._frame([(exact, "member")]), self.runner.rows(found)]
            return self.runner.together([self.runner.together(frames, gather.grouped)], keep)

        rows = self._kept("rows", self.steps, [make], gather.rows)
        arranged = self._step("sort", [(rows, "row")], Arranging(form_of(address(self.job.out))).arranged)
        for table in map(_table, arranged.rows("figures")):
            documents, leading, revisions, most = (one.to_pylist()[0] for one in table.columns)
            self.account.documents += documents
            self.account.groups += leading + revisions
            self.account.revisions += revisions
            self.account.largest_group = max(self.account.largest_group, most)
        self.account.copies = self.account.documents - self.account.groups
        return arranged

    def _step(
        self, name: str, parts: Sequence[Part], step: Step, *, first: Step | None = None, folder: Folder | None = None
    ) -> Receipts:
        """A step over kept rows; with `first`, another one before it."""

        def make(keep: Keeping) -> Frame:
            frame = self._frame(parts)
            if first is not None:
                frame = self.runner.together([frame], first)
            return self.runner.together([frame], keep)

        empty = not any(one.lines(kind) for one, kind in parts)
        return self._kept(name, folder or self.steps, [] if empty else [make], step)

    def _frame(self, parts: Sequence[Part], wanted: Ints | None = None) -> Frame:
        asked = [row for one, kind in parts for row in one.asked(kind)]
        rows = [Row(at, row.kind, row.block) for at, row in enumerate(asked)]
        return self.runner.each(self.runner.rows(rows), Loading(wanted))

    def _kept(self, name: str, parent: Folder, makes: Sequence[Make], step: Step) -> Receipts:
        """What a step made: as written before, or made now, in as many runs as there are to make."""
        folder = parent / name
        with self.account.timed(name):
            whole = folder.read("whole")
            if whole is None:
                parts = [one for make in makes for one in self._made(name, make(Keeping(step, folder)))]
                folder.write("whole", json.dumps(parts).encode())
            else:
                parts = json.loads(whole)
                self.account.resumed += 1
        made = Receipts(folder, tuple(parts))
        self.account.bytes += made.bytes()
        self.account.skew[name], self.account.shuffled[name] = made.skew(), made.taken()
        return made

    def _made(self, name: str, frame: Frame) -> list[dict[str, Any]]:
        for attempt in range(self.runner.attempts):
            found: dict[int, dict[str, Any]] = {}
            try:
                for row in self.runner.collect(frame):
                    found[row.shard] = json.loads(row.block)
                    self.job.tick(name, 1)
                del frame
                parts = list(found.values())
                given_back(sum(one["bytes"] for part in parts for one in part["files"]))
                return parts
            except Exception:
                if attempt + 1 == self.runner.attempts:
                    raise
                time.sleep(PAUSE)
        return []

    def _earlier(self, folder: Folder, name: str) -> Receipts:
        whole = (folder / name).read("whole")
        return Receipts(folder / name, tuple(json.loads(whole or b"[]")))

    def _problems(self, read: Receipts) -> None:
        found = [Problem(**json.loads(row.block)) for row in read.rows("problem")]
        self.account.skipped += sorted(found, key=str)


def _table(row: Row) -> pa.Table:
    return unpacked(row.block)


def _distinct(rows: Iterable[Row], name: str) -> Ints:
    """Distinct numbers of a column of many blocks, ascending."""
    found = [column(_table(row), name) for row in rows]
    return np.unique(np.concatenate([np.zeros(0, np.int64), *found]))


def _marks(redone: Receipts) -> dict[int, int]:
    """Hash of each place with boilerplate -> hash of what is left of its text."""
    found: dict[int, int] = {}
    for table in map(_table, redone.rows("left")):
        found |= dict(zip(table.column("hash").to_pylist(), table.column("told").to_pylist(), strict=True))
    return found


def _changed(then: dict[int, int], now: dict[int, int]) -> Ints:
    return np.array(sorted(one for one in then.keys() | now.keys() if then.get(one) != now.get(one)), dtype=np.int64)


def _bounds(exact: Receipts, many: int) -> tuple[bytes, ...]:
    """Ids that cut the result into about equal stretches."""
    some = sorted(
        one.encode("utf-8", "surrogatepass")
        for table in map(_table, exact.rows("sample"))
        for one in table.column("id").to_pylist()
    )
    return tuple(some[at * len(some) // many] for at in range(1, many)) if some else ()
