"""Passes over a shelf: who is replaced, what is boilerplate, who is compared with whom, and what that shows."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.boilerplate import shared_edges, suspects
from reparto.corpus.candidates import apart, band_pairs, sentence_pairs, telling, united
from reparto.corpus.fingerprint import compared_text
from reparto.corpus.groups import said_digest
from reparto.corpus.job import Job
from reparto.corpus.outcome import Facts
from reparto.corpus.shelf import Shelf, chunked
from reparto.corpus.verify import Verified, shared_counts, together, verified

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
_CODES = 16_000_000  # proposals held before repeats are dropped
_LOADED = 32_000_000  # shingles held while pairs are verified
_SENTENCES = 16_000_000


def without_replaced(shelf: Shelf, facts: Facts) -> Facts:
    """Leave out what another document of the same id replaces: one of a later load, else as `groups.chosen`."""
    ids = facts.ids
    if len(set(ids)) == len(ids):
        return facts
    best: dict[str, int] = {}
    for i, name in enumerate(ids):
        other = best.setdefault(name, i)
        if other != i and _age(shelf, facts, i) > _age(shelf, facts, other):
            best[name] = i
    alive = np.zeros(len(ids), dtype=bool)
    alive[list(best.values())] = True
    return replace(facts, order=facts.order[alive[facts.order]])


def _age(shelf: Shelf, facts: Facts, i: int) -> tuple[int, float, bytes]:
    moment, load = float(facts.instants[i]), int(shelf.columns["load"][i])
    gold = bool(shelf.columns["gold"][i])
    said = said_digest(shelf.text(i), facts.sources[i], facts.published[i], gold, facts.urls[i])
    return (load, -np.inf if np.isinf(moment) else moment, said)


def boilerplate(shelf: Shelf, nodes: Ints) -> dict[int, str]:
    """What is left to compare of documents that share edges with others of their source."""
    some = nodes[suspects(shelf.columns["edges"][nodes], np.arange(len(nodes)))]
    if not len(some):
        return {}
    sources = shelf.columns["sources"]
    held = Counter(map(sources.__getitem__, nodes.tolist()))
    return shared_edges(some.tolist(), lambda i: compared_text(shelf.text(i)), sources.__getitem__, held)


def candidates(shelf: Shelf, nodes: Ints, job: Job) -> Hashes:
    """Codes of the pairs of ranks that are worth a look, band by band."""
    settings = job.settings
    filled = np.flatnonzero(shelf.columns["sizes"][nodes] > 0)
    documents, figures = nodes[filled], shelf.columns["figures"][nodes][filled]

    def of(band: int) -> Hashes:
        return band_pairs(shelf.bands(band)[documents], filled, figures, settings.bucket)

    found: list[Hashes] = []
    held = 0
    with ThreadPoolExecutor(2) as pool:
        for codes in pool.map(of, range(settings.bands)):
            found.append(codes)
            held += len(codes)
            if held > _CODES:
                found = [united(found)]
                held = len(found[0])
            job.tick("candidates", 1)
    return united([*found, _by_sentences(shelf, nodes, job)])


def _by_sentences(shelf: Shelf, nodes: Ints, job: Job) -> Hashes:
    counts = shelf.columns["sentences"][nodes]
    runs = max(1, int(counts.sum()) // _SENTENCES)
    codes = [np.zeros(0, np.uint64)]
    for run in range(runs):
        keys, ranks = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for some in chunked(np.arange(len(nodes)), counts, _SENTENCES):
            own, _ = shelf.sentences(nodes[some])
            mine = own % np.uint64(runs) == run
            keys.append(own[mine])
            ranks.append(np.repeat(some, counts[some])[mine])
        codes.append(
            sentence_pairs(np.concatenate(keys), np.concatenate(ranks), job.settings.bucket, job.settings.sentences)
        )
    return telling(np.sort(np.concatenate(codes)), counts)


def verify_codes(shelf: Shelf, nodes: Ints, codes: Hashes, job: Job) -> Verified:
    """Verify pairs, some at a time, with the shingle sets they need."""
    found: list[Verified] = []
    sizes = shelf.columns["sizes"][nodes]
    later, earlier = apart(codes)
    for some in chunked(np.arange(len(codes)), sizes[later] + sizes[earlier], _LOADED):
        used = np.union1d(later[some], earlier[some])
        hashes, offsets = shelf.hashes(nodes[used])
        a, b = np.searchsorted(used, later[some]), np.searchsorted(used, earlier[some])
        shared = shared_counts(hashes, offsets, a, b)
        own, other = sizes[later[some]], sizes[earlier[some]]
        found.append(verified(later[some], earlier[some], shared, (own, other), job.settings))
        job.tick("verifying", len(some))
    return together(found)
