"""Parts: fingerprinted documents on disk, a folder for some thousands, written in one step and read column by column.

What is needed of every document at once (ids, dates, digests) is small and is loaded; texts, shingles and band
keys stay
on disk and are read where they are needed. A part is written under another name and renamed when it is whole.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.boilerplate import quick_edges
from reparto.corpus.columns import Columns, write_columns
from reparto.corpus.fingerprint import Prints, compared_text, gathered, prints
from reparto.corpus.settings import Settings
from reparto.corpus.wire import Credit, wire_credits
from reparto.documents import Document, instant
from reparto.errors import Problem
from reparto.kernels import native

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
_STRINGS = ("ids", "sources", "published", "urls", "credits")
_FEW = ("sources", "credits")  # the same strings again and again


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents read together, what was skipped among them, and how many items of the input that were."""

    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]
    items: int


def write_part(folder: Path, batch: Batch, settings: Settings, load: int = 0) -> Part:
    """Fingerprint a batch and write it. O(characters)."""
    texts = [one.text for one in batch.documents]
    compared = [compared_text(text) for text in texts]
    found = prints(texts, settings, compared)
    credits = wire_credits(texts)
    sources = [one.source for one in batch.documents]
    small = {
        "digests": found.digests,
        "characters": found.characters,
        "offsets": found.offsets,
        "sentence_offsets": found.sentence_offsets,
        "figures": found.figures,
        "edges": quick_edges(compared, sources),
        "instants": moments([one.published for one in batch.documents]),
        "gold": np.array([one.tier == "gold" for one in batch.documents], dtype=bool),
        **packed("ids", [one.id for one in batch.documents]),
        **packed("sources", sources),
        **packed("published", [one.published for one in batch.documents]),
        **packed("urls", [one.url for one in batch.documents]),
        **packed_credits(credits),
    }
    text = packed("text", texts)
    small["text_offsets"] = text["text_offsets"]
    large = {
        "hashes": found.hashes, "bands": np.ascontiguousarray(found.bands.T), "sentences": found.sentences,
    }  # fmt: skip
    meta: dict[str, Any] = {"items": batch.items, "documents": len(texts), "load": load}
    meta["problems"] = [one.to_dict() for one in batch.problems]
    return store_part(folder, small, large, text["text"], meta)


def store_part(
    folder: Path, small: Mapping[str, NDArray[Any]], large: Mapping[str, NDArray[Any]], text: NDArray[np.uint8],
    meta: Mapping[str, Any],
) -> Part:  # fmt: skip
    """Write the columns of a part: those that are loaded, those that are read where they are needed, and the texts."""
    making = folder.with_name(folder.name + ".tmp")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    write_columns(making, small, large)
    text.tofile(making / "text.bin")
    (making / "meta.json").write_text(json.dumps(meta), "utf-8")
    os.replace(making, folder)
    return Part(folder)


def moments(published: Sequence[str | None]) -> NDArray[np.float64]:
    """Seconds since 1970; infinity where there is no date."""
    dates = {one: instant(one) for one in set(published)}
    known = {one: np.inf if moment is None else moment for one, moment in dates.items()}
    return np.fromiter(map(known.__getitem__, published), dtype=np.float64, count=len(published))


def packed_credits(credits: Sequence[Credit | None]) -> dict[str, NDArray[Any]]:
    """Credits as a part stores them; see `credit`."""
    return packed("credits", [None if one is None else f"{one.agency}\t{one.by}" for one in credits])


def packed(name: str, values: Sequence[str | None]) -> dict[str, NDArray[Any]]:
    """Strings as bytes and offsets; None as a length of -1 in the mask."""
    absent = np.fromiter((value is None for value in values), dtype=bool, count=len(values))
    plain = ["" if value is None else value for value in values] if absent.any() else cast("Sequence[str]", values)
    joined = "".join(plain)
    if joined.isascii():
        raw, lengths = joined.encode("ascii"), map(len, plain)
    else:
        own = [one.encode("utf-8", "surrogatepass") for one in plain]
        raw, lengths = b"".join(own), map(len, own)
    sizes = np.fromiter(lengths, dtype=np.int64, count=len(plain))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return {name: np.frombuffer(raw, dtype=np.uint8), f"{name}_offsets": offsets, f"{name}_absent": absent}


