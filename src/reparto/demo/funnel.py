"""The whole funnel on the feed: the ranker's first k beside the selection, and what became of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file
from typing import Any

from reparto.contract import Contract
from reparto.demo import feed_path
from reparto.evaluation.bank import Bank, BankQuery, read_bank
from reparto.evaluation.baselines.topk import TopK
from reparto.evaluation.delivery import Delivery
from reparto.evaluation.measures import parse
from reparto.evaluation.systems import BaselineSystem, ContractSystem, Seats
from reparto.kernels import estimate_tokens
from reparto.pipeline import select
from reparto.selection import Selection

MEASURES = ("StRecall", "DuplicateRate", "RedundantRate", "Sources", "alpha_nDCG")


@dataclass(frozen=True, slots=True)
class Behind:
    """What stands behind one seat: `copies` by relation; `sources` are the outlets, its own included."""

    seat: int
    id: str
    copies: Mapping[str, int]
    sources: tuple[str, ...]
    merged: tuple[str, ...]
    depth: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Make the wire form."""
        return {
            "seat": self.seat,
            "id": self.id,
            "copies": dict(self.copies),
            "sources": list(self.sources),
            "merged": list(self.merged),
            "depth": list(self.depth),
        }


@dataclass(frozen=True, slots=True)
class Revision:
    """A near-identical text kept apart from `of` because a fact differs; `differ` are the words of each."""

    id: str
    of: str
    fate: str
    differ: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Make the wire form."""
        return {"id": self.id, "of": self.of, "fate": self.fate, "differ": list(self.differ)}


@dataclass(frozen=True, eq=False)
class Shown:
    """One query of the feed.

    `measures` maps a name to its value for the ranker's first k and for the selection.
    `won` and `lost` are the facts that only the selection, or only the first k, deliver.
    """

    id: str
    k: int
    pool: Mapping[str, Mapping[str, Any]]
    top: tuple[str, ...]
    selection: Selection
    behind: tuple[Behind, ...]
    measures: Mapping[str, tuple[float | None, float | None]]
    facts: int
    won: tuple[str, ...]
    lost: tuple[str, ...]
    tokens_of_top: int
    revisions: tuple[Revision, ...]

    def stands_for(self, id: str) -> int | None:
        """Find the seat that delivers this candidate or stands for it; None when none does."""
        return self.selection.decision(id).seat

    def to_dict(self) -> dict[str, Any]:
        """Make the wire form."""
        return {
            "query_id": self.id,
            "k": self.k,
            "top_k": list(self.top),
            "selection": self.selection.to_dict(),
            "behind": [one.to_dict() for one in self.behind],
            "measures": {name: {"top_k": a, "selection": b} for name, (a, b) in self.measures.items()},
            "facts": {"judged": self.facts, "won": list(self.won), "lost": list(self.lost)},
            "kept_apart": [one.to_dict() for one in self.revisions],
            "tokens": {"top_k": self.tokens_of_top, "selection": self.selection.report["tokens"]},
        }


def funnel(contract: Contract | None = None) -> list[Shown]:
    """Serve every query of the feed under `contract` (default: the built-in one).

    Deterministic; no network.
    """
    with as_file(feed_path()) as path:
        bank: Bank = read_bank(path)
    seats = Seats(contract or Contract())
    return [_show(query, seats) for query in bank]


def _show(query: BankQuery, seats: Seats) -> Shown:
    k = seats.of(query)
    before = BaselineSystem(TopK(), seats).serve(query).delivery
    after = ContractSystem("contract", seats).serve(query).delivery
    selection = select(query.request, seats.contract)
    names = [f"{name}@{k}" for name in MEASURES]
    had, has = _facts(before), _facts(after)
    return Shown(
        id=query.id,
        k=k,
        pool={one.id: {"title": one.title, "source": one.source} for one in query.pool},
        top=tuple(one.id for one in before.passages),
        selection=selection,
        behind=tuple(_behind(selection, query)),
        measures={name: (parse(name).value(before), parse(name).value(after)) for name in names},
        facts=len(query.judgments.facts),
        won=tuple(sorted(has - had)),
        lost=tuple(sorted(had - has)),
        tokens_of_top=sum(estimate_tokens(one.text or "") for one in before.passages),
        revisions=tuple(_revisions(selection)),
    )


def _facts(delivery: Delivery) -> set[str]:
    names = delivery.judgments.level().names
    return {names[fact] for facts in delivery.facts() for fact in facts}


def _revisions(selection: Selection) -> Iterator[Revision]:
    for one in selection.decisions:
        if str(one.relation) == "revision" and one.by is not None:
            words = tuple(" ".join(side) for side in one.evidence.get("differ", ()))
            yield Revision(one.id, one.by, str(one.fate), words)


def _behind(selection: Selection, query: BankQuery) -> Sequence[Behind]:
    decisions = selection.decisions
    found = []
    for seat in selection.seats:
        copies = Counter(str(one.relation) for one in decisions if str(one.fate) == "copy" and one.seat == seat.seat)
        found.append(
            Behind(
                seat=seat.seat,
                id=seat.id,
                copies=dict(sorted(copies.items())),
                sources=seat.copies.sources,
                merged=seat.span.members if seat.span else (),
                depth=seat.depth,
            )
        )
    return found
