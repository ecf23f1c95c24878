"""The local engine: parts on disk, the arrays of ranks in memory, one band at a time.

Reading and fingerprinting is most of the work and is kept part by part: a run that was killed goes on after the last
whole part. Everything after it is a function of the parts, so that a run resumed ends where an undisturbed one does.
"""

from __future__ import annotations

import shutil

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.asking import Asked
from reparto.corpus.engines.places import is_remote
from reparto.corpus.groups import agreeing, distinct
from reparto.corpus.increment import Increment, Now
from reparto.corpus.job import Account, Job
from reparto.corpus.keeping import gone_keys, keep_state
from reparto.corpus.leaders import Assigned, assign
from reparto.corpus.loading import read_parts
from reparto.corpus.outcome import Grouped, outcome
from reparto.corpus.passes import boilerplate, candidates, verify_codes, without_replaced
from reparto.corpus.shelf import Shelf, folder_size
from reparto.corpus.state import Segment, State, read_state
from reparto.corpus.tally import tally
from reparto.corpus.writing import check_out, write_groups
from reparto.errors import CorpusError, Problem

Ints = NDArray[np.int64]


class Local:
    """One machine: any number of cores, memory for ids and ranks, disk for the rest."""

    name = "local"

    def run(self, job: Job) -> Account:
        """De-duplicate the inputs of a job and write its rows."""
        if any(is_remote(one) for one in (job.out, job.work)):
            remedy = "name a local file, or use --engine daft or spark"
            message = "the local engine writes to local files"
            raise CorpusError(Problem("not_local", message, remedy, field="out"))
        check_out(job.out)
        account = Account(self.name)
        with account.timed("read"):
            parts = read_parts(job, account)
        with account.timed("load"):
            shelf = Shelf(parts)
            before = read_state(job.work) if job.keep else None
        try:
            rows = self.group(shelf, job, account, before)
            with account.timed("write"):
                write_groups(rows, job.out)
        finally:
            shelf.close()
        account.bytes = folder_size(job.work)
        if not job.keep:
            shutil.rmtree(job.work, ignore_errors=True)
        return account

    def group(self, shelf: Shelf, job: Job, account: Account, before: State | None = None) -> Grouped:
        """The rows of a shelf, from scratch or from the state before."""
        columns, settings = shelf.columns, job.settings
        before = before if len(shelf) else None  # of nothing there is nothing to add to
        with account.timed("rank"):
            facts = without_replaced(shelf, shelf.facts())
            firsts, node = distinct(columns["digests"], columns["characters"], facts.order)
            nodes = facts.order[firsts]
        with account.timed("boilerplate"):
            left = boilerplate(shelf, nodes)
            gone = gone_keys(shelf, nodes, left, before, settings) if before is not None else None
            shelf.redo(left, settings)
        increment = None
        if before is not None and gone is not None:
            with account.timed("increment"):
                segments = [Segment(job.work / "index" / name) for name in before.segments]
                increment = Increment(before, segments, _now(shelf, nodes, job), gone, settings)
                assigned, account.reopened = increment.run()
                account.added = len(increment.added)
        else:
            assigned = self._assigned(shelf, nodes, job, account)
        if job.keep:
            with account.timed("keep"):
                keep_state(shelf, job, nodes, assigned, left, before, increment)
        with account.timed("rows"):
            rows = outcome(facts, firsts, node, assigned, settings)
        tally(account, rows, len(nodes))
        return rows

    def _assigned(self, shelf: Shelf, nodes: Ints, job: Job, account: Account) -> Assigned:
        with account.timed("candidates"):
            codes = candidates(shelf, nodes, job)
        with account.timed("verify"):
            kept = verify_codes(shelf, nodes, codes, job)
        with account.timed("leaders"):
            agree = _agree(shelf, nodes, job)
            agree.foresee(kept)
            assigned = assign(len(nodes), kept, agree)
        account.pairs, account.verified = len(codes), len(kept)
        return assigned


def _now(shelf: Shelf, nodes: Ints, job: Job) -> Now:
    return Now(
        nodes,
        shelf.columns["figures"][nodes],
        shelf.columns["sentences"][nodes],
        shelf.keys,
        lambda codes: verify_codes(shelf, nodes, codes, job),
        _agree(shelf, nodes, job),
    )


def _agree(shelf: Shelf, nodes: Ints, job: Job) -> Asked:
    numbers, sources = nodes.tolist(), shelf.columns["sources"]
    return agreeing(lambda rank: shelf.text(numbers[rank]), lambda rank: sources[numbers[rank]], job.settings)
