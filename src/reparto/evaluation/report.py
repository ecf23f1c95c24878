"""An evaluation as Markdown: the scores, the differences with intervals and tests, the facts lost and won."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from reparto.evaluation.compare import Comparison
from reparto.evaluation.evaluate import Report
from reparto.evaluation.scoring import Scores

SHOWN = 20


def markdown(report: Report, shown: int = SHOWN) -> str:
    """The report as Markdown text, ending in a line feed. At most `shown` changes are written out."""
    return "\n".join(_lines(report, shown)) + "\n"


def _lines(report: Report, shown: int) -> Iterator[str]:
    yield f"# {_cell(report.bank)}: {report.queries} queries"
    yield ""
    everyone = (*report.systems, *report.baselines)
    measures = list(report.systems[0].scores)
    yield from _table(
        ["", *measures], ([one.name, *(_estimate(one.scores[name]) for name in measures)] for one in everyone)
    )
    if report.comparisons:
        yield from ("", "## Differences", "")
        yield "Paired over queries: 95 % bootstrap interval; p of the randomisation test,"
        yield "Holm-corrected over this table."
        yield ""
        heads = ["system", "against", "measure", "difference", "95 %", "p", "better / worse / same", ""]
        yield from _table(heads, map(_comparison, report.comparisons))
    if report.classes:
        yield from ("", "## By class", "")
        rows = ([name, *(_estimate(scores[one]) for one in measures)] for name, scores in report.classes.items())
        yield from _table(["class", *measures], rows)
    if report.changes:
        lost = sum(one.lost for one in report.changes)
        yield from ("", f"## Facts: {lost} lost, {len(report.changes) - lost} won", "")
        yield from (f"- {_cell(one.because)}" for one in report.changes[:shown])
        if len(report.changes) > shown:
            yield f"- … and {len(report.changes) - shown} more (all in `--format json`)"
    if report.warnings:
        yield from ("", "## Warnings", "")
        yield from (f"- {_cell(one)}" for one in report.warnings)


def _table(heads: Sequence[str], rows: Iterator[list[str]] | map[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(_cell, heads))} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _comparison(one: Comparison) -> list[str]:
    verdict: Mapping[bool | None, str] = {True: "helps", False: "harms", None: "cannot tell"}
    return [
        one.system,
        one.baseline,
        one.measure,
        f"{one.interval.mean:+.4f}",
        f"[{one.interval.low:+.4f}, {one.interval.high:+.4f}]",
        f"{one.p_holm:.4f}",
        f"{one.better} / {one.worse} / {one.same}",
        verdict[one.helps],
    ]


def _estimate(scores: Scores) -> str:
    found = scores.interval
    return "-" if math.isnan(found.mean) else f"{found.mean:.4f} [{found.low:.4f}, {found.high:.4f}]"


def _cell(text: str) -> str:
    """Text that cannot break out of its table cell or line."""
    return " ".join(text.replace("|", "\\|").split())
