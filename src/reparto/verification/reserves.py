"""Reserves: met, or reported as unmet and impossible with this pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from reparto.verification.copies import _moment
from reparto.verification.record import Violation
from reparto.verification.view import View, same, word


def check(view: View) -> Iterator[Violation]:
    """Count again what each reserve got, and hold it against what is reported and what the pool had."""
    declared = view.policy.get("reserve") or []
    reported = list(view.report["unmet"])
    short = []
    for reserve in declared:
        within = min(reserve.get("within", view.k), view.k)
        wanted = reserve.get("distinct") or reserve.get("at_least") or reserve.get("buckets")
        got = _count(view, reserve, view.seated[:within])
        if got < wanted:
            short.append((wanted, got))
            if not _limited(view) and len(declared) == 1:
                free = [id for id in view.entries if not view.forbids(id, 0, 0)]
                possible = min(_count(view, reserve, free), within)
                if got < min(wanted, possible):
                    yield Violation("reserves", f"{reserve}: {got} got, {possible} were possible")
    if sorted((one["wanted"], one["got"]) for one in reported) != sorted(short):
        yield Violation("reserves", f"unmet is reported as {reported}, counted as {short}")


def _limited(view: View) -> bool:
    """Under quotas or a budget, what is possible cannot be told by counting."""
    return bool(view.section("quotas") or view.section("budget") or view.section("collapse").get("revision_seats"))


def _count(view: View, reserve: Mapping[str, Any], ids: list[str]) -> int:
    if "where" in reserve:
        return sum(_fulfils(view, id, reserve["where"]) for id in ids)
    if "buckets" in reserve:
        return len({_bucket(view, id, reserve["buckets"]) for id in ids} - {None})
    path = reserve["field"]
    values = [word(view.value(id, path)) for id in ids]
    own = sum(value is None for value in values) if path in ("document", "source") else 0
    return len(set(values) - {None}) + own


def _fulfils(view: View, id: str, where: Mapping[str, Any]) -> bool:
    flat: dict[str, Any] = {}
    for name, one in where.items():
        flat |= (
            {f"metadata.{key}": value for key, value in one.items()}
            if name == "metadata" and isinstance(one, Mapping)
            else {name: one}
        )
    return all(same(view.value(id, path), wanted) for path, wanted in flat.items())


def _bucket(view: View, id: str, buckets: int) -> int | None:
    moments = {one: _moment(view.candidates[one].get("published")) for one in view.valid}
    known: list[datetime] = [moment for moment in moments.values() if moment is not None]
    mine = moments.get(id)
    if mine is None:
        return None
    width = (max(known) - min(known)) / buckets
    return min(buckets - 1, int((mine - min(known)) / width)) if width else 0
