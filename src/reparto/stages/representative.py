"""Which of several copies is delivered: by rank, date, length, or closeness to the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from reparto.contract.policy import Collapse
from reparto.model import Entry
from reparto.resemblance import resemblance_matrix

_LATE = datetime.max.replace(tzinfo=UTC)
_EARLY = datetime.min.replace(tzinfo=UTC)
MOST = 64  # of larger groups the closest copy is looked for among the best-ranked

Choice = Callable[[Sequence[Entry]], Entry]


def by_score(members: Sequence[Entry]) -> Entry:
    """The centre, which comes first."""
    return members[0]


def earliest(members: Sequence[Entry]) -> Entry:
    """First published; without a date last."""
    return min(members, key=lambda entry: entry.candidate.instant or _LATE)


def latest(members: Sequence[Entry]) -> Entry:
    """Last published; without a date last."""
    return max(members, key=lambda entry: entry.candidate.instant or _EARLY)


def longest(members: Sequence[Entry]) -> Entry:
    """The fullest text."""
    return max(members, key=lambda entry: len(entry.text))


def supported(members: Sequence[Entry]) -> Entry:
    """The text closest to the other copies: what one copy added of its own is not what the group says."""
    some = members[:MOST]
    return some[int(np.argmax(resemblance_matrix([entry.text for entry in some]).sum(axis=1)))]


def speaks(language: str | None, wanted: str) -> bool:
    """Whether a language tag falls under the wanted one: "en-GB" does under "en" (basic filtering of RFC 4647)."""
    tag, range_ = (one.casefold().replace("_", "-") for one in (language or "", wanted))
    return tag == range_ or tag.startswith(range_ + "-")


CHOICES: Mapping[str, Choice] = {
    "score": by_score,
    "earliest": earliest,
    "latest": latest,
    "longest": longest,
    "supported": supported,
}


def representative(members: Sequence[Entry], policy: Collapse, prefer_gold: bool) -> Entry:
    """The member that is delivered. `members` come with the centre first, then in rank order; ties go to the first.

    A gold text stands before its variants where the policy has a canonical section, then the preferred language.
    """
    if prefer_gold:
        members = [entry for entry in members if entry.candidate.tier == "gold"] or members
    if policy.language is not None:
        members = [entry for entry in members if speaks(entry.candidate.language, policy.language)] or members
    return CHOICES[policy.representative](members)
