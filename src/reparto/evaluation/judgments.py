"""What assessors said about one query: which passage carries which fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

Grades = Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judged facts of one query.

    `facts` maps a fact to `{passage id: grade}`; a grade of 1 or more carries the fact. Ids may be outside
    the pool: they count for the ideal ranking and for every total. `weights` is the importance of a fact (1
    where it is not given). `total` is the number of judged facts when not all are listed; the larger of it
    and the listed ones counts. Derived tables are computed once per object, never shared between objects.
    """

    facts: Mapping[str, Grades] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    total: int = 0

    @classmethod
    def binary(
        cls,
        facts: Mapping[str, Iterable[str]],
        weights: Mapping[str, float] | None = None,
        total: int | None = None,
    ) -> Judgments:
        """Judgments from lists of the passages that carry each fact."""
        return cls({name: dict.fromkeys(ids, 1) for name, ids in facts.items()}, dict(weights or {}), total or 0)

    @cached_property
    def judged(self) -> frozenset[str]:
        """Ids that were judged at all, whatever the grade."""
        return frozenset(id for grades in self.facts.values() for id in grades)

    @cached_property
    def _levels(self) -> dict[int, Level]:
        return {}

    def level(self, rel: int = 1) -> Level:
        """The binary view in which a grade of `rel` or more carries the fact.

        O(judgments), once per `rel`.
        """
        if rel not in self._levels:
            self._levels[rel] = Level.of(self, rel)
        return self._levels[rel]

    def best_grade(self, id: str) -> int:
        """Largest grade of a passage over all facts; 0 when it carries none."""
        return self._best.get(id, 0)

    @cached_property
    def _best(self) -> dict[str, int]:
        best: dict[str, int] = {}
        for grades in self.facts.values():
            for id, grade in grades.items():
                best[id] = max(best.get(id, 0), grade)
        return best

    @cached_property
    def ideal_grades(self) -> tuple[int, ...]:
        """Positive best grades, largest first: the ideal ranking of nDCG."""
        return tuple(sorted((grade for grade in self._best.values() if grade > 0), reverse=True))


@dataclass(frozen=True, eq=False)
class Level:
    """Binary judgments at one grade threshold.

    `names` are the facts that at least one passage carries, in the order they were given; `carried` maps a
    passage to the ascending indices of its facts; `holders` counts passages per fact; `n` is the number of
    facts that count in denominators (listed, or `total` when that is larger); `weights` and `absent` give
    each listed fact's weight and the summed weight of the facts that exist but are not listed (1 each).
    """

    names: tuple[str, ...]
    carried: Mapping[str, tuple[int, ...]]
    holders: tuple[int, ...]
    n: int
    weights: tuple[float, ...]
    _ideals: dict[tuple[float, int], tuple[float, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, judgments: Judgments, rel: int) -> Level:
        """Threshold the grades at `rel`."""
        carried: dict[str, list[int]] = {id: [] for id in judgments.judged}
        names: list[str] = []
        holders: list[int] = []
        for name, grades in judgments.facts.items():
            ids = [id for id, grade in grades.items() if grade >= rel]
            if ids:
                for id in ids:
                    carried[id].append(len(names))
                names.append(name)
                holders.append(len(ids))
        listed = len(names)
        return cls(
            names=tuple(names),
            carried=MappingProxyType({id: tuple(facts) for id, facts in carried.items()}),
            holders=tuple(holders),
            n=max(listed, judgments.total),
            weights=tuple(float(judgments.weights.get(name, 1.0)) for name in names),
        )

    def facts_of(self, ids: Iterable[str]) -> tuple[int, ...]:
        """Ascending indices of the facts that any of `ids` carries."""
        found = [self.carried[id] for id in ids if id in self.carried]
        if len(found) == 1:
            return found[0]
        return tuple(sorted({fact for facts in found for fact in facts}))

    def ideal_gains(self, alpha: float, depth: int) -> tuple[float, ...]:
        """Gain at each rank of the greedy ideal over all judged passages, at most `depth` ranks.

        As in ndeval.c 4.5: at each rank the passage with the largest gain, ties to the larger id by code
        point. Passages that carry nothing gain nothing, so they are left out. O(depth * judged passages *
        facts each).
        """
        key = (alpha, depth)
        if key not in self._ideals:
            self._ideals[key] = tuple(self._greedy(alpha, depth))
        return self._ideals[key]

    def _greedy(self, alpha: float, depth: int) -> Iterable[float]:
        left = sorted((id for id, facts in self.carried.items() if facts), reverse=True)
        gain = [1.0] * len(self.names)
        for _ in range(min(depth, len(left))):
            scores = [sum(gain[fact] for fact in self.carried[id]) for id in left]
            best = max(range(len(left)), key=lambda i: (scores[i], -i))
            yield scores[best]
            for fact in self.carried[left.pop(best)]:
                gain[fact] *= 1.0 - alpha


def novelty_gains(per_rank: Sequence[Sequence[int]], n: int, alpha: float) -> list[float]:
    """G(r): sum over the facts at rank r of (1 - alpha) to the number of earlier ranks that carry the fact.

    `per_rank` holds indices below `n`. Clarke et al., SIGIR 2008. O(total facts).
    """
    gain = [1.0] * n
    gains = []
    for facts in per_rank:
        total = 0.0
        for fact in facts:
            total += gain[fact]
            gain[fact] *= 1.0 - alpha
        gains.append(total)
    return gains
