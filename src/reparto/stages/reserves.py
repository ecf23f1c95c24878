"""Reserves: seats kept for what the set must hold. A look ahead, so that no choice now makes a reserve impossible.

Each reserve is a set of codes to collect: distinct values of a field, buckets of time, or entries that fulfil a
condition. Before a seat is given, the loop asks whether the reserves can still be met in the seats that are left,
under the quotas and the budget; an entry after which they cannot is passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.contract.policy import Reserve
from reparto.kernels.covering import Wanted
from reparto.model import Candidate, Entry
from reparto.stages.constraints import AtMost, Budget, Constraint, Mask, codes_of, value_key

BEGINNINGS = 32  # entries tried as the first of a plan, where the greedy plan leaves a reserve unmet


class Collect:
    """One reserve over n entries: collect `wanted` codes within the first `within` seats.

    `codes` (n,): -1 contributes nothing. `distinct`: a code counts once; otherwise every entry with a code counts.
    """

    def __init__(self, declared: Reserve, codes: NDArray[np.int64], k: int, distinct: bool) -> None:
        self.declared, self.codes, self.distinct = declared, codes, distinct
        self.within = min(declared.within or k, k)
        self.wanted = declared.wanted
        there = int(np.count_nonzero(codes >= 0)) if not distinct else len(np.unique(codes[codes >= 0]))
        self.most = min(self.wanted, self.within, there)  # what of it is possible at all, were it alone
        self.target = 0  # what of it this pool can give
        self.got = 0
        self._adds: Mask = codes >= 0

    def adds(self) -> Mask:
        """Entries that would bring it forward, (n,)."""
        return self._adds.copy()

    def asked(self) -> Wanted:
        """The reserve as a kernel takes it, before the first seat."""
        return self.codes, self.distinct, self.within, min(self.wanted, len(self.codes))  # more is not to be had

    def take(self, i: int, seat: int) -> None:
        """Entry i took a seat (counted from 0)."""
        if seat < self.within and self._adds[i]:
            self.got += 1
            if self.distinct:
                self._adds[self.codes == self.codes[i]] = False


class Reserves:
    """All reserves of a policy together."""

    def __init__(self, reserves: Sequence[Collect], n: int) -> None:
        self.reserves, self._n = list(reserves), n

    def aim(self, eligible: Mask, constraints: Sequence[Constraint], seat: int) -> None:
        """Set each target to what this pool can give under the constraints: met as far as it can be."""
        got = self._simulate(eligible, constraints, [], seat)
        limited = len(self.reserves) > 1 or any(isinstance(one, AtMost | Budget) for one in constraints)
        if limited and self._reached(got) < sum(reserve.most for reserve in self.reserves):
            # Two reserves, or one and a limit, may want different beginnings: each of the best is tried.
            useful = eligible & np.any([reserve.adds() for reserve in self.reserves], axis=0)
            for i in np.flatnonzero(useful)[:BEGINNINGS].tolist():
                got = max(got, self._simulate(eligible, constraints, [i], seat), key=self._reached)
        for reserve, reached in zip(self.reserves, got, strict=True):
            reserve.target = max(reserve.target, min(reserve.wanted, reached))

    def _reached(self, got: Sequence[int]) -> int:
        return sum(min(reached, reserve.most) for reached, reserve in zip(got, self.reserves, strict=True))

    def binding(self, seat: int) -> bool:
        """Whether a careless choice at this seat could cost a reserve: nothing to look ahead for otherwise."""
        return any(reserve.got < reserve.target and seat < reserve.within for reserve in self.reserves)

    def allow(self, i: int, seat: int, eligible: Mask, constraints: Sequence[Constraint]) -> bool:
        """Whether every target can still be reached once entry i has this seat."""
        reached = self._simulate(eligible, constraints, [i], seat)
        return all(got >= reserve.target for got, reserve in zip(reached, self.reserves, strict=True))

    def next_needed(self, seat: int, eligible: Mask, constraints: Sequence[Constraint]) -> int | None:
        """The entry that the look-ahead itself would seat next, where its plan and the values cannot agree."""
        plan: list[int] = []
        self._simulate(eligible, constraints, [], seat, plan)
        return plan[0] if plan else None

    def take(self, i: int, seat: int) -> None:
        """Entry i took a seat."""
        for reserve in self.reserves:
            reserve.take(i, seat)

    def _simulate(
        self,
        eligible: Mask,
        constraints: Sequence[Constraint],
        first: list[int],
        seat: int,
        plan: list[int] | None = None,
    ) -> list[int]:
        """Greedy multi-cover: what each reserve reaches when the seats from `seat` on go to whoever serves the most
        reserves, the most urgent first. `first` are seated before. Entries in rank order break ties.
        """
        got = [reserve.got for reserve in self.reserves]
        adds = [reserve.adds() for reserve in self.reserves]
        free = eligible.copy()
        caps = [(c.codes, c.most - c._seated[np.maximum(c.codes, 0)]) for c in constraints if isinstance(c, AtMost)]
        budget = next((c for c in constraints if isinstance(c, Budget)), None)
        left = budget.left if budget else 0
        spent: list[tuple[NDArray[np.int64], dict[int, int]]] = [(codes, {}) for codes, _ in caps]

        def seat_one(i: int, at: int) -> None:
            nonlocal left
            free[i] = False
            for place, reserve in enumerate(self.reserves):
                if at < reserve.within and adds[place][i]:
                    got[place] += 1
                    if reserve.distinct:
                        adds[place][reserve.codes == reserve.codes[i]] = False
            for (codes, room), (_, used) in zip(caps, spent, strict=True):
                code = int(codes[i])
                if code >= 0:
                    used[code] = used.get(code, 0) + 1
                    if used[code] >= room[i]:
                        free[codes == code] = False
            if budget:
                left -= int(budget._tokens[i])
                free[budget._tokens > left] = False

        at = seat
        for i in first:
            seat_one(i, at)
            at += 1
        last = max((reserve.within for reserve in self.reserves), default=0)
        while at < last:
            serves = np.zeros(self._n)
            for place, reserve in enumerate(self.reserves):
                if got[place] < reserve.most and at < reserve.within:
                    urgent = (reserve.most - got[place]) / (reserve.within - at)
                    serves += adds[place] * (1.0 + urgent)
            serves[~free] = 0.0
            if not serves.any():
                break
            i = int(serves.argmax())
            if plan is not None:
                plan.append(i)
            seat_one(i, at)
            at += 1
        return got


def reserves_of(
    declared: Sequence[Reserve] | None, entries: Sequence[Entry], valid: Sequence[Candidate], k: int
) -> Reserves:
    """The reserves of a policy over these entries. `valid` are all valid candidates: they set the time buckets."""
    found = []
    for reserve in declared or ():
        if reserve.where is not None:
            codes = np.array(
                [0 if _fulfils(entry.candidate, reserve.where) else -1 for entry in entries], dtype=np.int64
            )
            found.append(Collect(reserve, codes, k, distinct=False))
        elif reserve.buckets is not None:
            found.append(Collect(reserve, _buckets(entries, valid, reserve.buckets), k, distinct=True))
        else:
            found.append(Collect(reserve, distinct_codes(entries, str(reserve.field)), k, distinct=True))
    return Reserves(found, len(entries))


def distinct_codes(entries: Sequence[Entry], path: str) -> NDArray[np.int64]:
    """Codes of a field's values. A missing document or source is its own; any other missing value is none."""
    codes = codes_of([entry.candidate.value(path) for entry in entries])
    if path in ("document", "source"):
        missing = np.flatnonzero(codes < 0)
        codes[missing] = np.arange(len(missing)) + int(codes.max(initial=-1)) + 1
    return codes


def _fulfils(candidate: Candidate, where: dict[str, Any]) -> bool:
    return all(value_key(candidate.value(path)) == value_key(wanted) for path, wanted in where.items())


def _buckets(entries: Sequence[Entry], valid: Sequence[Candidate], buckets: int) -> NDArray[np.int64]:
    """Equal widths between the earliest and the latest date of the valid candidates."""
    moments = [one.instant for one in valid if one.instant is not None]
    if not moments:
        return np.full(len(entries), -1, dtype=np.int64)
    first, width = min(moments), (max(moments) - min(moments)) / buckets

    def bucket(moment: datetime | None) -> int:
        if moment is None:
            return -1
        return min(buckets - 1, int((moment - first) / width)) if width else 0

    return np.array([bucket(entry.candidate.instant) for entry in entries], dtype=np.int64)
