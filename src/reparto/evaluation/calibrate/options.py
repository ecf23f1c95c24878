"""What calibration chooses among: policies in order of their distance from "off".

Collapse, quotas, reserves and the objective are chosen. Merging and canonical syntheses are facts about the data, not
choices: they are as the built-in contract has them in every option, "off" included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from reparto.evaluation.bank import Bank

OFF: Mapping[str, Any] = MappingProxyType(
    {
        "order": "selection",
        "collapse": False,
        "quotas": False,
        "reserve": False,
        "budget": False,
        "diversity": {"objective": "relevance"},
    }
)
EXACT = {"exact": True, "resemblance": False, "containment": False, "cosine": False}
WRITTEN: Mapping[str, Any] = MappingProxyType(
    {"collapse": EXACT, "quotas": False, "reserve": False, "diversity": {"objective": "relevance"}}
)
LEXICAL = {"exact": True, "resemblance": 0.6, "containment": 0.8, "cosine": False}


@dataclass(frozen=True)
class Option:
    """One way to select: `policy` is laid over OFF. With `path`, lambda is chosen along the exact MMR
    path.
    """

    name: str
    policy: Mapping[str, Any] = field(default_factory=dict)
    path: bool = False

    def full(self) -> dict[str, Any]:
        """Every section that is chosen, so that no contract below shows through."""
        return {**OFF, **self.policy}

    def written(self, lam: float | None = None) -> dict[str, Any]:
        """What a contract should say, at a lambda where the option has one. Exact copies collapse even when off."""
        chosen = {**WRITTEN, **self.policy}
        return chosen if lam is None else {**chosen, "diversity": {"objective": "mmr", "lambda": lam}}


def options_for(bank: Bank) -> list[Option]:
    """The options that the bank's fields allow, "off" first, then by how much they interfere.

    Collapse by vectors trusts them (`confirm = 0`): its threshold is what is being chosen.
    """
    return list(_options(bank))


def _options(bank: Bank) -> Iterator[Option]:
    candidates = [one for query in bank for one in query.request.candidates]
    vectors = bool(candidates) and all(one.vectors for one in candidates)
    yield Option("off")
    yield Option("collapse exact copies", {"collapse": EXACT})
    yield Option("collapse by text", {"collapse": LEXICAL})
    if vectors:
        for cosine in (0.95, 0.9, 0.85, 0.8, 0.75, 0.7):
            yield Option(f"collapse by text and cosine {cosine}", {"collapse": by_cosine(cosine)})
    for name in ("document", "source"):
        if _repeats(bank, name):
            for most in (3, 2, 1):
                policy = {"collapse": LEXICAL, "quotas": {name: most}}
                yield Option(f"at most {most} of a {name}, copies by text collapsed", policy)
    yield Option("MMR, copies by text collapsed", {"collapse": LEXICAL}, path=True)
    if vectors:
        collapse = by_cosine(0.9)
        yield Option("MMR, copies by text and cosine 0.9 collapsed", {"collapse": collapse}, path=True)
        dpp = {"objective": "dpp", "lambda": 0.9}
        yield Option("DPP, lambda 0.9, copies by text collapsed", {"collapse": LEXICAL, "diversity": dpp})
    coverage = {"objective": "coverage"}
    yield Option("coverage, copies by text collapsed", {"collapse": LEXICAL, "diversity": coverage})
    if vectors:
        for weight, read in ((0.0, "relevance"), (0.5, "relevance with feedback from the head")):
            for band in (0.8, 0.75, 0.7):
                diversity = {"objective": "feedback", "feedback": weight, "band": band}
                policy = {"collapse": LEXICAL, "diversity": diversity}
                yield Option(f"{read} times distance to the seats, cosine {band} to 1 as band", policy)


def by_cosine(cosine: float) -> dict[str, Any]:
    """Collapse by text, and by vectors alone from a cosine on."""
    return {**LEXICAL, "cosine": cosine, "confirm": 0.0}


def _repeats(bank: Bank, name: str) -> bool:
    """Whether a field has a value that several candidates of one pool share, in most pools."""
    shared = 0
    for query in bank:
        counts = Counter(value for one in query.pool if (value := one.value(name)) is not None)
        shared += any(count > 1 for count in counts.values())
    return 2 * shared > len(bank)
