"""Loading: documents of the inputs into parts, so that a run that was killed goes on where it was.

`plan.json` beside the parts says what is being read and with which settings. Without a state to keep, another job
empties the folder; with one, it is the next load of the same state, and settings must not have changed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import groupby
from os import cpu_count
from pathlib import Path
from typing import Any

from reparto.corpus.job import Account, Job
from reparto.corpus.lines import write_lines
from reparto.corpus.parts import Batch, Part, batches, parts_of, write_part
from reparto.corpus.readers import Inputs
from reparto.corpus.readers.lines import Lines
from reparto.documents import Document
from reparto.errors import CorpusError, Problem

PARTS = 2  # version of what a part looks like
DOCUMENTS, CHARACTERS = 20_000, 12_000_000  # of a part, at most


def read_parts(job: Job, account: Account) -> list[Part]:
    """The parts of a job: those that are there, and what is still to be read."""
    plan = plan_of(job)
    folder, load = job.work / "parts", len(plan["loads"]) - 1
    parts = parts_of(folder)
    own = [part for part in parts if part.load == load]
    account.resumed = sum(map(len, own))
    account.skipped += [Problem(**one) for part in own for one in part.meta["problems"]]
    if not plan["loads"][load]["whole"]:
        done = sum(int(part.meta["items"]) for part in own)
        parts += _read(job, account, folder, len(parts), done, load)
        plan["loads"][load]["whole"] = True
        _write(job.work, plan)
    return parts


def _read(job: Job, account: Account, folder: Path, number: int, done: int, load: int) -> list[Part]:
    parts: list[Part] = []
    waiting: deque[Future[Part]] = deque()

    def take() -> None:
        parts.append(waiting.popleft().result())
        account.skipped += [Problem(**one) for one in parts[-1].meta["problems"]]
        job.tick("reading", len(parts[-1]))

    # While one piece is read, those before it are fingerprinted: the native kernels let go of the interpreter.
    workers = cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        for at, piece in enumerate(_pieces(job, done), number):
            shutil.rmtree(folder / f"{at:06d}", ignore_errors=True)  # one behind a gap that a killed run left
            write = write_lines if isinstance(piece, Lines) else write_part
            waiting.append(pool.submit(write, folder / f"{at:06d}", piece, job.settings, load))  # type: ignore[arg-type]
            if len(waiting) > workers:
                take()
        while waiting:
            take()
    return parts


def _pieces(job: Job, done: int) -> Iterator[Lines | Batch]:
    """What becomes a part each: blocks of lines, other documents some at a time; without the first `done` items."""
    left = done

    def rest() -> Iterator[Document | Problem | Lines]:
        nonlocal left
        for one in Inputs(job.inputs, job.reader, job.root).pieces():
            own = one
            if left and isinstance(one, Lines):
                items = len(one)
                own = one.after(left)
                left = max(0, left - items)
                if not own.raw:
                    continue
            elif left:
                left -= 1
                continue
            yield own

    for lined, some in groupby(rest(), lambda one: isinstance(one, Lines)):
        if lined:
            yield from some  # type: ignore[misc]
        else:
            yield from batches(some, DOCUMENTS, CHARACTERS)  # type: ignore[arg-type]


def plan_of(job: Job) -> dict[str, Any]:
    """The plan that this job is part of; its last load is this job's."""
    stored = job.work / "plan.json"
    wanted = {"inputs": [_stamp(one) for one in job.inputs], "reader": job.reader}
    settings = {**job.settings.to_dict(), "engine": job.engine, "parts": PARTS}
    plan: dict[str, Any] = json.loads(stored.read_text("utf-8")) if stored.exists() else {}
    if plan and job.keep and plan["settings"] != settings:
        message = f"{job.work} was made with other settings"
        raise CorpusError(Problem("other_settings", message, "give the same ones, or another --state", field="state"))
    fresh = {**wanted, "whole": False}
    if not plan or plan["settings"] != settings or (not job.keep and not _same(plan, wanted)):
        _empty(job.work)
        plan = {"settings": settings, "loads": [fresh]}
    elif not _same(plan, wanted):
        if not plan["loads"][-1]["whole"]:
            names = ", ".join(str(one[0]) for one in plan["loads"][-1]["inputs"])
            message = f"{job.work} was left half way through another run"
            raise CorpusError(Problem("unfinished", message, f"run it again on {names} first", field="state"))
        plan["loads"].append(fresh)
    _write(job.work, plan)
    return plan


def _same(plan: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether the last load was of these very inputs; standard input never is the same."""
    last = plan["loads"][-1]
    return all(last[name] == value for name, value in wanted.items()) and ["-"] not in wanted["inputs"]


def _write(work: Path, plan: dict[str, Any]) -> None:
    making = work / "plan.json.tmp"
    making.write_text(json.dumps(plan), "utf-8")
    os.replace(making, work / "plan.json")


def _empty(work: Path) -> None:
    if work.exists() and not (work / "plan.json").exists() and any(work.iterdir()):
        message = f"{work} is there and is no scratch folder of reparto"
        raise CorpusError(Problem("not_scratch", message, "name another one with --work", field="work"))
    shutil.rmtree(work, ignore_errors=True)
    (work / "parts").mkdir(parents=True)


def _stamp(path: str) -> list[Any]:
    """What of an input tells whether it is still the same."""
    place = Path(path)
    if place.is_dir():
        files = sorted(one for one in place.rglob("*") if one.is_file())
        return [path, [[str(one), one.stat().st_size, one.stat().st_mtime_ns] for one in files]]
    return [path, place.stat().st_size, place.stat().st_mtime_ns] if place.is_file() else [path]
