"""Blocks of JSON lines into parts, column by column and without an object of Python a document.

What the native reader takes is what `document_from` takes without a word: a block with a line that is not as plain
is read by that one, line by line. Both end in the same part.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.corpus.bands import coefficients
from reparto.corpus.boilerplate import quick_edges
from reparto.corpus.fingerprint import compared_text
from reparto.corpus.parts import Batch, Part, moments, packed, packed_credits, store_part, unpacked, write_part
from reparto.corpus.readers.lines import Lines
from reparto.corpus.sentences import LEAST, salted
from reparto.corpus.settings import Settings
from reparto.corpus.wire import ANY, EDGE, Credit, wire_credit
from reparto.documents import Document
from reparto.errors import Problem
from reparto.kernels import fingerprint, native

Ints = NDArray[np.int64]
Packed = tuple[NDArray[np.uint8], Ints, NDArray[np.bool_]]
_FIELDS = ("ids", "text", "sources", "published", "urls")


def write_lines(folder: Path, lines: Lines, settings: Settings, load: int = 0) -> Part:
    """Fingerprint the documents of a block and write them as a part. O(characters); the interpreter is released."""
    module = native()
    made = module.document_lines(lines.raw) if module is not None else None
    if made is None:
        return write_part(folder, _batch(lines), settings, load)
    fields: dict[str, Packed] = dict(zip(_FIELDS, made[0], strict=True))
    small, large = _columns(module, fields, settings)
    small["gold"] = made[1]
    meta = {"items": len(made[1]), "documents": len(made[1]), "load": load, "problems": []}
    return store_part(folder, small, large, fields["text"][0], meta)


def _batch(lines: Lines) -> Batch:
    items = list(lines)
    documents = tuple(one for one in items if isinstance(one, Document))
    return Batch(documents, tuple(one for one in items if isinstance(one, Problem)), len(lines))


def _columns(
    module: Any, fields: dict[str, Packed], settings: Settings
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    raw, offsets, _ = fields["text"]
    left = _left(raw, offsets)
    compared = _replaced(fields["text"], left) if left else fields["text"]
    multipliers, masks = coefficients(settings.slots, settings.seed)
    window = settings.spec.window
    asked = {
        "words": window.words, "characters": window.characters, "seed": settings.spec.seed,
        "multipliers": multipliers, "masks": masks, "rows": settings.rows,
        "least": LEAST, "sentence_seed": salted(settings.seed), "credit": ANY, "edge": EDGE,
    }  # fmt: skip
    # One thread: others are at the next blocks.
    hashes, ends, digests, characters, bands, said, said_ends, figures, edges, credited, unseen = (
        module.document_prints(compared, fields["sources"], asked, 1)
    )
    digests, edges = digests.reshape(-1, 2), edges.reshape(-1, 2)
    if left:
        rows = np.array(sorted(left), dtype=np.int64)
        whole = fingerprint([_text(raw, offsets, i) for i in rows.tolist()], settings.spec)
        digests[rows], characters[rows] = whole.digests, whole.characters
        credited[rows] = True
    for i in np.flatnonzero(unseen).tolist():
        source = _text(fields["sources"][0], fields["sources"][1], i)
        edges[i] = quick_edges([left.get(i) or _text(raw, offsets, i)], [source])[0]
    credits: list[Credit | None] = [None] * (len(offsets) - 1)
    for i in np.flatnonzero(credited).tolist():
        credits[i] = wire_credit(_text(raw, offsets, i))
    small = {
        "digests": digests, "characters": characters, "offsets": ends, "sentence_offsets": said_ends,
        "figures": figures, "edges": edges, "instants": moments(unpacked(*fields["published"])),
        "text_offsets": offsets, **packed_credits(credits),
    }  # fmt: skip
    for name in ("ids", "sources", "published", "urls"):
        small |= dict(zip((name, f"{name}_offsets", f"{name}_absent"), fields[name], strict=True))
    keys = bands.reshape(settings.bands, -1)
    return small, {"hashes": hashes, "bands": keys, "sentences": said}


def _left(raw: NDArray[np.uint8], offsets: Ints) -> dict[int, str]:
    """What is compared of the messages that quote, by row."""
    signs = np.flatnonzero((raw == ord(":")) | (raw == ord(">")))
    found: dict[int, str] = {}
    for i in np.unique(np.searchsorted(offsets, signs, side="right") - 1).tolist():
        text = _text(raw, offsets, i)
        own = compared_text(text)
        if own != text:
            found[i] = own
    return found


def _replaced(texts: Packed, left: dict[int, str]) -> Packed:
    raw, offsets, absent = texts
    own = [left[i] if i in left else _text(raw, offsets, i) for i in range(len(absent))]
    made = packed("text", own)
    return made["text"], made["text_offsets"], absent


def _text(raw: NDArray[np.uint8], offsets: Ints, row: int) -> str:
    return raw[offsets[row] : offsets[row + 1]].tobytes().decode()
