"""A record as the rules see it: candidates, decisions and seats by id, and who stands for whom."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reparto.errors import LogError, Problem
from reparto.kernels.reference.length import estimate_tokens

if TYPE_CHECKING:
    from reparto.verification.allowed import Allowed

ABSORBED = ("copy", "merged")  # fates of those who have no entry of their own


class View:
    """One logged record. Raises `LogError` when it has not the shape of a record."""

    def __init__(self, record: Any) -> None:
        try:
            self.record: Mapping[str, Any] = record
            self.request: Mapping[str, Any] = record["request"]
            self.selection: Mapping[str, Any] = record["selection"]
            self.policy: Mapping[str, Any] = record["policy"]
            self.candidates: dict[str, Mapping[str, Any]] = {}
            for one in self.request["candidates"]:
                known = self.candidates.get(one["id"])
                if known is None or self._better(one, known):
                    self.candidates[one["id"]] = one
            self.decisions: list[Mapping[str, Any]] = list(self.selection["decisions"])
            self.fate: dict[str, Mapping[str, Any]] = {one["id"]: one for one in self.decisions}
            self.seats: list[Mapping[str, Any]] = list(self.selection["seats"])
            self.report: Mapping[str, Any] = self.selection["report"]
            self.k = int(self.policy.get("k", 8))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LogError(
                Problem(
                    "not_a_record",
                    f"not a selection record ({type(error).__name__}: {error})",
                    "give a log that `--log` wrote",
                )
            ) from error

    def _better(self, one: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
        sign = -1 if self.section("scores").get("kind") == "distance" else 1

        def place(candidate: Mapping[str, Any]) -> tuple[bool, float]:
            score = candidate.get("score")  # none where it was no finite number
            return candidate.get("valid", False), -math.inf if score is None else sign * score

        return place(one) > place(known)

    def section(self, name: str) -> Mapping[str, Any]:
        """A table of the policy; empty where it is off."""
        found = self.policy.get(name)
        return found if isinstance(found, Mapping) else {}

    @cached_property
    def valid(self) -> list[str]:
        """Ids of the valid candidates."""
        return [id for id, one in self.candidates.items() if one.get("valid", False)]

    @cached_property
    def entries(self) -> list[str]:
        """Ids that competed for a seat themselves."""
        return [id for id in self.valid if self.fate.get(id, {}).get("fate") not in ABSORBED]

    @cached_property
    def seated(self) -> list[str]:
        """Ids of the seats in the order of seating."""
        return sorted(
            (seat["id"] for seat in self.seats),
            key=lambda one: self.fate.get(one, {}).get("evidence", {}).get("place", 0),
        )

    def leader(self, id: str) -> str:
        """The entry that a copy or a merged chunk ends up with."""
        seen = set()
        while self.fate.get(id, {}).get("fate") in ABSORBED and id not in seen:
            seen.add(id)
            by = self.fate[id].get("by")
            if by is None:
                break
            id = by
        return id

    @cached_property
    def standing_for(self) -> dict[str, list[str]]:
        """Entry -> every candidate it stands for, itself included."""
        found: dict[str, list[str]] = {id: [] for id in self.entries}
        for id in self.valid:
            found.setdefault(self.leader(id), []).append(id)
        return found

    def value(self, id: str, path: str) -> Any:
        """A candidate's field or `metadata.NAME`."""
        one = self.candidates[id]
        if not path.startswith("metadata."):
            return one.get(path)
        name = path.removeprefix("metadata.")
        metadata = one.get("metadata") or {}
        if name in metadata:
            return metadata[name]
        for part in name.split("."):
            metadata = metadata.get(part) if isinstance(metadata, Mapping) else None
        return metadata

    def tokens(self, id: str) -> int:
        """Length of an entry by the declared counter; a candidate's own `tokens` count under `estimate` only."""
        counter = self.section("budget").get("counter", "estimate")
        seat = next((one for one in self.seats if one["id"] == id), None)
        if seat is None and "tokens" in self.fate[id]["evidence"]:
            return int(self.fate[id]["evidence"]["tokens"])  # of a span without a seat the text is not logged
        text = seat["text"] if seat is not None and seat["span"] else self.candidates[id].get("text", "")
        if counter == "characters":
            return len(text)
        if counter == "words":
            return len(text.split())
        declared = self.candidates[id].get("tokens")
        return estimate_tokens(text) if declared is None or (seat is not None and seat["span"]) else int(declared)

    def may_take(self, id: str, place: int) -> bool:
        """Whether an entry was allowed the seat at `place` in that seat's own round."""
        return not self.forbids(id, place, int(self.fate[self.seated[place]]["evidence"].get("round", 0)))

    def forbids(self, id: str, place: int, round: int) -> str | None:
        """What kept an entry from the seat at `place` (from 0) in a round of filling; None: nothing."""
        return self.limits.forbids(id, place, round)

    @cached_property
    def limits(self) -> Allowed:
        """The declared limits, ready to be asked."""
        from reparto.verification.allowed import Allowed

        return Allowed(self)


def same(a: Any, b: Any) -> bool:
    """Whether two field values are the same value: 7 is "7", true is "true"."""
    return word(a) == word(b)


def word(value: Any) -> str | None:
    """A field value as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
