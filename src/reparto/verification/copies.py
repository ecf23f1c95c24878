"""Copies meet their thresholds against the one they were compared with; the recorded numbers are the true ones."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from reparto.kernels.reference.shingles import COLLAPSE
from reparto.verification.record import Violation
from reparto.verification.similar import containment, cosine, resemblance, same_form, shingle_set
from reparto.verification.view import View

NEAR = 1e-6
RANGES = {"resemblance": (0.0, 1.0), "containment": (0.0, 1.0), "cosine": (-1.0, 1.0)}


def check(view: View) -> Iterator[Violation]:
    """Each copy's evidence: in range, over a threshold, and what the texts and vectors give."""
    table = view.section("collapse")
    for one in view.decisions:
        evidence = one.get("evidence") or {}
        for name, (low, high) in RANGES.items():
            number = evidence.get(name)
            if number is not None and not low <= number <= high:
                yield Violation("copies", f"{name} {number} is outside {low:g}..{high:g}", (one["id"],))
        if one["fate"] != "copy":
            continue
        if not table:
            yield Violation("copies", "a copy, though collapse is off", (one["id"],))
            continue
        yield from _check_copy(view, table, one, evidence)


def _check_copy(
    view: View, table: Mapping[str, Any], one: Mapping[str, Any], evidence: Mapping[str, Any]
) -> Iterator[Violation]:
    id, other = one["id"], evidence.get("against", one["by"])
    if other not in view.candidates or view.leader(other) != view.leader(id):
        yield Violation("copies", f"compared with {other!r}, which is not of its group", (id,))
        return
    if not _over_a_threshold(table, one, evidence):
        yield Violation("copies", "its evidence meets no threshold of the contract", (id, other))
    window = table.get("window_days", False)
    if window is not False and not _within(view, id, other, window):
        yield Violation("copies", "published outside the time window", (id, other))
    if one["relation"] == "update" and view.candidates[id].get("source") != view.candidates[other].get("source"):
        yield Violation("copies", "an update, but of another source", (id, other))
    recorded = evidence.get("cosine")
    if recorded is not None:
        true = cosine(view.candidates[id].get("vectors", {}), view.candidates[other].get("vectors", {}))
        if true is None or not math.isclose(recorded, true, abs_tol=NEAR):
            yield Violation("copies", f"cosine {recorded}, but the vectors give {true}", (id, other))
    texts = [_text(view, name) for name in (id, other)]
    if None not in texts and not evidence.get("part"):
        yield from _check_texts(one, evidence, str(texts[0]), str(texts[1]), other)


def _text(view: View, id: str) -> str | None:
    """A text as it was compared: of a span the merged one, which only its seat holds; None where a signature was."""
    if "signature" in view.candidates[id]:
        return None
    seat = next((seat for seat in view.seats if seat["id"] == id), None)
    if seat is not None:
        return None if seat["text"] is None else str(seat["text"])
    if any(one["fate"] == "merged" and one["by"] == id for one in view.decisions):
        return None
    text = view.candidates[id].get("text", "")
    return (
        None if view.candidates[id].get("text") is None and "text_digest" in view.candidates[id] and not text else text
    )


def _over_a_threshold(table: Mapping[str, Any], one: Mapping[str, Any], evidence: Mapping[str, Any]) -> bool:
    def meets(name: str, default: float) -> bool:
        least = table.get(name, default)
        return least is not False and evidence.get(name) is not None and evidence[name] >= least

    if one["relation"] == "exact":
        return bool(table.get("exact", True)) and evidence.get("resemblance") == 1.0
    confirm = table.get("confirm", 0.2) or 0.0
    shared = max(evidence.get("resemblance") or 0.0, evidence.get("containment") or 0.0)
    return meets("resemblance", 0.6) or meets("containment", 0.8) or (meets("cosine", 0.95) and shared >= confirm)


def _within(view: View, a: str, b: str, days: float) -> bool:
    moments = [_moment(view.candidates[id].get("published")) for id in (a, b)]
    return None in moments or abs(moments[0] - moments[1]) <= timedelta(days=days)  # type: ignore[operator]


_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")


def _moment(text: str | None) -> datetime | None:
    """A published text in UTC, which it is without a zone too; "2024" and "2024-05" are their first moment."""
    text = (text or "").strip()
    short = _YEAR_OR_MONTH.fullmatch(text)
    try:
        moment = datetime(int(short[1]), int(short[2] or 1), 1) if short else datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _check_texts(
    one: Mapping[str, Any], evidence: Mapping[str, Any], text: str, other_text: str, other: str
) -> Iterator[Violation]:
    id = one["id"]
    if one["relation"] == "exact":
        if not same_form(text, other_text):
            yield Violation("copies", "an exact copy, but the texts differ", (id, other))
        return
    mine, theirs = shingle_set(text, COLLAPSE), shingle_set(other_text, COLLAPSE)
    true = {
        "resemblance": 1.0 if same_form(text, other_text) else resemblance(mine, theirs),
        "containment": 1.0 if same_form(text, other_text) else containment(mine, theirs),
    }
    # A representative other than the centre turns the pair around, and with it the containment.
    turned = {**true, "containment": containment(theirs, mine)}
    for name in ("resemblance", "containment"):
        number = evidence.get(name)
        if number is not None and not any(
            math.isclose(number, values[name], abs_tol=0.05) for values in (true, turned)
        ):
            yield Violation("copies", f"{name} {number}, but the texts give {true[name]:.4f}", (id, other))
