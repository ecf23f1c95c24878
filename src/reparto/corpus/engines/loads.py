"""Loads: what a work folder holds, so that a run that died goes on and a state takes more documents.

`plan.json` says with which settings, and what was read when. Without a state to keep, another job empties the folder.
"""

from __future__ import annotations

import json
from typing import Any

from reparto.corpus.engines.places import Folder, address, stat
from reparto.corpus.job import Job
from reparto.errors import CorpusError, Problem

PLAN = "plan.json"
SHARDS = 16
FEW, MANY = 16 << 20, 80 << 20  # bytes of inputs a shard, up to SHARDS of them and beyond


class Loads:
    """The plan of a job on an engine; `many` is how many shards its rows are in."""

    def __init__(self, job: Job) -> None:
        self.folder = Folder.at(job.work)
        self.keep = job.keep
        stored = self.folder.read(PLAN)
        if stored is None:
            self._refuse_others(job)
        plan: dict[str, Any] = json.loads(stored) if stored else {}
        stamps = [_stamp(one) for one in job.inputs]
        wanted = json.loads(json.dumps({"inputs": stamps, "reader": job.reader}))
        self.many: int = job.partitions or (plan["settings"]["partitions"] if plan and job.keep else _shards(stamps))
        settings = {**job.settings.to_dict(), "form": "blocks 2", "partitions": self.many}
        if plan and job.keep and plan["settings"] != settings:
            remedy = "give the same settings, kind of engine and partitions, or another --state"
            raise CorpusError(Problem("other_settings", f"{job.work} was made with others", remedy, field="state"))
        last = plan["loads"][-1] if plan else None
        same = last is not None and all(last[name] == value for name, value in wanted.items())
        if not plan or plan["settings"] != settings or (not same and not job.keep):
            self.folder.remove()
            plan = {"settings": settings, "loads": [{**wanted, "whole": False}]}
        elif not same:
            if not plan["loads"][-1]["whole"]:
                names = ", ".join(str(one[0]) for one in plan["loads"][-1]["inputs"])
                message = f"{job.work} was left half way through another run"
                raise CorpusError(Problem("unfinished", message, f"run it again on {names} first", field="state"))
            plan["loads"].append({**wanted, "whole": False})
        self.plan = plan
        self._write()

    @property
    def number(self) -> int:
        """Which load this job is, from 0."""
        return len(self.plan["loads"]) - 1

    def load(self, number: int) -> Folder:
        """Where what was read by a load lies."""
        return self.folder / f"load-{number}"

    def steps(self, number: int) -> Folder:
        """Where the steps after reading lie; empty again once the run is over."""
        return self.folder / f"steps-{number}"

    def known(self, number: int) -> Folder:
        """Where the verdicts as of a load lie."""
        return self.folder / f"known-{number}"

    def done(self) -> None:
        """The run is over: keep what the next one needs, or nothing."""
        if not self.keep:
            self.folder.remove()
            return
        self.plan["loads"][-1]["whole"] = True
        self._write()
        self.steps(self.number).remove()
        if self.number:
            self.known(self.number - 1).remove()

    def _write(self) -> None:
        self.folder.write(PLAN, json.dumps(self.plan).encode())

    def _refuse_others(self, job: Job) -> None:
        if stat(self.folder.where):
            message = f"{job.work} is there and is no scratch folder of reparto"
            raise CorpusError(Problem("not_scratch", message, "name another one with --work", field="work"))


def _stamp(one: str) -> list[Any]:
    """What of an input tells whether it is still the same."""
    if one == "-" or one.startswith(("http://", "https://")):
        return [one]
    return [one, stat(address(one))]


def _shards(stamps: list[list[Any]]) -> int:
    """How many shards inputs of this size are worth: small ones few, as each has its price in every step."""
    found = [one[1] if len(one) > 1 else None for one in stamps]
    if not all(found):
        return SHARDS  # of an address nobody knows how much it brings
    size = sum(int(bytes) for files in found for _, bytes, _ in files or ())
    return max(1, min(SHARDS, -(-size // FEW)), -(-size // MANY))
