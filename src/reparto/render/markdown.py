"""A selection as Markdown: a table of seats, the passages, and the report."""

from __future__ import annotations

from reparto.render.context import carried_by, provenance
from reparto.render.safe import fence, one_line, visible
from reparto.selection import Selection


def markdown(selection: Selection) -> str:
    """Seats with their numbers, each passage fenced, then what the report says."""
    lines = [f"## {_cell(selection.query, 200) or 'Selection'}", ""]
    lines += ["| seat | id | relevance | redundancy | copies | why |", "|---|---|---|---|---|---|"]
    for seat in selection.seats:
        lines.append(
            f"| {seat.seat} | {_cell(seat.id, 40)} | {seat.relevance:.3f} | {seat.redundancy:.3f} "
            f"| {carried_by(seat) or 1} | {_cell(seat.because, 200)} |"
        )
    for seat in selection.seats:
        text = visible(seat.text)
        marks = fence(text)
        lines += ["", f"### {seat.seat}. {_cell(provenance(seat), 400)}", "", marks, text, marks]
    report = selection.report
    lines += [
        "",
        f"{report['seats']} seats from {report['candidates']} candidates; {report['documents']} documents, "
        f"{report['sources']} sources, {report['independent_texts']} independent texts; duplicate rate "
        f"{report['duplicate_rate_before']:.2f} before, {report['duplicate_rate_after']:.2f} after.",
    ]
    lines += [f"- warning: {_cell(one.message, 300)}" for one in selection.warnings]
    return "\n".join(lines) + "\n"


def _cell(text: str, width: int) -> str:
    return one_line(text, width).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
