"""Links between entries, many at a time: a template filled in two thousand ways links two million pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reparto.model import Floats, Relation

Ints = NDArray[np.int64]
RELATIONS = tuple(Relation)


@dataclass(frozen=True, slots=True)
class Link:
    """Entry `low` may be a copy of entry `high`. Indices in rank order; `high` need not rank higher.

    `resemblance` and `cosine` are symmetric, `containment` is the share of `low` that `high` has; None: not compared.
    """

    high: int
    low: int
    relation: Relation
    resemblance: float | None = None
    containment: float | None = None
    cosine: float | None = None

    def evidence(self) -> dict[str, float]:
        """The numbers compared, by the policy's names."""
        numbers = {"resemblance": self.resemblance, "containment": self.containment, "cosine": self.cosine}
        return {name: value for name, value in numbers.items() if value is not None}


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """p links as columns, each (p,): `relation` indexes RELATIONS, NaN stands for a number not compared."""

    high: Ints
    low: Ints
    relation: NDArray[np.int8]
    resemblance: Floats
    containment: Floats
    cosine: Floats

    def __len__(self) -> int:
        """Number of links."""
        return len(self.high)

    def __getitem__(self, row: int) -> Link:
        """One link."""
        numbers = [float(column[row]) for column in (self.resemblance, self.containment, self.cosine)]
        known = [None if np.isnan(one) else one for one in numbers]
        return Link(int(self.high[row]), int(self.low[row]), RELATIONS[self.relation[row]], *known)

    @classmethod
    def of(cls, links: Iterable[Link]) -> Links:
        """Columns from single links."""
        rows = list(links)
        numbers = np.array(
            [[np.nan if x is None else x for x in (one.resemblance, one.containment, one.cosine)] for one in rows],
            dtype=np.float64,
        ).reshape(-1, 3)
        return cls(
            np.array([one.high for one in rows], dtype=np.int64),
            np.array([one.low for one in rows], dtype=np.int64),
            np.array([RELATIONS.index(one.relation) for one in rows], dtype=np.int8),
            *numbers.T.copy(),
        )

    @classmethod
    def columns(
        cls,
        relation: Relation,
        high: Ints,
        low: Ints,
        resemblance: Floats | None = None,
        containment: Floats | None = None,
        cosine: Floats | None = None,
    ) -> Links:
        """Links of one relation; a column left out was not compared."""
        missing = np.full(len(high), np.nan)
        kind = np.full(len(high), RELATIONS.index(relation), dtype=np.int8)
        return cls(high, low, kind, *(missing if one is None else one for one in (resemblance, containment, cosine)))

    def keep(self, rows: NDArray[np.bool_] | Ints) -> Links:
        """Some of the links, by mask or by index."""
        return Links(
            self.high[rows],
            self.low[rows],
            self.relation[rows],
            self.resemblance[rows],
            self.containment[rows],
            self.cosine[rows],
        )

    @classmethod
    def joined(cls, parts: Sequence[Links]) -> Links:
        """All links sorted by (high, low); of a pair that several name, the first one's."""
        parts = [part for part in parts if len(part)]
        if not parts:
            return cls.of(())
        together = cls(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("high", "low", "relation", "resemblance", "containment", "cosine")
            )
        )
        order = np.lexsort((together.low, together.high))  # stable: the first named of equal pairs stays first
        fresh = np.ones(len(order), dtype=bool)
        high, low = together.high[order], together.low[order]
        fresh[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        return together.keep(order[fresh])
