"""Numbered passages with provenance, for a prompt."""

from __future__ import annotations

from reparto.render.safe import fence, has_invisible, one_line, visible
from reparto.selection import Seat, Selection


def context(selection: Selection) -> str:
    """Passages numbered by seat, each with where it comes from and who else carries it, each fenced.

    The number in brackets is what a citation names. Invisible characters are stripped, with a note.
    """
    blocks = [_block(seat) for seat in selection.seats]
    stripped = [f"[{seat.seat}]" for seat in selection.seats if has_invisible(seat.text)]
    if stripped:
        blocks.append(f"(invisible characters were removed from {', '.join(stripped)})")
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def _block(seat: Seat) -> str:
    text = visible(seat.text)
    marks = fence(text)
    return f"[{seat.seat}] {provenance(seat)}\n{marks}\n{text}\n{marks}"


def provenance(seat: Seat) -> str:
    """Title, outlet, date, document and offsets, and how many carry it."""
    where = f"{seat.document}" if seat.document else seat.id
    if seat.span is not None:
        where += f" {seat.span.start}–{seat.span.end}"
    parts = [seat.title, seat.source, seat.published, where, carried_by(seat)]
    return "; ".join(one_line(part, 200) for part in parts if part)


def carried_by(seat: Seat) -> str:
    """Say "carried by 12 outlets" where several outlets or copies stand behind a seat; empty otherwise."""
    outlets = len(seat.copies.sources)
    if outlets > 1:
        return f"carried by {outlets} outlets"
    return f"{seat.copies.count} copies" if seat.copies.count > 1 else ""
