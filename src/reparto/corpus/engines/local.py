"""The local engine: parts on disk, the arrays of ranks in memory, one band at a time.

Reading and fingerprinting is most of the work and is kept part by part: a run that was killed goes on after the last
whole part. Everything after it is a function of the parts, so that a run resumed ends where an undisturbed one does.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.boilerplate import shared_edges, suspects
from reparto.corpus.candidates import apart, band_pairs, sentence_pairs, telling, united
from reparto.corpus.documents import Document
from reparto.corpus.fingerprint import compared_text
from reparto.corpus.groups import agreeing, distinct, said_digest
from reparto.corpus.job import Account, Job
from reparto.corpus.leaders import Assigned, assign
from reparto.corpus.outcome import Facts, Grouped, outcome
from reparto.corpus.parts import Part, batches, parts_of, write_part
from reparto.corpus.readers import Inputs
from reparto.corpus.settings import Settings
from reparto.corpus.shelf import Shelf, chunked, folder_size
from reparto.corpus.verify import Verified, shared_counts, together, verified
from reparto.corpus.writing import check_out, write_groups
from reparto.errors import Problem

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
DOCUMENTS, CHARACTERS = 20_000, 24_000_000  # of a part, at most
_CODES = 16_000_000  # proposals held before repeats are dropped
_LOADED = 32_000_000  # shingles held while pairs are verified
_SENTENCES = 16_000_000


class Local:
    """One machine: any number of cores, memory for ids and ranks, disk for the rest."""

    name = "local"

    def run(self, job: Job) -> Account:
        """De-duplicate the inputs of a job and write its rows."""
        check_out(job.out)
        account = Account(self.name)
        with account.timed("read"):
            parts = read_parts(job, account)
        with account.timed("load"):
            shelf = Shelf(parts)
        try:
            write_groups(self.group(shelf, job, account), job.out)
        finally:
            shelf.close()
        account.bytes = folder_size(job.work)
        if not job.keep:
            shutil.rmtree(job.work, ignore_errors=True)
        return account

    def group(self, shelf: Shelf, job: Job, account: Account) -> Grouped:
        """The rows of a shelf."""
        settings = job.settings
        with account.timed("rank"):
            facts = without_replaced(shelf, shelf.facts())
            firsts = distinct(shelf.columns["digests"], shelf.columns["characters"], facts.order)
            nodes = facts.order[firsts]
        with account.timed("boilerplate"):
            shelf.redo(boilerplate(shelf, nodes), settings)
        with account.timed("candidates"):
            codes = candidates(shelf, nodes, settings, job, account)
        with account.timed("verify"):
            kept = verify_codes(shelf, nodes, codes, settings, job)
        with account.timed("leaders"):
            numbers = nodes.tolist()
            agree = agreeing(lambda rank: shelf.text(numbers[rank]), settings)
            assigned = assign(len(nodes), kept, agree)
        with account.timed("rows"):
            rows = outcome(facts, shelf.columns["digests"], shelf.columns["characters"], firsts, assigned, settings)
        account.pairs, account.verified = len(codes), len(kept)
        tally(account, rows, len(nodes))
        return rows


def read_parts(job: Job, account: Account) -> list[Part]:
    """The parts of the inputs: those that a killed run left, and the rest."""
    folder = job.work / "parts"
    if _prepare(job):
        account.resumed = sum(len(part) for part in parts_of(folder))
    parts = parts_of(folder)
    account.skipped += [Problem(**one) for part in parts for one in part.meta["problems"]]
    done = sum(int(part.meta["items"]) for part in parts)
    items: Iterator[Document | Problem] = iter(Inputs(job.inputs, job.reader, job.root))
    for _ in islice(items, done):
        pass
    # While one batch is read, the last one is fingerprinted: the native kernels let go of the interpreter.
    with ThreadPoolExecutor(1) as pool:
        waiting: Future[Part] | None = None
        for batch in batches(items, DOCUMENTS, CHARACTERS):
            if waiting is not None:
                parts.append(waiting.result())
            waiting = pool.submit(write_part, folder / f"{len(parts):06d}", batch, job.settings)
            account.skipped += batch.problems
            job.tick("reading", len(batch.documents))
        if waiting is not None:
            parts.append(waiting.result())
    return parts


def _prepare(job: Job) -> bool:
    """Whether the work folder belongs to this very job; else it is emptied."""
    plan = {"settings": job.settings.to_dict(), "reader": job.reader, "inputs": [_stamp(one) for one in job.inputs]}
    stored = job.work / "plan.json"
    wire = json.dumps(plan, sort_keys=True)
    if stored.exists() and stored.read_text("utf-8") == wire and "-" not in job.inputs:
        return True
    shutil.rmtree(job.work, ignore_errors=True)
    (job.work / "parts").mkdir(parents=True)
    stored.write_text(wire, "utf-8")
    return False


def _stamp(path: str) -> list[Any]:
    """What of an input tells whether it is still the same."""
    place = Path(path)
    if place.is_dir():
        files = sorted(one for one in place.rglob("*") if one.is_file())
        return [path, [[str(one), one.stat().st_size, one.stat().st_mtime_ns] for one in files]]
    return [path, place.stat().st_size, place.stat().st_mtime_ns] if place.is_file() else [path]


def without_replaced(shelf: Shelf, facts: Facts) -> Facts:
    """Leave out of the order what another document of the same id replaces (`groups.chosen`)."""
    ids = facts.ids
    if len(set(ids)) == len(ids):
        return facts
    best: dict[str, int] = {}
    for i in range(len(ids)):
        other = best.get(ids[i])
        if other is None or _age(shelf, facts, i) > _age(shelf, facts, other):
            best[ids[i]] = i
    alive = np.zeros(len(ids), dtype=bool)
    alive[list(best.values())] = True
    return replace(facts, order=facts.order[alive[facts.order]])


def _age(shelf: Shelf, facts: Facts, i: int) -> tuple[float, bytes]:
    moment = float(facts.instants[i])
    said = said_digest(shelf.text(i), facts.sources[i], facts.published[i], bool(shelf.columns["gold"][i]), facts.urls[i])
    return (-np.inf if np.isinf(moment) else moment, said)


def boilerplate(shelf: Shelf, nodes: Ints) -> dict[int, str]:
    """What is left to compare of documents that share edges with others of their source."""
    some = nodes[suspects(shelf.columns["edges"][nodes], np.arange(len(nodes)))]
    if not len(some):
        return {}
    sources = shelf.columns["sources"]
    held = Counter(sources[i] for i in nodes.tolist() if sources[i] is not None)
    return shared_edges(some.tolist(), lambda i: compared_text(shelf.text(i)), sources.__getitem__, held)


def candidates(shelf: Shelf, nodes: Ints, settings: Settings, job: Job, account: Account) -> Hashes:
    """Codes of the pairs of ranks that are worth a look, band by band."""
    filled = np.flatnonzero(shelf.columns["sizes"][nodes] > 0)
    figures = shelf.columns["figures"][nodes][filled]
    found: list[Hashes] = []
    held = 0
    for band in range(settings.bands):
        keys = shelf.bands(band)[nodes][filled]
        found.append(band_pairs(keys, filled, figures, settings.bucket))
        held += len(found[-1])
        if held > _CODES:
            found = [united(found)]
            held = len(found[0])
        job.tick("candidates", 1)
    counts = shelf.columns["sentences"][nodes]
    runs = max(1, int(counts.sum()) // _SENTENCES)
    codes: list[Hashes] = []
    for run in range(runs):
        keys, ranks = _sentence_rows(shelf, nodes, counts, run, runs)
        codes.append(sentence_pairs(keys, ranks, settings.bucket, settings.sentences))
    said = np.sort(np.concatenate([np.zeros(0, np.uint64), *codes]))
    return united([*found, telling(said, counts)])


def _sentence_rows(shelf: Shelf, nodes: Ints, counts: Ints, run: int, runs: int) -> tuple[Hashes, Ints]:
    keys: list[Hashes] = []
    ranks: list[Ints] = []
    for some in chunked(np.arange(len(nodes)), counts, _SENTENCES):
        own, _ = shelf.sentences(nodes[some])
        owner = np.repeat(some, counts[some])
        mine = own % np.uint64(runs) == run if runs > 1 else slice(None)
        keys.append(own[mine])
        ranks.append(owner[mine])
    return np.concatenate([np.zeros(0, np.uint64), *keys]), np.concatenate([np.zeros(0, np.int64), *ranks])


def verify_codes(shelf: Shelf, nodes: Ints, codes: Hashes, settings: Settings, job: Job) -> Verified:
    """Verify pairs, some at a time, with the shingle sets they need."""
    found: list[Verified] = []
    sizes = shelf.columns["sizes"][nodes]
    later, earlier = apart(codes)
    for some in chunked(np.arange(len(codes)), sizes[later] + sizes[earlier], _LOADED):
        used = np.union1d(later[some], earlier[some])
        hashes, offsets = shelf.hashes(nodes[used])
        a, b = np.searchsorted(used, later[some]), np.searchsorted(used, earlier[some])
        shared = shared_counts(hashes, offsets, a, b)
        found.append(verified(later[some], earlier[some], shared, (sizes[later[some]], sizes[earlier[some]]), settings))
        job.tick("verifying", len(some))
    return together(found)


def tally(account: Account, rows: Grouped, texts: int) -> None:
    """Figures of a result for the account."""
    relations = Counter(rows.columns["relation"])
    account.documents, account.texts = len(rows), texts
    account.revisions = relations["revision"]
    account.groups = relations[None] + relations["revision"]
    account.copies = account.documents - account.groups
    account.largest_group = max(rows.columns["copies"], default=0)


__all__ = ["Assigned", "Local"]
