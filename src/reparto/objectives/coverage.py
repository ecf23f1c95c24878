"""Coverage: new information per seat.

Terms stand for the facts of a text, weighted by how rare they are in the pool and fading with every seat that
holds them (D. Gillick and B. Favre, "A scalable global model for summarization", ILP-NLP 2009); a passage also
stands for those near it, and what a seat stands for already is not counted again: facility location (H. Lin and
J. Bilmes, "A class of submodular functions for document summarization", ACL 2011). Where the numbers come from:
docs/decisions/0050 and after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from reparto.kernels.covering import Prepared, stood_for
from reparto.model import Floats
from reparto.objectives import Ground
from reparto.objectives._head import kinship, relevance_at_head
from reparto.objectives._seated import SeatedRun
from reparto.objectives._terms import Terms, terms_of

WIDTH = 0.16
"""Cosines fall off by e over this distance when one passage stands for another."""
HALF = 11.0
"""Terms a passage at which novelty has half its say: of a handful of words, the new ones are mostly wording."""
BEND = 3.0
COMMON = 0.3
"""Terms of a smaller idf, in three passages of four, say nothing."""
LEAN_MASS, LEAN_BAND = 1.1, 0.6
"""What `mass` and `band` become where the budget pays for half of the first k or less: then length is scarce, not
seats, so what counts is the share of a passage that is new, and no word is spent on saying a thing twice."""
REACH = 512
"""A passage stands for at most so many of the best: keeps a seat O(n) on large pools."""
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Coverage:
    """Value = relevance^l * novelty^(1 - l) * breadth^phi * (1 - redundancy) * kinship, in 0..1.

    * relevance: read against the spread of the pool's head (`_head`).
    * kinship: 1, or less for what is unlike the head of the pool (`_head`).
    * novelty: sum over the passage's terms of idf * decay^(seats that hold the term), over (its own idf
      mass)^u, over the largest value before the first seat. Terms of the query do not count.
    * l = 1 - (1 - lambda) * c and u = 1 - (1 - mass) * c, with c = 1 / (1 + (HALF / m)^BEND) and m the pool's
      mean number of terms, weighted by relevance: among short passages novelty says less, and length nothing.
    * breadth: sum over the pool, once for each outlet that carries a passage, of relevance * max(0,
      exp((cosine - 1) / WIDTH) - the same to the nearest seat), over the largest value before the first seat.
    * redundancy: the largest cosine to a seat, rescaled from `band`..1 to 0..1.

    Where a pair has no vectors, shingle resemblance takes the cosine's place. All factors are finite for any
    texts, any language, no vectors, no spread. No value rises as seats are taken. Under a budget that is
    scarcer than the seats `mass` and `band` move towards 1.1 and .6.
    """

    name: ClassVar[str] = "coverage"
    falling: ClassVar[bool] = True
    lam: float = field(
        default=0.2,
        metadata={"key": "lambda", "range": (0.0, 1.0), "doc": "1: relevance weighs all, 0: novelty does"},
    )
    breadth: float = field(
        default=0.3,
        metadata={"key": "breadth", "range": (0.0, 10.0), "doc": "weight of standing for others; 0 is off"},
    )
    band: float = field(
        default=0.85,
        metadata={
            "key": "band",
            "range": (0.0, 1.0),
            "doc": "cosine from which a seat makes another redundant; 1 is off",
        },
    )
    decay: float = field(
        default=0.7,
        metadata={
            "key": "decay",
            "range": (0.0, 1.0),
            "doc": "what is left of a term's worth after each seat with it",
        },
    )
    mass: float = field(
        default=0.4,
        metadata={
            "key": "mass",
            "range": (0.0, 2.0),
            "doc": "0 counts what is new, 1 its share of the passage",
        },
    )

    def start(self, ground: Ground) -> CoverageRun:
        """Open a run over n entries. O(characters + m n d), a seat O(terms + m n), m the smaller of n and 512."""
        return CoverageRun(ground, self)


class CoverageRun(SeatedRun):
    """A run of coverage."""

    def __init__(self, ground: Ground, objective: Coverage) -> None:
        super().__init__(ground)
        n = len(ground.ids)
        self._objective = objective
        self._near = _to_the_best(ground)
        relevance = relevance_at_head(ground.relevance)
        kin = np.maximum(kinship(ground, self._near), _TINY)
        weights = relevance * kin
        # The pool is what the ranker gave: what twelve outlets carry was twelve of its passages.
        carriers = np.asarray(ground.carriers, dtype=np.float64) if len(ground.carriers) else np.ones(n)
        self._weights = (weights * carriers)[: self._near.shape[1]]
        self._near = np.exp((self._near - 1.0) / WIDTH)
        self._nearest = np.zeros(self._near.shape[1])
        self._terms = terms_of(ground.texts, ground.query)
        self._fresh = _idf(self._terms, weights)
        say = _say(self._terms, weights)
        weight = (1.0 - objective.lam) * say
        lean = min(1.0, 2.0 * (1.0 - ground.affordable))
        mass = objective.mass + lean * (LEAN_MASS - objective.mass)
        self._band = objective.band + lean * (min(LEAN_BAND, objective.band) - objective.band)
        own = np.maximum(self._terms.sums(self._fresh), _TINY)
        self._per_mass = own ** -(1.0 - (1.0 - mass) * say)
        self._novelty_weight = weight
        self._worth = kin * relevance ** (1.0 - weight)
        self._most_new = max(float(self._new().max(initial=0.0)), _TINY)
        self._most_broad = max(float(self._broad().max(initial=0.0)), _TINY)

    def gains(self) -> Floats:
        """Value of seating each entry next, (n,) in 0..1."""
        objective = self._objective
        value = self._worth * (self._new() / self._most_new) ** self._novelty_weight
        if objective.breadth > 0.0:
            value *= (self._broad() / self._most_broad) ** objective.breadth
        if self._band < 1.0:
            beyond = (self._redundancy - self._band) / (1.0 - self._band)
            value *= 1.0 - np.minimum(np.maximum(beyond, 0.0), 1.0)  # a third of what `clip` takes for so few
        return value

    def prepared(self) -> Prepared | None:
        """What a kernel needs to carry on from here; None once a seat is taken, or where it has no similarities."""
        n = len(self._ground.ids)
        rows = None if n <= REACH else self._ground.similarity.rows
        if self._seats or n == 0 or (n > REACH and rows is None):
            return None
        return Prepared(
            self._worth, self._per_mass, self._fresh, self._terms.terms, self._terms.offsets,
            self._near, self._weights, (self._most_new, self._most_broad),
            (self._novelty_weight, self._objective.breadth), self._band, self._objective.decay,
            rows, self._ground.similarity.matrix() if n <= REACH else None,
        )  # fmt: skip

    def take(self, i: int) -> None:
        """Seat entry i."""
        super().take(i)
        self._fresh[self._terms.of(i)] *= self._objective.decay
        self._nearest = np.maximum(self._nearest, self._near[i])

    def _new(self) -> Floats:
        return self._terms.sums(self._fresh) * self._per_mass

    def _broad(self) -> Floats:
        return stood_for(self._near, self._nearest, self._weights)


def _to_the_best(ground: Ground) -> Floats:
    """Similarity of every entry to the first REACH, (n, m)."""
    n = len(ground.ids)
    if n <= REACH:
        return ground.similarity.matrix()
    return np.stack([ground.similarity.row(j) for j in range(REACH)], axis=1)


def _idf(terms: Terms, relevance: Floats) -> Floats:
    """ln((N + 1) / (df + .5)), both counts weighted by relevance: a tail of other topics weighs nothing."""
    carried = terms.carried(relevance)
    idf = np.log((relevance.sum() + 1.0) / (carried + 0.5))
    return np.where(idf < COMMON, 0.0, idf)


def _say(terms: Terms, relevance: Floats) -> float:
    """How much of its weight novelty keeps, 0..1: it rises with the number of terms it is counted on."""
    total = float(relevance.sum())
    if total <= 0.0:
        return 0.0
    mean = float(terms.counts() @ relevance) / total
    return 0.0 if mean <= 0.0 else 1.0 / (1.0 + (HALF / mean) ** BEND)
