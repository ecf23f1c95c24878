"""Why a query lost or won a fact: the fate, from the log, of every passage that carries it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reparto.evaluation.bank import Bank, BankQuery
from reparto.evaluation.compare import Evaluated
from reparto.evaluation.systems import Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One fact of one query that one side delivers and the other does not.

    `passages` hold fates where they are known.
    """

    query: str
    fact: str
    lost: bool
    passages: tuple[Mapping[str, Any], ...]
    because: str

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "query": self.query,
            "fact": self.fact,
            "change": "lost" if self.lost else "won",
            "passages": [dict(one) for one in self.passages],
            "because": self.because,
        }


def changes(bank: Bank, system: Evaluated, baseline: Evaluated) -> Iterator[Change]:
    """Facts lost and won against the baseline, query by query, lost ones first; a longer list counts
    to its depth.
    """
    for query in bank:
        depth = len(baseline.outcomes[query.id].delivery.passages)
        ours, theirs = (_covered(query, one.outcomes[query.id], depth) for one in (system, baseline))
        names = query.judgments.level().names
        for fact in sorted(theirs - ours):
            yield _change(query, names[fact], system, baseline, lost=True)
        for fact in sorted(ours - theirs):
            yield _change(query, names[fact], system, baseline, lost=False)


def _covered(query: BankQuery, outcome: Outcome, depth: int) -> set[int]:
    level = query.judgments.level()
    return {fact for passage in outcome.delivery.first(depth) for fact in level.facts_of(passage.carries)}


def _change(query: BankQuery, fact: str, system: Evaluated, baseline: Evaluated, lost: bool) -> Change:
    outcome = system.outcomes[query.id]
    rank = {id: place for place, id in enumerate(query.passages, start=1)}
    holders = sorted(
        (id for id, grade in query.judgments.facts[fact].items() if grade >= 1 and id in rank),
        key=rank.__getitem__,
    )
    passages = tuple(_fate(id, rank[id], outcome) for id in holders)
    if lost:
        told = "; ".join(_told(one) for one in passages[:3]) or "no passage of the pool carries it"
        more = f" (and {len(passages) - 3} more)" if len(passages) > 3 else ""
        because = f"query {query.id} lost fact {fact}, which {baseline.name} delivers, because {told}{more}"
    else:
        seat, by = next(
            (place, one.id)
            for place, one in enumerate(outcome.delivery.passages, start=1)
            if set(one.carries) & set(holders)
        )
        won = f"query {query.id} won fact {fact}, which {baseline.name} lacks"
        because = f"{won}: {by} has seat {seat} (rank {rank[by]})"
    return Change(query.id, fact, lost, passages, because)


def _fate(id: str, rank: int, outcome: Outcome) -> dict[str, Any]:
    decision = outcome.decisions.get(id, {})
    keys = ("fate", "by", "relation", "evidence", "seat")
    return {
        "id": id,
        "rank": rank,
        **{key: decision[key] for key in keys if decision.get(key) not in (None, {})},
    }


def _told(passage: Mapping[str, Any]) -> str:
    """One passage's fate in words: "p4 (rank 12) is a near copy of p1 (resemblance 0.83)"."""
    who = f"{passage['id']} (rank {passage['rank']})"
    fate, by = passage.get("fate"), passage.get("by")
    numbers = ", ".join(
        f"{name} {value:.2f}"
        for name, value in passage.get("evidence", {}).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    )
    said = f" ({numbers})" if numbers else ""
    relation = passage.get("relation")
    kind = f"{relation} " if relation else ""
    if fate is None:
        return f"{who} was not delivered"
    if fate == "seated":
        return f"{who} has a seat"
    if fate in ("copy", "merged", "depth"):
        word = {"copy": f"is a {kind}copy of", "merged": "was merged into", "depth": "waits under"}[fate]
        return f"{who} {word} {by}{said}"
    if fate == "outranked" and by:
        return f"{who} gave way to {by}{f' as its {relation}' if relation else ''}{said}"
    return f"{who} was {fate.replace('_', ' ')}{said}"
