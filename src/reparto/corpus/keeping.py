"""Keeping: what a run hands to the next one, and what the next one must know of what it replaces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.increment import Increment, Keys
from reparto.corpus.job import Job
from reparto.corpus.leaders import Assigned
from reparto.corpus.settings import Settings
from reparto.corpus.shelf import Shelf
from reparto.corpus.state import MOST_ADDED, MOST_SEGMENTS, State, state_of, write_segment, write_state

Ints = NDArray[np.int64]


def gone_keys(shelf: Shelf, nodes: Ints, left: dict[int, str], before: State, settings: Settings) -> Keys:
    """Keys, as they were, of documents that stood for a text and no longer do, or are compared otherwise now."""
    stands = np.zeros(len(shelf), dtype=bool)
    stands[nodes] = True
    changed = [i for i in left.keys() | before.left.keys() if left.get(i) != before.left.get(i)]
    stands[changed] = False
    gone = before.nodes[~stands[before.nodes]]
    shelf.redo({i: before.left[i] for i in gone.tolist() if i in before.left}, settings)
    return shelf.keys(gone)


def keep_state(
    shelf: Shelf, job: Job, nodes: Ints, assigned: Assigned, left: dict[int, str],
    before: State | None, increment: Increment | None,
) -> None:  # fmt: skip
    """Write what the next run needs: a segment of what came, or the whole index. `shelf` compares as it does now."""
    segments: tuple[str, ...] = ()
    segment_of, fresh = np.full(len(shelf), -1, dtype=np.int16), nodes
    if before is not None and increment is not None:
        held = len(nodes) - len(increment.added)
        if len(before.segments) < MOST_SEGMENTS and len(increment.added) <= MOST_ADDED * held:
            segments, fresh = before.segments, increment.added
            segment_of[: len(increment.segment_of)] = increment.segment_of
    name = _unused(job.work)
    filled = fresh[shelf.columns["sizes"][fresh] > 0]
    own = None if len(fresh) == len(nodes) else shelf.keys(filled)
    said, offsets = shelf.sentences(fresh)
    write_segment(
        job.work / "index" / name, job.settings.bands,
        lambda band: shelf.bands(band)[filled] if own is None else own.bands[:, band],
        filled, said, np.repeat(fresh, np.diff(offsets)),
    )  # fmt: skip
    segment_of[fresh] = len(segments)
    write_state(job.work, state_of(nodes, assigned, segment_of, (*segments, name), left))


def _unused(work: Path) -> str:
    """A name of a segment that no state uses."""
    folder = work / "index"
    folder.mkdir(exist_ok=True)
    return f"{max((int(one.name) + 1 for one in folder.iterdir() if one.name.isdigit()), default=0):06d}"
