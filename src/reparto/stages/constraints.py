"""Constraints of seating: masks over entries. Quotas, families of revisions, the budget, hard minimum and soft floor.

A constraint answers `allowed()`: which entries may be seated next, (n,) bool. `lifted` says at which round of filling
it no longer holds: share out first, fill later.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reparto.contract.policy import Policy
from reparto.kernels.covering import Rule
from reparto.model import Entry, Floats

Mask = NDArray[np.bool_]
ROUNDING = 1e-12  # .1 x .8 is more than .08 in floats: who stands on a limit is not below it


class Round(IntEnum):
    """Rounds of one greedy loop. In each, more is allowed than in the one before."""

    SHARE = 0  # everything holds
    REFILL = 1  # soft quotas and the limit on revisions are lifted
    WAITING = 2  # silvers under a gold and older revisions may come back
    FLOOR = 3  # the floor is lifted
    NEVER = 4


class Constraint(Protocol):
    """One mask on the loop."""

    name: str
    lifted: Round

    def allowed(self) -> Mask:
        """Entries that may be seated next, (n,)."""
        ...

    def take(self, i: int) -> None:
        """Entry i has been seated."""
        ...

    def rule(self) -> Rule:
        """The constraint as a kernel takes it, before the first seat."""
        ...


class Fixed:
    """A mask that does not change: a minimum, a floor, what waits."""

    def __init__(self, name: str, mask: Mask, lifted: Round) -> None:
        self.name, self.lifted, self._mask = name, lifted, mask

    def allowed(self) -> Mask:
        """The mask."""
        return self._mask

    def take(self, i: int) -> None:
        """Nothing changes."""

    def rule(self) -> Rule:
        """As a kernel takes it."""
        return self._mask, int(self.lifted)


class AtMost:
    """At most `most` seats for one value of a field. Code -1 is a value of its own, never shared."""

    def __init__(self, name: str, codes: NDArray[np.int64], most: int, lifted: Round) -> None:
        self.name, self.lifted, self.codes, self.most = name, lifted, codes, most
        self._seated = np.zeros(max(int(codes.max(initial=-1)) + 1, 1), dtype=np.int64)

    def allowed(self) -> Mask:
        """Entries whose value has seats left."""
        mask: Mask = (self.codes < 0) | (self._seated[np.maximum(self.codes, 0)] < self.most)
        return mask

    def take(self, i: int) -> None:
        """Count the seat."""
        if self.codes[i] >= 0:
            self._seated[self.codes[i]] += 1

    def rule(self) -> Rule:
        """As a kernel takes it."""
        return self.codes, int(self.lifted), min(self.most, len(self.codes)), "codes"  # more never binds


class Budget:
    """What does not fit is skipped and the next one tried; never lifted."""

    name = "budget"
    lifted = Round.NEVER

    def __init__(self, tokens: NDArray[np.int64], limit: int) -> None:
        self._tokens, self.left = tokens, limit

    def allowed(self) -> Mask:
        """Entries that still fit."""
        mask: Mask = self._tokens <= self.left
        return mask

    def take(self, i: int) -> None:
        """Spend the entry's tokens."""
        self.left -= int(self._tokens[i])

    def rule(self) -> Rule:
        """As a kernel takes it."""
        return self._tokens, int(self.lifted), min(self.left, int(self._tokens.sum())), "tokens"  # more never binds


def value_key(value: Any) -> Hashable | None:
    """A field's value as a key: 7 and "7" are the same; lists and objects compare as a whole; None is no value."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def codes_of(values: Sequence[Any]) -> NDArray[np.int64]:
    """Small integers for equal values, -1 for a missing one, (n,)."""
    known: dict[Hashable, int] = {}
    keys = [value_key(value) for value in values]
    return np.array([-1 if key is None else known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


def constraints_of(policy: Policy, entries: Sequence[Entry], relevance: Floats, floor: float) -> list[Constraint]:
    """The constraints that a policy declares for these entries, in the order in which they are named as binding."""
    n = len(entries)
    found: list[Constraint] = []
    waiting = np.array([entry.waits for entry in entries], dtype=bool)
    if waiting.any():
        found.append(Fixed("waits", ~waiting, Round.WAITING))
    for path, quota in (policy.quotas or {}).items():
        codes = codes_of([entry.candidate.value(path) for entry in entries])
        name = f"quota {path}" if quota.fill else f"cap {path}"
        found.append(AtMost(name, codes, quota.max, Round.REFILL if quota.fill else Round.NEVER))
    if policy.collapse is not None and policy.collapse.revision_seats is not None:
        families = codes_of([entry.family for entry in entries])
        if (families >= 0).any():
            found.append(AtMost("revision_seats", families, policy.collapse.revision_seats, Round.REFILL))
    if floor > 0 and n:
        found.append(Fixed("floor", relevance >= floor * relevance.max() - ROUNDING, Round.FLOOR))
    if policy.scores.minimum is not None:
        found.append(Fixed("minimum", relevance >= policy.scores.minimum - ROUNDING, Round.NEVER))
    if policy.budget is not None:
        tokens = np.array([entry.tokens for entry in entries], dtype=np.int64)
        found.append(Budget(tokens, policy.budget.tokens))
    return found
