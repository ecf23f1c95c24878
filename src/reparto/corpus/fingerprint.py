"""Fingerprint: texts in, everything that finding and verifying copies needs out, text by text and in any order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.bands import band_keys
from reparto.corpus.sentences import sentence_keys
from reparto.corpus.settings import Settings
from reparto.kernels import fingerprint, native

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
# A signed message escapes the dashes of its lines: RFC 4880, section 7.1.
_SIGNATURE = re.compile(r"^(?:(?:- )?-- ?|_{5,}|-----BEGIN PGP SIGNATURE-----)[ \t]*$", re.MULTILINE)
_SIGNED = re.compile(r"\A\s*-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:Hash:.*\n)*")


@dataclass(frozen=True, slots=True, eq=False)
class Prints:
    """Fingerprints of n texts.

    `digests` (n, 2) and `characters` (n,) are those of the whole text; what is compared (of mail the new part) has
    `hashes` at offsets[i]:offsets[i+1], ascending and distinct, band keys `bands` (n, b), `sentences` at
    sentence_offsets[i]:sentence_offsets[i+1], and `figures` (n,).
    """

    digests: Hashes
    characters: Ints
    hashes: Hashes
    offsets: Ints
    bands: Hashes
    sentences: Hashes
    sentence_offsets: Ints
    figures: Hashes

    def __len__(self) -> int:
        """Number of texts."""
        return len(self.characters)

    def of(self, i: int) -> Hashes:
        """Shingle hashes of text i."""
        return self.hashes[self.offsets[i] : self.offsets[i + 1]]

    def take(self, chosen: Ints) -> Prints:
        """The fingerprints of some texts, in the order asked for."""
        hashes, offsets = gathered(self.hashes, self.offsets, chosen)
        sentences, sentence_offsets = gathered(self.sentences, self.sentence_offsets, chosen)
        return Prints(
            self.digests[chosen], self.characters[chosen], hashes, offsets, self.bands[chosen],
            sentences, sentence_offsets, self.figures[chosen],
        )  # fmt: skip

    def keys(self, i: int) -> tuple[Hashes, Hashes]:
        """Band keys and sentence keys of text i; no band keys where there is nothing to compare."""
        own = self.bands[i] if self.offsets[i + 1] > self.offsets[i] else self.bands[i, :0]
        return own, self.sentences[self.sentence_offsets[i] : self.sentence_offsets[i + 1]]


def compared_text(text: str) -> str:
    """What of a text is compared: of a message that quotes its new part without the signature, unless there is none."""
    if ">" not in text and ":" not in text:
        return text
    from reparto.groupings.mail import new_text  # with what selects: most texts quote nothing and need none of it

    new, quoted = new_text(text)
    if not quoted or not new.strip():
        return text
    unsigned = _SIGNATURE.split(_SIGNED.sub("", new), maxsplit=1)[0]
    return unsigned if unsigned.strip() else new


def prints(texts: Sequence[str], settings: Settings, compared: Sequence[str] | None = None) -> Prints:
    """Fingerprint each text; `compared` where something else than its new part stands for it. O(characters)."""
    own = list(compared) if compared is not None else [compared_text(text) for text in texts]
    sketches = fingerprint(own, settings.spec)
    digests, characters = sketches.digests, sketches.characters
    other = [i for i, (text, part) in enumerate(zip(texts, own, strict=True)) if text is not part and text != part]
    if other:
        whole = fingerprint([texts[i] for i in other], settings.spec)
        digests, characters = digests.copy(), characters.copy()
        digests[other], characters[other] = whole.digests, whole.characters
    offsets = np.ascontiguousarray(sketches.offsets, dtype=np.int64)
    keys = band_keys(sketches.hashes, offsets, settings.bands, settings.rows, settings.seed)
    said = sentence_keys(own, settings.seed)
    return Prints(digests, characters, sketches.hashes, offsets, keys, said.keys, said.offsets, said.figures)


def gathered(values: Hashes, offsets: Ints, chosen: Ints) -> tuple[Hashes, Ints]:
    """Some rows of a ragged array, in the order asked for, with their offsets. O(values taken)."""
    module = native()
    if module is not None:
        taken: tuple[Hashes, Ints] = module.gathered(values, offsets, chosen)
        return taken
    sizes = np.diff(offsets)[chosen]
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    at = np.repeat(offsets[:-1][chosen] - ends[:-1], sizes) + np.arange(int(ends[-1]))
    return values[at], ends


def joined(parts: Sequence[Prints]) -> Prints:
    """Fingerprints one after the other as one."""
    if len(parts) == 1:
        return parts[0]
    columns: dict[str, NDArray[Any]] = {}
    for field in fields(Prints):
        arrays = [getattr(part, field.name) for part in parts]
        columns[field.name] = _chained(arrays) if field.name.endswith("offsets") else np.concatenate(arrays)
    return Prints(**columns)


def _chained(offsets: Sequence[Ints]) -> Ints:
    ends = np.cumsum([0, *(int(one[-1]) for one in offsets)])
    return np.concatenate([[0], *(one[1:] + end for one, end in zip(offsets, ends, strict=False))]).astype(np.int64)
