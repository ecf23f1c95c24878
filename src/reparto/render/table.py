"""A selection as a table for a terminal (plain text where the output is not one)."""

from __future__ import annotations

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from reparto.render.context import carried_by
from reparto.render.safe import one_line
from reparto.selection import Selection


def table(selection: Selection, width: int | None = None, color: bool = False) -> str:
    """Seats, one a row, and a line of figures."""
    grid = Table(
        title=Text(one_line(selection.query, 100)) if selection.query else None, header_style="bold", expand=False
    )
    for name, justify in (
        ("seat", "right"),
        ("id", "left"),
        ("rel.", "right"),
        ("red.", "right"),
        ("carried by", "left"),
        ("passage", "left"),
    ):
        grid.add_column(name, justify=justify, no_wrap=name in ("seat", "rel.", "red."))  # type: ignore[arg-type]
    for seat in selection.seats:
        mark = f"{seat.seat}+" if seat.filled else str(seat.seat)
        cells = [
            mark,
            one_line(seat.id, 28),
            f"{seat.relevance:.2f}",
            f"{seat.redundancy:.2f}",
            carried_by(seat),
            one_line(seat.text, 160),
        ]
        grid.add_row(*map(Text, cells))
    out = io.StringIO()
    console = Console(file=out, width=width or 110, force_terminal=color, highlight=False)
    console.print(grid)
    report = selection.report
    console.print(
        f"class {selection.query_class} ({selection.class_from}); "
        f"{report['seats']} seats of {report['candidates']} candidates; "
        f"{report['sources']} sources, {report['independent_texts']} independent texts; "
        f"duplicate rate {report['duplicate_rate_before']:.2f} -> {report['duplicate_rate_after']:.2f}; "
        f"{report['tokens_saved']} tokens saved",
        markup=False,
    )
    if any(seat.filled for seat in selection.seats):
        console.print("+ filled once the quotas were lifted", markup=False)
    for one in selection.warnings:
        console.print(f"warning: {one_line(one.message, 200)}", markup=False)
    return out.getvalue()
