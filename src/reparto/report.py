"""The report of a selection: how many, how independent, how much was saved, and what could not be met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reparto.contract import Policy
from reparto.groupings.boilerplate import shared_edges
from reparto.model import Candidate, Decision, Entry, Fate, Notice, Relation
from reparto.resemblance import resemblance_matrix
from reparto.selection import Seat
from reparto.stages.reserves import Reserves

RESEMBLES = 0.6  # from here two texts resemble, for measures and the report
RELATED = 0.3  # from here two seats are near relatives


def build_report(
    *,
    policy: Policy,
    candidates: Sequence[Candidate],
    entries: Sequence[Entry],
    seats: Sequence[Seat],
    decisions: Sequence[Decision],
    empty_because: str | None,
    reserves: Reserves,
) -> tuple[dict[str, Any], list[Notice]]:
    """The report and the warnings that follow from it."""
    sign = 1 if policy.scores.kind == "relevance" else -1
    valid = sorted((one for one in candidates if one.valid), key=lambda one: (-sign * one.score, one.id))
    first = valid[: policy.k]
    family = _families(decisions)
    both = resemblance_matrix([seat.text for seat in seats] + [one.text for one in first])
    after, before = both[: len(seats), : len(seats)], both[len(seats) :, len(seats) :]
    related = _components(after >= RELATED, [seat.id for seat in seats], family)
    if related < len(seats) and (own := _without_edges(seats, valid)) is not None:
        related = _components(resemblance_matrix(own) >= RELATED, [seat.id for seat in seats], family)
    fates = Counter(one.fate for one in decisions)
    report: dict[str, Any] = {
        "candidates": len(candidates),
        "seats": len(seats),
        "documents": _distinct([seat.document for seat in seats]),
        "sources": _distinct([seat.source for seat in seats]),
        "independent_texts": related,
        "tokens": sum(seat.tokens for seat in seats),
        "tokens_saved": _tokens_saved(entries, decisions),
        "duplicate_rate_before": _duplicate_rate(before, [one.id for one in first], family),
        "duplicate_rate_after": _duplicate_rate(after, [seat.id for seat in seats], family),
        "revisions": sum(one.relation is Relation.REVISION and one.fate is Fate.SEATED for one in decisions),
        "empty_seats": policy.k - len(seats),
        "empty_because": empty_because if len(seats) < policy.k else None,
        "unmet": [
            {"reserve": one.declared.declared(), "wanted": one.wanted, "got": one.got}
            for one in reserves.reserves
            if one.got < one.wanted
        ],
        "fates": {str(fate): fates[fate] for fate in Fate if fates[fate]},
    }
    notices = []
    if len(seats) > 1 and related == 1:
        notices.append(
            Notice(
                "one_text",
                f"all {len(seats)} seats are variants of one text: the whole set rests on one paragraph",
                tuple(sorted(seat.id for seat in seats)),
            )
        )
    return report, notices


def _without_edges(seats: Sequence[Seat], valid: Sequence[Candidate]) -> list[str] | None:
    """The seats' texts without the header and footer of their site; None where none has any."""
    texts = [seat.text for seat in seats]
    all_texts = [*texts, *(one.text for one in valid)]
    own = shared_edges(all_texts, [*(seat.source for seat in seats), *(one.source for one in valid)])[: len(seats)]
    return own if own != texts else None


def _distinct(values: Sequence[str | None]) -> int:
    """Distinct values; a missing one is its own."""
    return len({value for value in values if value is not None}) + sum(value is None for value in values)


def _families(decisions: Sequence[Decision]) -> dict[str, str]:
    """Id -> leader of the family of revisions that the log puts it in."""
    found: dict[str, str] = {}
    for one in decisions:
        if one.relation is Relation.REVISION and one.by is not None:
            found[one.id] = one.by
            found.setdefault(one.by, one.by)
    return found


def _duplicate_rate(resemblance: np.ndarray, ids: Sequence[str], family: Mapping[str, str]) -> float:
    """Share of passages that resemble another one; revisions are counted apart."""
    if not len(ids):
        return 0.0
    alike = resemblance >= RESEMBLES
    alike[np.diag_indices_from(alike)] = False
    if family:
        for a, b in zip(*np.nonzero(alike), strict=True):
            if _revisions(ids[a], ids[b], family):
                alike[a, b] = False
    return float(alike.any(axis=1).mean())


def _revisions(a: str, b: str, family: Mapping[str, str]) -> bool:
    return a in family and family[a] == family.get(b)


def _components(alike: np.ndarray, ids: Sequence[str], family: Mapping[str, str]) -> int:
    """Number of groups of related seats."""
    label = list(range(len(ids)))
    for a in range(len(ids)):
        for b in range(a):
            if label[a] != label[b] and (alike[a, b] or _revisions(ids[a], ids[b], family)):
                old, new = label[a], label[b]
                label = [new if one == old else one for one in label]
    return len(set(label))


def _tokens_saved(entries: Sequence[Entry], decisions: Sequence[Decision]) -> int:
    """Tokens of copies, of overlaps merged away, and of silvers that stayed depth."""
    depth = {one.id for one in decisions if one.fate is Fate.DEPTH}
    saved = 0
    for entry in entries:
        saved += sum(copy.tokens for copy in entry.copies)
        saved += entry.tokens if entry.id in depth else 0
        if entry.absorbed:
            saved += max(0, entry.member_tokens - entry.tokens)
    return saved
