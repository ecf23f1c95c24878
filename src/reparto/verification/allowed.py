"""Who was allowed a seat: each declared limit computed again from the seats before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reparto.verification.scaling import inherited
from reparto.verification.view import View, word

REFILL, WAITING, FLOOR, NEVER = 1, 2, 3, 4
ROUNDING = 1e-12  # of the product of a floor and the best relevance


class Allowed:
    """The limits of one record. `forbids` is asked about an entry, a place and a round."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._relevance = inherited(view)
        self.families = _families(view)
        self._waits = _silvers(view) | {
            id for id, one in view.fate.items() if one["fate"] == "depth" or _older(view, one)
        }

    def forbids(self, id: str, place: int, round: int) -> str | None:
        """The first limit that holds in this round and keeps the entry from this seat; None: nothing does."""
        before = self._view.seated[:place]
        return next((name for name, lifted in self._broken(id, before) if lifted > round), None)

    def _broken(self, id: str, before: list[str]) -> Iterator[tuple[str, int]]:
        view = self._view
        if id in self._waits:
            yield "waiting list", WAITING
        for path, quota in _quotas(view.section("quotas")).items():
            value = word(view.value(id, path))
            most, fill = (quota, True) if isinstance(quota, int) else (quota["max"], quota.get("fill", True))
            if value is not None and sum(word(view.value(one, path)) == value for one in before) >= most:
                yield f"quota on {path}", REFILL if fill else NEVER
        seats = view.section("collapse").get("revision_seats", 2) if view.section("collapse") else False
        family = self.families.get(id)
        if (
            seats is not False
            and family is not None
            and sum(self.families.get(one) == family for one in before) >= seats
        ):
            yield "limit on revisions", REFILL
        floor = view.section("diversity").get("floor", 0.0)
        if self._relevance[id] < floor * max(self._relevance.values()) - ROUNDING:
            yield "floor", FLOOR
        minimum = view.section("scores").get("minimum", False)
        if minimum is not False and self._relevance[id] < minimum - ROUNDING:
            yield "minimum", NEVER
        budget = view.section("budget").get("tokens")
        if budget is not None and sum(view.tokens(one) for one in before) + view.tokens(id) > budget:
            yield "budget", NEVER


def _older(view: View, decision: Mapping[str, Any]) -> bool:
    """An older revision under `latest` waits."""
    return view.section("collapse").get("revisions") == "latest" and decision.get("relation") == "revision"


def _silvers(view: View) -> set[str]:
    """Silver variants of a concept whose gold competes: they wait, whether or not the gold finds a seat."""
    if not isinstance(view.policy.get("canonical"), Mapping):  # off is false, on is a table
        return set()
    tiers: dict[tuple[Any, Any], list[str]] = {}
    for id in view.entries:
        concept, tier = (view.candidates[id].get(name) for name in ("concept", "tier"))
        if concept is not None:
            tiers.setdefault((concept, tier), []).append(id)
    return {
        id for (concept, tier), ids in tiers.items() if tier == "silver" and (concept, "gold") in tiers for id in ids
    }


def _families(view: View) -> dict[str, str]:
    """Entry -> leader of its family of revisions."""
    found = {id: one["by"] for id, one in view.fate.items() if one.get("relation") == "revision" and one.get("by")}
    return {**{leader: leader for leader in found.values() if leader not in found}, **found}


def _quotas(table: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, one in table.items():
        if name == "metadata" and isinstance(one, Mapping):
            flat |= {f"metadata.{key}": value for key, value in one.items()}
        elif one is not False:
            flat[name] = one
    return {name: one for name, one in flat.items() if one is not False}
