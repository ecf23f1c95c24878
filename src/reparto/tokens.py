"""Counters of length: what a budget is counted in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reparto.kernels import estimate_tokens
from reparto.model import Candidate

COUNTERS: Mapping[str, Callable[[str], int]] = {
    "estimate": estimate_tokens,
    "characters": len,
    "words": lambda text: len(text.split()),
}


def counter_of(counter: str | Callable[[str], int]) -> Callable[[str], int]:
    """The function behind a counter's name; a function stands for itself."""
    return COUNTERS[counter] if isinstance(counter, str) else counter


def length(candidate: Candidate, counter: str | Callable[[str], int]) -> int:
    """A candidate's length. Its own declared `tokens` count under `estimate` only."""
    if counter == "estimate" and candidate.tokens is not None:
        return candidate.tokens
    return int(counter_of(counter)(candidate.text))
