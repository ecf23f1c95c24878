"""What one query got: the delivered passages in order, beside the pool they came from and the judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from reparto.evaluation.judgments import Judgments
from reparto.model import EMPTY, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """One passage as a measure sees it.

    `carries` are the ids whose judgments count for it: its own, or the members of a merged span. `tokens` is
    its length, None where nothing is known of the text. `score` is the ranker's own number, None for a bare
    id.
    """

    id: str
    carries: tuple[str, ...]
    text: str | None = None
    tokens: int | None = None
    document: str | None = None
    source: str | None = None
    vectors: Mapping[str, Vector] = field(default_factory=lambda: EMPTY)
    score: float | None = None


@dataclass(frozen=True, eq=False)
class Delivery:
    """One query's delivered list. `pool` is all candidates, best first (score descending, id ascending)."""

    passages: Sequence[Passage]
    judgments: Judgments
    pool: Sequence[Passage] = ()

    def first(self, cutoff: int | None) -> Sequence[Passage]:
        """The passages within the cutoff; all when there is none."""
        return self.passages if cutoff is None else self.passages[:cutoff]

    def facts(self, rel: int = 1, judged_only: bool = False) -> list[tuple[int, ...]]:
        """Fact indices at each rank.

        An id delivered twice carries nothing the second time: nobody learns anew.
        """
        key = (rel, judged_only)
        if key not in self._facts:
            self._facts[key] = self._read(rel, judged_only)
        return self._facts[key]

    @cached_property
    def _facts(self) -> dict[tuple[int, bool], list[tuple[int, ...]]]:
        return {}

    def _read(self, rel: int, judged_only: bool) -> list[tuple[int, ...]]:
        level, judged = self.judgments.level(rel), self.judgments.judged
        carried = level.carried
        seen: set[str] = set()
        per_rank: list[tuple[int, ...]] = []
        for passage in self.passages:
            ids = passage.carries
            if judged_only and judged.isdisjoint(ids):
                continue
            if len(ids) == 1:  # the common case, and this is the inner loop of calibration
                per_rank.append(() if ids[0] in seen else carried.get(ids[0], ()))
                seen.add(ids[0])
            else:
                per_rank.append(level.facts_of(id for id in ids if id not in seen))
                seen.update(ids)
        return per_rank
