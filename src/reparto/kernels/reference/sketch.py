"""Sketches: one structure that gives resemblance and containment, exact for passages and sampled for long documents.

The sketch of a text is the ascending list of its distinct 64-bit shingle hashes up to a limit: all of them when there
are at most `least`, else every hash below 2^64 / `scale` and at least the `least` smallest. Hashes are uniform, so
below the smaller of two limits both lists are complete, and what they share there estimates what the texts share
(Broder 1997; Irber et al. 2022 call the modulo part FracMinHash). Two exact sketches give exact values.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

from reparto.errors import InputError, Problem
from reparto.kernels.reference.form import NORMALISER
from reparto.kernels.reference.shingles import COLLAPSE, Hashes, Offsets, Window, forms, shingles, units

_MAGIC = b"RPSK"
_HEADER = struct.Struct("<4sHHHHHIQ")  # magic, format, normaliser, words, characters, scale, least, seed
_BODY = struct.Struct("<QQQQQQ")  # characters, distinct shingles, limit, digest (two halves), stored hashes
_ALL = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Spec:
    """What a signature was made with; only signatures of one spec can be compared.

    `scale` keeps one hash in so many of a long text, `least` is how many are always kept, `seed` makes the sample
    unpredictable to who writes the texts.
    """

    window: Window = COLLAPSE
    scale: int = 16
    least: int = 1024
    seed: int = 0
    normaliser: int = NORMALISER

    def header(self) -> bytes:
        """The first bytes of every stored signature."""
        return _HEADER.pack(
            _MAGIC,
            1,
            self.normaliser,
            self.window.words,
            self.window.characters,
            self.scale,
            self.least,
            self.seed,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sketches:
    """Sketches of n texts.

    `hashes` (m,) uint64, those of text i ascending at offsets[i]:offsets[i+1]; `sizes` (n,) distinct shingles;
    `limits` (n,) uint64, up to which (inclusive) the hashes are complete; `digests` (n, 2) uint64, XXH3-128 of the
    form in UTF-32LE; `characters` (n,) of the form, 0 = nothing to compare.
    """

    spec: Spec
    hashes: Hashes
    offsets: Offsets
    sizes: NDArray[np.int64]
    limits: Hashes
    digests: Hashes
    characters: NDArray[np.int64]

    def __len__(self) -> int:
        """Number of texts."""
        return len(self.sizes)

    def of(self, i: int) -> Hashes:
        """The hashes of text i."""
        return self.hashes[self.offsets[i] : self.offsets[i + 1]]

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> Sketches:
        """The sketches of some of the texts, in this order. O(their hashes)."""
        at = np.asarray(rows, dtype=np.int64)
        sizes = np.diff(self.offsets)[at]
        offsets = np.zeros(len(at) + 1, dtype=np.int64)
        np.cumsum(sizes, out=offsets[1:])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
        hashes = self.hashes[np.repeat(self.offsets[at], sizes) + within]
        return Sketches(
            self.spec, hashes, offsets, self.sizes[at], self.limits[at], self.digests[at], self.characters[at]
        )

    @classmethod
    def joined(cls, parts: Sequence[Sketches]) -> Sketches:
        """The sketches of several, one after the other; all of one spec (`ValueError` otherwise). O(hashes)."""
        if len({part.spec for part in parts}) != 1:
            raise ValueError("sketches of different specs cannot be compared, so they are not joined")
        offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))])
        columns = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("sizes", "limits", "digests", "characters")
        )
        hashes = np.concatenate([part.hashes for part in parts])
        return cls(parts[0].spec, hashes, offsets.astype(np.int64), *columns)

    def leaders(self) -> NDArray[np.int64]:
        """For each text the first one with the same form, (n,); its own index where there is none or it is empty."""
        halves = np.sort(self.digests[:, 0])
        if not (halves[1:] == halves[:-1]).any():
            return np.arange(len(self))
        first: dict[tuple[int, int], int] = {}
        digests = zip(self.digests[:, 0].tolist(), self.digests[:, 1].tolist(), strict=True)
        return np.array(
            [
                first.setdefault(digest, i) if characters else i
                for i, (digest, characters) in enumerate(zip(digests, self.characters.tolist(), strict=True))
            ],
            dtype=np.int64,
        )

    def to_bytes(self, i: int) -> bytes:
        """The stored signature of text i: header, sizes, digest, hashes; little-endian."""
        mine = self.of(i)
        body = _BODY.pack(
            int(self.characters[i]),
            int(self.sizes[i]),
            int(self.limits[i]),
            *map(int, self.digests[i]),
            len(mine),
        )
        return self.spec.header() + body + mine.astype("<u8").tobytes()


def fingerprint(texts: Sequence[str], spec: Spec | None = None) -> Sketches:
    """Sketch each text. Lone surrogates are characters like others. O(characters)."""
    spec = spec or Spec()
    of = forms(texts)
    hashes, bounds = shingles(units(of), spec.window, spec.seed)
    for i in range(len(texts)):
        hashes[bounds[i] : bounds[i + 1]].sort()
    fresh = np.ones(len(hashes), dtype=bool)
    fresh[1:] = hashes[1:] != hashes[:-1]
    fresh[bounds[:-1][bounds[:-1] < bounds[1:]]] = True
    offsets = np.concatenate([[0], np.cumsum(fresh)])[bounds]
    sizes = np.diff(offsets)
    sketches = Sketches(
        spec, hashes[fresh], offsets, sizes, np.full(len(texts), _ALL, dtype=np.uint64),
        _digests(of.codes, of.offsets), np.diff(of.offsets),
    )  # fmt: skip
    return _sampled(sketches) if (sizes > spec.least).any() else sketches


def _digests(codes: NDArray[np.uint32], offsets: Offsets) -> Hashes:
    raw, at = codes.astype("<u4", copy=False).tobytes(), (offsets * 4).tolist()
    joined = b"".join(xxhash.xxh3_128_digest(raw[low:high]) for low, high in itertools.pairwise(at))
    return np.frombuffer(joined, dtype=">u8").astype(np.uint64).reshape(-1, 2)


def _sampled(full: Sketches) -> Sketches:
    bound = np.uint64(_ALL // full.spec.scale)
    limits, keep = full.limits.copy(), []
    for i, size in enumerate(full.sizes):
        mine = full.of(i)
        if size > full.spec.least:
            limits[i] = max(bound, mine[full.spec.least - 1])
            mine = mine[: np.searchsorted(mine, limits[i], side="right")]
        keep.append(mine)
    offsets = np.concatenate([[0], np.cumsum([len(mine) for mine in keep])]).astype(np.int64)
    return Sketches(full.spec, np.concatenate(keep), offsets, full.sizes, limits, full.digests, full.characters)


def from_bytes(signatures: Sequence[bytes]) -> Sketches:
    """Read stored signatures, all of one spec.

    Raises InputError, naming every signature that is damaged, or made with another normaliser, window, scale or seed.
    """
    problems: list[Problem] = []
    rows: list[tuple[tuple[int, ...], Hashes]] = []
    header = signatures[0][: _HEADER.size] if signatures else Spec().header()
    for number, raw in enumerate(signatures):
        fault = _fault(raw, header)
        if fault:
            message = f"signature {number}: {fault}"
            problems.append(Problem("bad_signature", message, "fingerprint the text again", field="signature"))
        else:
            body = _BODY.unpack_from(raw, _HEADER.size)
            rows.append((body, np.frombuffer(raw, "<u8", offset=_HEADER.size + _BODY.size)))
    if problems:
        raise InputError(problems)
    numbers = np.array([row[0] for row in rows], dtype=np.uint64).reshape(-1, 6)
    offsets = np.concatenate([[0], np.cumsum([len(row[1]) for row in rows])]).astype(np.int64)
    hashes = np.concatenate([np.zeros(0, np.uint64), *(row[1] for row in rows)]).astype(np.uint64)
    return Sketches(
        spec_of(header), hashes, offsets,
        numbers[:, 1].astype(np.int64), numbers[:, 2].copy(), numbers[:, 3:5].copy(), numbers[:, 0].astype(np.int64),
    )  # fmt: skip


def spec_of(signature: bytes) -> Spec:
    """What a sound signature was made with, read from its header."""
    _, _, normaliser, words, characters, scale, least, seed = _HEADER.unpack_from(signature)
    return Spec(Window(words, characters), scale, least, seed, normaliser)


def _fault(raw: bytes, header: bytes) -> str | None:
    if len(raw) < _HEADER.size + _BODY.size or raw[:4] != _MAGIC:
        return "not a signature of reparto"
    if raw[:6] != Spec().header()[:6]:
        return f"format {int.from_bytes(raw[4:6], 'little')} is not known here"
    if raw[: _HEADER.size] != header:
        return "made with other settings than the first one (normaliser, window, scale, least or seed)"
    if int.from_bytes(raw[6:8], "little") != NORMALISER:
        return "made by another version of the comparison form"
    _, distinct, limit, _, _, stored = _BODY.unpack_from(raw, _HEADER.size)
    start = _HEADER.size + _BODY.size
    if len(raw) != start + 8 * stored or distinct < stored:
        return "its length does not fit its contents"
    hashes = np.frombuffer(raw, dtype="<u8", offset=start)
    if stored and not ((hashes[1:] > hashes[:-1]).all() and hashes[-1] <= limit):
        return "its hashes are not in order"
    return None
