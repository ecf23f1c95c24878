"""LangChain's `maximal_marginal_relevance` with its default lambda of .5, over the whole pool.

It ranks by the cosine to the query vector and never looks at the ranker's score.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from reparto.errors import MissingExtraError
from reparto.evaluation.bank import BankQuery
from reparto.evaluation.baselines import common_field, without_vectors


@dataclass(frozen=True)
class MMR:
    """`lambda_mult` in 0..1: 1 is relevance only."""

    lambda_mult: float = 0.5

    NAME: ClassVar[str] = "langchain-mmr"

    def __post_init__(self) -> None:
        self._function()

    def missing(self, query: BankQuery) -> str | None:
        """Needs vectors of the candidates and of the query."""
        if query.vector is None:
            return f"query {query.id!r} has no vector of its own"
        return without_vectors(query)

    def rank(self, query: BankQuery, k: int) -> list[str]:
        """The ids LangChain's function takes."""
        if not query.pool or query.vector is None:
            return []
        name = common_field(query)
        rows = [np.asarray(one.vectors[name], dtype=np.float32) for one in query.pool]
        taken = self._function()(np.asarray(query.vector), rows, self.lambda_mult, k)
        return [query.pool[int(i)].id for i in taken]

    def _function(self) -> Any:
        try:
            return importlib.import_module("langchain_core.vectorstores.utils").maximal_marginal_relevance
        except ImportError:
            raise MissingExtraError("the LangChain baseline", "langchain") from None
