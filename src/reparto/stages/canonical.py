"""Canonical: a gold synthesis takes the seat of its concept; its silver variants stay as depth."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from reparto.model import Decision, Entry, Fate, Pool, Step
from reparto.stages import ranked


@dataclass(frozen=True, slots=True, eq=False)
class Canonical:
    """The best gold entry of a concept inherits the relevance of its best silver, if that is higher.

    The silvers wait under it and are seated only when seats stay empty. Further golds of one concept are rivals, not
    depth. Entries without a concept take no part. O(n log n).
    """

    def __call__(self, pool: Pool) -> Step:
        """Put silvers under their gold."""
        by_concept: dict[str, list[Entry]] = defaultdict(list)
        for entry in pool.entries:
            if entry.candidate.concept is not None and entry.candidate.tier is not None:
                by_concept[entry.candidate.concept].append(entry)
        changed: dict[str, Entry] = {}
        for entries in by_concept.values():
            gold = next((entry for entry in entries if entry.candidate.tier == "gold"), None)
            silvers = [entry for entry in entries if entry.candidate.tier == "silver"]
            if gold is None or not silvers:
                continue
            best = max(gold.relevance, silvers[0].relevance)
            changed[gold.id] = replace(gold, relevance=best, depth=tuple(entry.id for entry in silvers), waits=False)
            for silver in silvers:
                waiting = Decision(silver.id, Fate.DEPTH, by=gold.id, evidence={"concept": gold.candidate.concept})
                changed[silver.id] = replace(silver, waits=True, fallback=waiting)
        return Step(ranked((changed.get(entry.id, entry) for entry in pool.entries), pool.query))
