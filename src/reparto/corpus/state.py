"""State: what a run leaves so that documents can be added later. Keys sorted for look-up, and who stood for whom.

The index is a list of segments; a document counts in the segment that `segment_of` names, so a segment is never written
again. A state is committed by renaming one file: a kill at any moment leaves the one before.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from reparto.corpus.leaders import NONE, Assigned

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
MOST_SEGMENTS, MOST_ADDED = 12, 0.3  # beyond, the index is written anew


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """By number of the document: `nodes` are those that stood for a text, in any order, with their places beside them.

    `left` is what was compared of documents with boilerplate.
    """

    nodes: Ints
    leader: Ints
    resemblance: NDArray[np.float64]
    contained: NDArray[np.float64]
    revision_of: Ints
    segment_of: NDArray[np.int16]
    segments: tuple[str, ...]
    left: dict[int, str]


def read_state(folder: Path) -> State | None:
    """The committed state of a folder; None where there is none."""
    if not (folder / "state.npz").exists():
        return None
    with np.load(folder / "state.npz") as stored:
        arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
    raw, ends = arrays.pop("left_texts").tobytes(), [0, *arrays.pop("left_ends").tolist()]
    numbers = arrays.pop("left_numbers").tolist()
    texts = [raw[low:high].decode("utf-8", "surrogatepass") for low, high in pairwise(ends)]
    segments = tuple(str(one) for one in arrays.pop("segments"))
    return State(segments=segments, left=dict(zip(numbers, texts, strict=True)), **arrays)


def write_state(folder: Path, state: State) -> None:
    """Commit a state, and remove the segments that it does not name."""
    texts = [one.encode("utf-8", "surrogatepass") for one in state.left.values()]
    making = folder / "state.tmp.npz"
    np.savez(
        making,
        nodes=state.nodes, leader=state.leader, resemblance=state.resemblance, contained=state.contained,
        revision_of=state.revision_of, segment_of=state.segment_of, segments=np.array(state.segments, dtype="U32"),
        left_numbers=np.array(list(state.left), dtype=np.int64), left_texts=np.frombuffer(b"".join(texts), np.uint8),
        left_ends=np.cumsum([len(one) for one in texts], dtype=np.int64),
    )  # fmt: skip
    os.replace(making, folder / "state.npz")
    for other in (folder / "index").iterdir():
        if other.name not in state.segments:
            shutil.rmtree(other)


def state_of(
    nodes: Ints, assigned: Assigned, segment_of: NDArray[np.int16], segments: tuple[str, ...], left: dict[int, str]
) -> State:
    """A state from an assignment by rank."""
    revised = assigned.revision_of
    return State(
        nodes, nodes[assigned.leader], assigned.resemblance, assigned.contained,
        np.where(revised == NONE, NONE, nodes[revised]), segment_of, segments, left,
    )  # fmt: skip


class Segment:
    """Keys of some documents, sorted, mapped from disk: band keys (bands, m), and sentence keys."""

    def __init__(self, folder: Path) -> None:
        def load(name: str) -> Any:
            return np.load(folder / f"{name}.npy", mmap_mode="r")

        self._bands, self._documents = load("bands"), load("documents")
        self._said, self._sayers = load("said"), load("sayers")

    def __len__(self) -> int:
        """Documents with band keys."""
        return int(self._bands.shape[1])

    def in_band(self, band: int, wanted: Hashes) -> tuple[Hashes, Ints]:
        """(key, document) of the documents with one of the wanted keys (ascending, distinct)."""
        return _found(self._bands[band], self._documents[band], wanted)

    def saying(self, wanted: Hashes) -> tuple[Hashes, Ints]:
        """(key, document) of the documents with one of the wanted sentences."""
        return _found(self._said, self._sayers, wanted)


def _found(keys: Hashes, documents: NDArray[np.uint32], wanted: Hashes) -> tuple[Hashes, Ints]:
    low = np.searchsorted(keys, wanted, "left")
    there = low < len(keys)
    there[there] = keys[low[there]] == wanted[there]
    wanted, low = wanted[there], low[there]
    sizes = np.searchsorted(keys, wanted, "right") - low
    at = np.repeat(low - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
    return np.repeat(wanted, sizes), np.asarray(documents[at]).astype(np.int64)


def write_segment(
    folder: Path, bands: int, band: Callable[[int], Hashes], documents: Ints, said: Hashes, sayers: Ints
) -> None:
    """Write a segment: `band(b)` gives the keys of `documents` in band b. Documents are below 2^32."""
    making = folder.with_name(f"{folder.name}.tmp")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    shape = (bands, len(documents))
    keys = open_memmap(making / "bands.npy", mode="w+", dtype=np.uint64, shape=shape)
    owners = open_memmap(making / "documents.npy", mode="w+", dtype=np.uint32, shape=shape)
    for number in range(bands if len(documents) else 0):
        own = band(number)
        order = np.argsort(own)
        keys[number], owners[number] = own[order], documents[order]
    del keys, owners
    order = np.argsort(said)
    np.save(making / "said.npy", said[order])
    np.save(making / "sayers.npy", sayers[order].astype(np.uint32))
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(making, folder)
