"""pyversity's strategies, with its default diversity of .5, on the ranker's raw scores."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from reparto.errors import MissingExtraError
from reparto.evaluation.bank import BankQuery
from reparto.evaluation.baselines import common_field, without_vectors


@dataclass(frozen=True)
class _Pyversity:
    """Common part. `diversity` in 0..1 is pyversity's: 1 - lambda of the literature."""

    diversity: float = 0.5

    STRATEGY: ClassVar[str] = ""

    def __post_init__(self) -> None:
        self._module()

    def missing(self, query: BankQuery) -> str | None:
        """Needs vectors."""
        return without_vectors(query)

    def rank(self, query: BankQuery, k: int) -> list[str]:
        """The ids pyversity takes."""
        if not query.pool:
            return []
        name = common_field(query)
        rows = np.stack([np.asarray(one.vectors[name], dtype=np.float32) for one in query.pool])
        scores = np.array([one.score for one in query.pool])
        found = self._module().diversify(rows, scores, min(k, len(scores)), self.STRATEGY, self.diversity)
        return [query.pool[int(i)].id for i in found.indices]

    def _module(self) -> Any:
        try:
            return importlib.import_module("pyversity")
        except ImportError:
            raise MissingExtraError("the pyversity baseline", "compare") from None


@dataclass(frozen=True)
class MMR(_Pyversity):
    """pyversity's MMR."""

    NAME: ClassVar[str] = "pyversity-mmr"
    STRATEGY: ClassVar[str] = "mmr"


@dataclass(frozen=True)
class DPP(_Pyversity):
    """pyversity's greedy DPP."""

    NAME: ClassVar[str] = "pyversity-dpp"
    STRATEGY: ClassVar[str] = "dpp"


@dataclass(frozen=True)
class MSD(_Pyversity):
    """pyversity's max-sum dispersion."""

    NAME: ClassVar[str] = "pyversity-msd"
    STRATEGY: ClassVar[str] = "msd"


@dataclass(frozen=True)
class Cover(_Pyversity):
    """pyversity's facility location."""

    NAME: ClassVar[str] = "pyversity-cover"
    STRATEGY: ClassVar[str] = "cover"