class Part:
    """One part as it lies on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def meta(self) -> dict[str, Any]:
        """`items` read for it, `documents`, and the `problems` among them."""
        loaded: dict[str, Any] = json.loads((self.folder / "meta.json").read_text("utf-8"))
        return loaded

    def __len__(self) -> int:
        """Number of documents."""
        return int(self.meta["documents"])

    @property
    def load(self) -> int:
        """Which load of a state it belongs to, counted from 0."""
        return int(self.meta["load"])

    @cached_property
    def _arrays(self) -> Columns:
        return Columns(self.folder)

    def columns(self) -> dict[str, Any]:
        """Everything small: arrays, and lists of strings."""
        loaded: dict[str, Any] = dict(self._arrays.together())
        for name in _STRINGS:
            held = (loaded.pop(name), loaded.pop(f"{name}_offsets"), loaded.pop(f"{name}_absent"))
            loaded[name] = unpacked(*held, few=name in _FEW)
        return loaded

    def array(self, name: str) -> NDArray[Any]:
        """One of the arrays, mapped."""
        return self._arrays.mapped(name)

    def bands(self) -> Hashes:
        """Band keys, (bands, n), mapped."""
        return self.array("bands")

    def hashes(self, rows: Ints) -> tuple[Hashes, Ints]:
        """Shingle sets of some rows, with offsets."""
        return gathered(self.array("hashes"), self.array("offsets"), rows)

    def sentences(self, rows: Ints) -> tuple[Hashes, Ints]:
        """Sentence keys of some rows, with offsets."""
        return gathered(self.array("sentences"), self.array("sentence_offsets"), rows)

    @cached_property
    def _offsets(self) -> Ints:
        return self.array("text_offsets")

    @cached_property
    def _text(self) -> int:
        return os.open(self.folder / "text.bin", os.O_RDONLY)

    def text(self, row: int) -> str:
        """The text of a row."""
        start, end = int(self._offsets[row]), int(self._offsets[row + 1])
        return os.pread(self._text, end - start, start).decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Let go of the file of texts."""
        if "_text" in self.__dict__:
            os.close(self.__dict__.pop("_text"))


def unpacked(raw: NDArray[np.uint8], offsets: Ints, absent: NDArray[np.bool_], few: bool = False) -> list[str | None]:
    """The strings that `packed` made bytes of; with `few`, equal ones are one object."""
    if absent.all():
        return [None] * len(absent)
    module = native()
    if module is not None:
        try:
            found: list[str | None] = module.unpacked((raw, offsets, absent), few)
            return found
        except ValueError:  # a lone surrogate among them
            pass
    joined, pairs = raw.tobytes(), itertools.pairwise(offsets.tolist())
    values: list[str | None] = [joined[low:high].decode("utf-8", "surrogatepass") for low, high in pairs]
    for at in np.flatnonzero(absent).tolist():
        values[at] = None
    known: dict[str | None, str | None] = {}
    return list(map(known.setdefault, values, values)) if few else values


def parts_of(folder: Path) -> list[Part]:
    """The whole parts of a folder, in order, up to the first that is missing."""
    found: list[Part] = []
    while (folder / f"{len(found):06d}" / "meta.json").exists():
        found.append(Part(folder / f"{len(found):06d}"))
    return found


def batches(documents: Iterator[Document | Problem], most: int, characters: int) -> Iterator[Batch]:
    """Documents some at a time, bounded in number and in characters."""
    some: list[Document] = []
    problems: list[Problem] = []
    size = items = 0
    for one in documents:
        items += 1
        if isinstance(one, Problem):
            problems.append(one)
            continue
        some.append(one)
        size += len(one.text)
        if len(some) >= most or size >= characters:
            yield Batch(tuple(some), tuple(problems), items)
            some, problems, size, items = [], [], 0, 0
    if items:
        yield Batch(tuple(some), tuple(problems), items)


def credit(stored: str | None) -> Credit | None:
    """A credit as a part stores it."""
    return None if stored is None else Credit(*stored.split("\t"))


__all__ = [
    "Batch", "Part", "Prints", "batches", "credit", "moments", "packed", "packed_credits", "parts_of", "store_part",
    "unpacked", "write_part",
]  # fmt: skip
