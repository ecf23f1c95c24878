"""Similarity computed again, pair by pair: the largest cosine of like-named vectors, else shingle resemblance."""

from __future__ import annotations

import math
from functools import cache

from reparto.kernels.reference.form import compare_form
from reparto.kernels.reference.shingles import COLLAPSE, Window, forms, shingles, units
from reparto.verification.view import View


def shingle_set(text: str, window: Window) -> frozenset[int]:
    """The distinct shingles of a text."""
    hashes, _ = shingles(units(forms([text])), window)
    return frozenset(hashes.tolist())


def resemblance(a: frozenset[int], b: frozenset[int]) -> float:
    """Jaccard; 0 where one is empty."""
    return len(a & b) / len(a | b) if a and b else 0.0


def containment(inner: frozenset[int], outer: frozenset[int]) -> float:
    """Share of `inner` that `outer` has; 0 where `inner` is empty."""
    return len(inner & outer) / len(inner) if inner else 0.0


def same_form(a: str, b: str) -> bool:
    """Whether two texts are one in the comparison form, and not empty there."""
    form = compare_form(a)
    return bool(form) and form == compare_form(b)


def cosine(a: dict[str, list[float]], b: dict[str, list[float]]) -> float | None:
    """The largest cosine of like-named vectors, or None where there are none."""
    found = [_cosine(a[name], b[name]) for name in a.keys() & b.keys()]
    return max(found) if found else None


def _cosine(a: list[float], b: list[float]) -> float:
    one, two = (math.sqrt(math.fsum(x * x for x in vector)) for vector in (a, b))
    if not (0 < one < math.inf and 0 < two < math.inf):
        return _cosine([x / max(map(abs, a)) for x in a], [x / max(map(abs, b)) for x in b])
    return max(-1.0, min(1.0, math.fsum((x / one) * (y / two) for x, y in zip(a, b, strict=True))))


class Similar:
    """Similarity between entries of one record."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._texts = {seat["id"]: seat["text"] or "" for seat in view.seats}
        self.shingles = cache(self._shingles)

    def text(self, id: str) -> str:
        """The entry's text as delivered, or as sent."""
        return self._texts.get(id) or self._view.candidates[id].get("text", "")

    def _shingles(self, id: str) -> frozenset[int]:
        return shingle_set(self.text(id), COLLAPSE)

    def between(self, a: str, b: str) -> float:
        """Similarity of two entries in [-1, 1]."""
        near = cosine(self._view.candidates[a].get("vectors", {}), self._view.candidates[b].get("vectors", {}))
        return resemblance(self.shingles(a), self.shingles(b)) if near is None else near
