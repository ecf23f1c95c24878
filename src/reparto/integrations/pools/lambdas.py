"""Lambda of this project, and what other systems call it. Ours is the literature's: 1 is relevance only."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def same(lam: float) -> float:
    """The other system's knob turns the same way."""
    return lam


def opposite(lam: float) -> float:
    """The other system's knob is the weight of diversity."""
    return 1.0 - lam


# Name -> from our lambda to theirs. Both maps are their own inverse.
TO_THEIRS: Mapping[str, Callable[[float], float]] = {
    "langchain": same,  # lambda_mult: 0 is maximum diversity, 1 minimum
    "llama_index": same,  # mmr_threshold
    "elasticsearch": same,  # diversify.lambda: 1.0 is relevance
    "opensearch": opposite,  # mmr.diversity: towards 1, more diversity
    "qdrant": opposite,  # mmr.diversity
    "weaviate": same,
    "pyversity": opposite,  # diversity
}


def to_theirs(system: str, lam: float) -> float:
    """Our lambda as another system's knob; an unknown system raises `UnknownNameError` with the known ones."""
    from reparto.errors import UnknownNameError

    if system not in TO_THEIRS:
        raise UnknownNameError("system", system, sorted(TO_THEIRS))
    return TO_THEIRS[system](lam)
