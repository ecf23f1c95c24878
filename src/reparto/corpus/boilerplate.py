"""Boilerplate: first and last sentences that many texts of one source share and then go on differently.

What a site puts around its stories is no evidence that two of them are the same. An edge counts as such by its
*document frequency* within the source, over distinct texts: twenty texts, or five that are more than half of the
source's. It must also branch: copies of one story share their first sentences too, and then the next one as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import xxhash
from numpy.typing import NDArray

from reparto.corpus.sentences import segments
from reparto.kernels import compare_form

LEAST, MANY = 5, 20  # distinct texts with an edge: more than half of the source's, and however many it has
BRANCHING = 0.8  # of them that must go on in their own way
DEPTH = 24  # sentences or lines of an edge, at most
_EDGE = 16  # characters of the quick look

Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]


def quick_edges(texts: Sequence[str], sources: Sequence[str | None]) -> Hashes:
    """A hash of the source and the first characters of each text, and one of its last, (n, 2); 0 without a source."""
    found = np.zeros((len(texts), 2), dtype=np.uint64)
    digest = xxhash.xxh3_64_intdigest
    for i, (text, source) in enumerate(zip(texts, sources, strict=True)):
        if source is not None:
            head, tail = text[: 4 * _EDGE].lstrip()[:_EDGE], text[-4 * _EDGE :].rstrip()[-_EDGE:]
            found[i, 0] = digest(f"<{source}\0{head.casefold()}".encode("utf-8", "surrogatepass"))
            found[i, 1] = digest(f">{source}\0{tail.casefold()}".encode("utf-8", "surrogatepass"))
    return found


def suspects(edges: Hashes, distinct: Ints) -> Ints:
    """Indices of the texts that begin or end like four others of their source; `distinct` are those to count."""
    marked = np.zeros(len(edges), dtype=bool)
    for side in range(2):
        own = edges[:, side]
        values, counts = np.unique(own[distinct], return_counts=True)
        often = values[(counts >= LEAST) & (values != 0)]
        if len(often):
            at = np.minimum(np.searchsorted(often, own), len(often) - 1)
            marked |= often[at] == own
    return np.flatnonzero(marked)


def shared_edges(
    members: Iterable[int], text: Callable[[int], str], source: Callable[[int], str | None], held: Counter[str]
) -> dict[int, str]:
    """What is left of each text that has boilerplate, by index.

    `members` are suspects, one a distinct text; `held` counts the distinct texts of each source.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for i in members:
        name = source(i)
        if name is not None:
            groups[name].append(i)
    left: dict[int, str] = {}
    for name, some in groups.items():
        rows = {i: _lines(text(i)) for i in some}
        heads = _depths(rows, held[name])
        feet = _depths({i: row[::-1] for i, row in rows.items()}, held[name])
        for i, row in rows.items():
            head, foot = heads.get(i, 0), feet.get(i, 0)
            if (head or foot) and head + foot < len(row):
                left[i] = "\n".join(row[head : len(row) - foot])
    return left


def _lines(text: str) -> list[str]:
    return [one for one in (part.strip() for part in segments(text)) if one]


def _depths(rows: dict[int, list[str]], held: int) -> dict[int, int]:
    """How many first sentences of each row are boilerplate."""
    found: dict[int, int] = {}
    alive: dict[int, int] = dict.fromkeys(rows, 0)
    for depth in range(DEPTH):
        groups: dict[int, list[int]] = defaultdict(list)
        for i, prefix in alive.items():
            if len(rows[i]) > depth + 1:
                groups[_extended(prefix, rows[i][depth])].append(i)
        alive = {}
        for prefix, some in groups.items():
            if len(some) < LEAST:
                continue
            alive.update(dict.fromkeys(some, prefix))
            if len(some) < MANY and 2 * len(some) <= held:
                continue
            following = {_extended(0, rows[i][depth + 1]) for i in some}
            if len(following) >= BRANCHING * len(some):
                found.update(dict.fromkeys(some, depth + 1))
        if not alive:
            break
    return found


def _extended(prefix: int, sentence: str) -> int:
    form = compare_form(sentence).encode("utf-8", "surrogatepass")
    return xxhash.xxh3_64_intdigest(form, seed=prefix)
