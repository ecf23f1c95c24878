"""The two lists of the page, top-k and the selection, as rows that a template can write down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from reparto.model import Candidate, Decision, Relation
from reparto.render.safe import has_invisible, one_line, visible
from reparto.selection import Seat
from reparto.service.inspector.inspection import Inspection
from reparto.service.inspector.marks import Mark, marks_of

CLOSE = 1e-9
_BREAKS = re.compile(r"[ \t]*\n\s*")
LEAD, WHOLE, NAME, SHOWN_COPIES = 220, 6000, 90, 60


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as it is shown. `name` is its title, or its first words; nothing in it is invisible."""

    id: str
    name: str
    titled: bool
    source: str
    published: str
    lead: str
    rest: str
    url: str
    language: str
    cleaned: bool
    cut: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage of the top-k with what became of it."""

    rank: int
    passage: Passage
    score: float
    decision: Decision
    under: int | None  # the seat that stands for it, or that it has


@dataclass(frozen=True, slots=True)
class Bar:
    """The two terms of a seat's value as places on a line of 1,000 units, zero at `zero`."""

    zero: float
    plus: tuple[float, float]
    minus: tuple[float, float]
    value: float


@dataclass(frozen=True, slots=True)
class Term:
    """A seat's numbers: what relevance adds, what similarity takes, and the value that decided."""

    plus: float
    minus: float
    value: float
    weighted: bool  # whether plus - minus is the value, as under `mmr`


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat with its marks and the passages it stands for."""

    seat: Seat
    passage: Passage
    rank: int | None
    marks: tuple[Mark, ...]
    term: Term
    bar: Bar
    copies: tuple[Passage, ...]
    revision_of: str


def passage(one: Candidate | Seat, text: str | None = None) -> Passage:
    """A candidate or a seat made ready to show; long texts are cut."""
    raw = one.text if text is None else text
    whole = _BREAKS.sub("\n", visible(raw[: 2 * WHOLE])).strip()
    cut = len(whole) > WHOLE or len(raw) > 2 * WHOLE
    whole = whole[:WHOLE]
    at = len(whole) if len(whole) <= LEAD + 40 else (whole.rfind(" ", LEAD // 2, LEAD) + 1 or LEAD)
    title = one_line(one.title or "", NAME)
    return Passage(
        visible(one.id), title or one_line(whole, NAME) or "–", bool(title), visible(one.source or ""),
        visible(one.published or "")[:10], whole[:at], whole[at:], _link(one.url), _language(one.language),
        has_invisible(raw[: 2 * WHOLE]), cut,
    )  # fmt: skip


def ranked_rows(seen: Inspection) -> list[Ranked]:
    """The first k by rank, each with its fate."""
    fates = {one.id: one for one in seen.selection.decisions}
    return [
        Ranked(rank, passage(one), one.score, fates[one.id], fates[one.id].seat)
        for rank, one in enumerate(seen.first, 1)
    ]


def seat_rows(seen: Inspection) -> list[Seated]:
    """The seats in the order of delivery."""
    ranks = {one.id: rank for rank, one in enumerate(seen.ranking, 1)}
    known = {one.id: one for one in seen.ranking}
    fates = {one.id: one for one in seen.selection.decisions}
    terms = _terms(seen.lam, seen.selection.seats)
    low, high = _domain(terms)
    rows = []
    for seat, term in zip(seen.selection.seats, terms, strict=True):
        own = fates[seat.id]
        copies = [id for id in seat.copies.ids if id != seat.id and id in known][:SHOWN_COPIES]
        rows.append(
            Seated(
                seat,
                passage(seat),
                ranks.get(seat.id),
                marks_of(own),
                term,
                _bar(term, low, high),
                tuple(passage(known[id]) for id in copies),
                str(own.by) if own.relation is Relation.REVISION and own.by else "",
            )
        )
    return rows


def _terms(lam: float | None, seats: Sequence[Seat]) -> list[Term]:
    """As the two weighted terms of MMR where these add up to the values that decided, else as they are."""
    if lam is not None:
        weighted = [Term(lam * one.relevance, (1.0 - lam) * one.redundancy, one.value, True) for one in seats]
        if all(abs(one.plus - one.minus - one.value) < CLOSE for one in weighted):
            return weighted
    return [Term(one.relevance, one.redundancy, one.value, False) for one in seats]


def _domain(terms: Iterable[Term]) -> tuple[float, float]:
    ends = [0.0, 1e-6]
    for one in terms:
        ends += [one.plus, one.plus - one.minus if one.weighted else one.minus]
    return min(ends), max(ends)


def _bar(term: Term, low: float, high: float) -> Bar:
    def place(value: float) -> float:
        return round(1000.0 * (value - low) / (high - low), 1)

    end = term.plus - term.minus if term.weighted else term.minus
    start = term.plus if term.weighted else 0.0
    return Bar(place(0.0), _span(place(0.0), place(term.plus)), _span(place(start), place(end)), place(end))


def _span(a: float, b: float) -> tuple[float, float]:
    """Left end and width."""
    return min(a, b), round(abs(a - b), 1)


def _link(url: str | None) -> str:
    """The address if it is one of the web; a `javascript:` is none."""
    if url is None or len(url) > 2000:
        return ""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return url.strip() if parts.scheme in ("http", "https") and parts.netloc else ""


def _language(tag: str | None) -> str:
    """A language tag fit for a `lang` attribute, or empty."""
    return tag if tag and len(tag) <= 35 and tag.replace("-", "").isalnum() and tag.isascii() else ""
