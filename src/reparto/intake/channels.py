"""Several ranked lists fused into one by reciprocal rank fusion (Cormack, Clarke & Buettcher, SIGIR 2009; k = 60)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.errors import Problem
from reparto.intake import values
from reparto.intake.candidates import Reading

K = 60


def fuse(channels: Any, reading: Reading) -> list[dict[str, Any]]:
    """One raw candidate per id, its `score` the fused value: sum over lists of 1 / (60 + rank), ranks from 1.

    Only the order within each list counts, so their scores may be on any scale. Fields come from the first list
    that has them; one id with two texts is a problem.
    """
    if not isinstance(channels, Mapping):
        fault = values.Fault(
            f"should be an object of ranked lists, not {values.kind(channels)}", 'give {"dense": […], "lexical": […]}'
        )
        reading.problem(fault, None, "channels")
        return []
    fused: dict[str, dict[str, Any]] = {}
    for name, ranked in channels.items():
        if isinstance(ranked, str | Mapping) or not hasattr(ranked, "__iter__"):
            reading.problem(
                values.Fault(f"should be a list, not {values.kind(ranked)}", "give the ranked candidates as a list"),
                None,
                f"channels.{name}",
            )
            continue
        seen: set[str] = set()
        for place, raw in enumerate(ranked):
            path = f"channels.{name}[{place}]"
            if not isinstance(raw, Mapping):
                reading.problem(
                    values.Fault(
                        f"should be an object, not {values.kind(raw)}", "give each candidate as an object with an id"
                    ),
                    None,
                    path,
                )
                continue
            try:
                id = values.required_identifier(raw.get("id"))
            except values.Fault as fault:
                reading.problem(fault, path, "id")
                continue
            if raw.get("score") is not None:  # not counted, but a number all the same
                try:
                    values.number(raw["score"])
                except values.Fault as fault:
                    reading.problem(fault, id, f"{path}.score")
            if id in seen:  # a list that names a passage twice ranks it by its better place
                continue
            seen.add(id)
            _add(fused, id, raw, 1.0 / (K + len(seen)), reading)
    return list(fused.values())


def _add(fused: dict[str, dict[str, Any]], id: str, raw: Mapping[str, Any], share: float, reading: Reading) -> None:
    if id not in fused:
        fused[id] = {**raw, "id": id, "score": share}
        return
    one = fused[id]
    if raw.get("text") is not None and one.get("text") is not None and raw["text"] != one["text"]:
        reading.problems.append(
            Problem(
                "conflicting_text", "one id with two texts", "give every passage an id of its own", id=id, field="text"
            )
        )
    one.update({key: value for key, value in raw.items() if one.get(key) is None})
    one["score"] += share
