"""What each template is given."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from reparto.demo import feed
from reparto.render.safe import visible
from reparto.selection import Seat
from reparto.service.inspector import heatmap as heat
from reparto.service.inspector.answers import Written
from reparto.service.inspector.curve import carries, covered, curve
from reparto.service.inspector.form import NAMES, Asked, objectives
from reparto.service.inspector.inspection import Inspection, distinct
from reparto.service.inspector.losers import losers
from reparto.service.inspector.rows import Passage, passage, ranked_rows, seat_rows
from reparto.service.inspector.trial import Trial
from reparto.service.inspector.words import Words

MOST_ANSWER = 20_000
NAMED = {field: name for name, field in NAMES.items()}


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure before and after: `better` says whether the change is one to be glad of (None: neither)."""

    key: str
    before: str
    after: str
    better: bool | None


def sources() -> dict[str, Any]:
    """The shipped queries, for every page that has the form."""
    return {"examples": [(line["query_id"], line["query"], line["query_class"]) for line in feed()]}


def inspect_view(seen: Inspection, words: Words) -> dict[str, Any]:
    """The inspector itself."""
    selection = seen.selection
    return {
        "query": shown_query(seen),
        "selection": selection,
        "seen": seen,
        "ranked": ranked_rows(seen),
        "seats": seat_rows(seen),
        "fallen": losers(seen, words),
        "tiles": tiles(seen, words),
        "map": heat.heatmap(seen),
        "box": heat.cell_box,
        "curve": curve(seen),
        "strengths": heat.STRENGTHS,
        "objectives": objectives(bool(seen.given.request.aspects)),
        "quotas": quotas(seen),
        "warnings": [(one.code, visible(one.message)[:400]) for one in selection.warnings[:40]],
        "unmet": [{**one, "reserve": declared(one["reserve"])} for one in selection.report["unmet"]],
    }


def declared(reserve: Mapping[str, Any]) -> str:
    """A reserve as the contract has it, on one line: `field = document, distinct = 3, within = 5`."""
    parts = (f"{name} = {value if isinstance(value, str) else json.dumps(value)}" for name, value in reserve.items())
    return visible(", ".join(parts))[:200]


def tiles(seen: Inspection, words: Words) -> list[Tile]:
    """Duplicates, outlets, passages counted and facts: by rank, and in the selection."""
    selection, report = seen.selection, seen.selection.report
    before, after = report["duplicate_rate_before"], report["duplicate_rate_after"]
    found = [Tile("tile.duplicates", words.share(before), words.share(after), _better(after, before))]
    first, outlets = distinct([one.source for one in seen.first]), report["sources"]
    found.append(Tile("tile.sources", words.number(first), words.number(outlets), _better(first, outlets)))
    behind = sum(seat.copies.count for seat in selection.seats)
    found.append(
        Tile("tile.behind", words.number(len(seen.first)), words.number(behind), _better(len(seen.first), behind))
    )
    judgments = seen.given.judgments
    if judgments is not None:
        entries = {one.id: one for one in seen.seated.entries}
        by_rank, one = covered(judgments, [(one.id,) for one in seen.first])
        carried = [carries(entries[seat.id]) for seat in selection.seats if seat.id in entries]
        by_seat, two = covered(judgments, carried)
        found.append(Tile("tile.facts", words.number(one), words.number(two), _better(by_rank, by_seat)))
    return found


def _better(less: float, more: float) -> bool | None:
    return None if less == more else less < more


def quotas(seen: Inspection) -> dict[str, int | None]:
    """The quotas in force on the two fields that the form offers."""
    table = seen.policy.quotas or {}
    return {name: table[name].max if name in table else None for name in ("document", "source")}


def shown_query(seen: Inspection) -> str:
    """The question, to be read."""
    return visible(seen.selection.query)[:2000]


def compare_sides(seen: Inspection, trial: Trial | None) -> list[list[Passage]]:
    """Two sets without a hint of which is which."""
    sets: dict[str, Sequence[Any]] = {"selection": seen.selection.seats, "top-k": seen.first}
    return [_plain(sets[name]) for name in trial.sides] if trial is not None else []


def answer_sides(written: Written, trial: Trial | None) -> list[list[str]]:
    """Two answers as paragraphs, their citations checked, without a hint of which is which."""
    if trial is None:
        return []
    texts = [visible(written.answers[name].marked())[:MOST_ANSWER] for name in trial.sides]
    return [[part for part in text.split("\n") if part.strip()] for text in texts]


def carried(asked: Asked, seen: Inspection) -> list[tuple[str, str]]:
    """The form's fields for a page that does not show them, the lambda settled."""
    fields = {NAMED.get(name, name): str(getattr(asked, name)) for name in asked.__dataclass_fields__}
    for name in ("step", "at", "key", "lang"):
        del fields[name]
    fields["lambda"] = str(seen.override.get("diversity", {}).get("lambda", ""))
    return [(name, value) for name, value in fields.items() if value]


def _plain(passages: Sequence[Any]) -> list[Passage]:
    return [passage(one, one.text) if isinstance(one, Seat) else passage(one) for one in passages]


def vote_fields(raw: bytes) -> dict[str, str]:
    """The two fields of an answer; the rest of its form is read with the others."""
    given = parse_qs(raw.decode("ascii", "replace"), max_num_fields=100)
    return {name: given.get(name, [""])[-1] for name in ("trial", "choice")}


def next_example(asked: Asked) -> str:
    """The shipped query after the one just judged."""
    names = [str(line["query_id"]) for line in feed()]
    if asked.source != "pick":
        return names[0]
    here = names.index(asked.pick) if asked.pick in names else 0
    return names[(here + 1) % len(names)]
