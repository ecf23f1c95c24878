"""One sentence per seat: why it was given."""

from __future__ import annotations

from collections.abc import Mapping

from reparto.model import Entry
from reparto.stages.constraints import Round
from reparto.stages.seat import Place

FILLED: Mapping[Round, str] = {
    Round.REFILL: "filled an empty seat once the quotas were lifted",
    Round.WAITING: "filled an empty seat from what was waiting as depth or as an older revision",
    Round.FLOOR: "filled an empty seat from below the floor",
}


def because(place: Place, entry: Entry) -> str:
    """The reason, with the numbers that decided."""
    parts = [FILLED.get(place.round) or _bound(place) or "the best value left"]
    parts[0] += f" (value {place.value:.3f}, relevance {entry.relevance:.3f}, redundancy {place.redundancy:.3f})"
    if entry.relevance != entry.candidate.score and entry.depth:
        parts.append("it is the canonical text of its concept and ranks by its best variant")
    if entry.copies:
        parts.append(f"it stands for {1 + len(entry.copies)} copies")
    if entry.span is not None:
        parts.append(f"merged from {len(entry.span.members)} chunks")
    if entry.revision is not None:
        parts.append(f"it disagrees in a fact with {entry.revision.by}")
    text = "; ".join(parts)
    return text[0].upper() + text[1:] + "."


def _bound(place: Place) -> str | None:
    if place.bound is None:
        return None
    return f"the best value that the {place.bound} allows"
