"""Kernels of texts: comparison forms, sketches, overlaps, groups, facts. The native module, or the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.kernels._choice import native
from reparto.kernels.reference import facts as _facts
from reparto.kernels.reference import figures as _figures
from reparto.kernels.reference import form as _form
from reparto.kernels.reference import overlaps as _overlaps
from reparto.kernels.reference import sketch as _sketch
from reparto.kernels.reference import terms as _terms
from reparto.kernels.reference.facts import Disagreement, Verdict
from reparto.kernels.reference.figures import figures_apart
from reparto.kernels.reference.length import estimate_tokens
from reparto.kernels.reference.overlaps import Pairs
from reparto.kernels.reference.shingles import COLLAPSE, MEASURE, Window
from reparto.kernels.reference.sketch import Sketches, Spec, spec_of

__all__ = [
    "COLLAPSE",
    "MEASURE",
    "Disagreement",
    "Pairs",
    "Sketches",
    "Spec",
    "Verdict",
    "Window",
    "compare_form",
    "estimate_tokens",
    "facts",
    "figures_agree",
    "figures_apart",
    "fingerprint",
    "from_bytes",
    "overlaps",
    "resemblance",
    "revisions",
    "star",
    "term_sums",
    "terms",
]

_MANY = 256  # texts: from here on all processors work


def compare_form(text: str) -> str:
    """The form that texts are compared by; idempotent, and empty only where there is nothing to see.

    NFKC, case, invisible characters, typography, look-alike letters, marks on European letters and white space are
    folded; signs, digits, currency and the letters of every script stay. Lone surrogates stay. O(characters).
    """
    module: Any = native()
    if module is None or text.isascii():
        return _form.compare_form(text)
    form: bytes = module.forms([text])[0]
    return form.decode("utf-32-le", "surrogatepass")


def fingerprint(texts: Sequence[str], spec: Spec | None = None) -> Sketches:
    """Sketch each text: sorted shingle hashes (all of a passage, a sample of a long document), and an exact digest.

    One structure that gives resemblance and containment: A. Broder, "On the resemblance and containment of documents",
    1997. O(characters); the interpreter is released.
    """
    module: Any = native()
    spec = spec or Spec()
    if module is None:
        return _sketch.fingerprint(texts, spec)
    hashes, offsets, sizes, limits, digests, characters = module.fingerprint(
        list(texts),
        spec.window.words,
        spec.window.characters,
        spec.scale,
        spec.least,
        spec.seed,
        threads=0 if len(texts) >= _MANY else 1,
    )
    return Sketches(spec, hashes, offsets, sizes, limits, digests.reshape(-1, 2), characters)


def from_bytes(signatures: Sequence[bytes]) -> Sketches:
    """Read stored signatures, all of one spec. O(hashes).

    Raises InputError, naming every signature that is damaged, or made with another normaliser, window, scale or seed.
    """
    module: Any = native()
    found = module.read_signatures(list(signatures), Spec().header()[:8]) if module is not None else None
    if found is None:  # the reference says what is wrong
        return _sketch.from_bytes(signatures)
    hashes, offsets, sizes, limits, digests, characters = found
    return Sketches(spec_of(signatures[0]), hashes, offsets, sizes, limits, digests.reshape(-1, 2), characters)


def overlaps(sketches: Sketches, resemblance: float | None, containment: float | None) -> Pairs:
    """Pairs i < j of different forms that reach either threshold in 0..1 (`None` = not asked for), sorted.

    Of exact copies only the first takes part: see `Sketches.leaders`. Empty texts are in no pair. Inverted list with
    prefix filtering: Bayardo, Ma and Srikant, "Scaling up all pairs similarity search", 2007.
    """
    module: Any = native()
    if module is None:
        return _overlaps.overlaps(sketches, resemblance, containment)
    return Pairs(
        *module.overlaps(
            sketches.hashes,
            sketches.offsets,
            sketches.limits,
            np.ascontiguousarray(sketches.digests).reshape(-1),
            sketches.characters,
            resemblance,
            containment,
            threads=0 if len(sketches) >= _MANY else 1,
        )
    )


def star(
    n: int, pairs: Iterable[tuple[int, int]], accept: Callable[[int, int], bool] | None = None
) -> NDArray[np.int64]:
    """Star groups in rank order: the first unassigned text is a centre and takes what is paired with it.

    `pairs` are (i, j), i ranking before j; `accept(centre, other)` has the last word on each pair that is needed.
    Returns the centre of each text, (n,). O(n + pairs).
    """
    module: Any = native()
    if module is None or accept is not None:
        return _overlaps.star(n, pairs, accept)
    listed = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    centres: NDArray[np.int64] = module.star(n, listed[:, 0].copy(), listed[:, 1].copy())
    return centres


def facts(a: str, b: str) -> Verdict:
    """Compare what two near-identical texts state: a copy, or a revision with the disagreeing words. Symmetric in kind.

    Takes the original texts, since capitals tell names. Of a containment only the common part is compared.
    O(characters) and a bounded table for each pair of sentences.
    """
    module: Any = native()
    if module is None or not _encodable(a, b):
        return _facts.facts(a, b)
    return _facts.verdict([Disagreement(*one) for one in module.disagreements(a, b)])


def revisions(a: Sequence[str], b: Sequence[str]) -> NDArray[np.bool_]:
    """Of each pair a[i], b[i] whether it is a revision, as `facts` says, (n,). All processors; no interpreter held."""
    module: Any = native()
    if module is None or not _encodable(*a, *b):
        return np.array([_facts.facts(one, other).revision for one, other in zip(a, b, strict=True)], dtype=bool)
    found: NDArray[np.bool_] = module.revisions(list(a), list(b))
    return found


def figures_agree(a: str, b: str) -> bool:
    """Whether two texts that only vectors brought together (a paraphrase, a translation) can state the same.

    False when each has a figure, identifier, month or weekday that the other lacks. O(characters).
    """
    module: Any = native()
    if module is None or not _encodable(a, b):
        return _figures.figures_agree(a, b)
    return bool(module.figures_agree(a, b))


def terms(texts: Sequence[str], query: str = "") -> _terms.Columns:
    """Which distinct terms each of n texts holds, less those of the query: (terms, offsets, vocabulary).

    Those of text i are terms[offsets[i]:offsets[i + 1]], ascending, numbers below `vocabulary`. A term is a word of
    the comparison form, or four characters in a row where a script has no spaces. O(characters); the interpreter is
    released.
    """
    module: Any = native()
    if module is None:
        return _terms.terms(texts, query)
    found: _terms.Columns = module.terms(list(texts), query)
    return found


def term_sums(
    terms: NDArray[np.int64], offsets: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum of `weights` (vocabulary,) over each text's terms, in their order, (n,). O(terms)."""
    module: Any = native()
    if module is None:
        return _terms.term_sums(terms, offsets, weights)
    found: NDArray[np.float64] = module.term_sums(terms, offsets, weights)
    return found


def resemblance(a: str, b: str, window: Window = MEASURE) -> float:
    """Jaccard of the exact shingle sets of two texts, 0..1; 0 where either is empty. O(characters)."""
    both = fingerprint([a, b], Spec(window, scale=1))
    shared = len(np.intersect1d(both.of(0), both.of(1), assume_unique=True))
    return shared / max(1, int(both.sizes.sum()) - shared)


def _encodable(*texts: str) -> bool:
    """Whether UTF-8 can carry them: lone surrogates go to the reference."""
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError:
        return False
    return True
