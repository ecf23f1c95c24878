"""Plots of an evaluation (extra `plots`): differences with intervals, and each query's own difference."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from reparto.errors import InputError, MissingExtraError, Problem
from reparto.evaluation.compare import Comparison
from reparto.evaluation.evaluate import Report
from reparto.evaluation.scoring import paired

FORMATS = ("svg", "png")
COLOURS = {True: "#1b7837", False: "#b2182b", None: "#666666"}


def plot(report: Report, folder: str | Path, form: str = "svg") -> list[Path]:
    """Write the plots of a report into a folder (made if need be) and return their paths; none without
    baselines.

    `form` is "svg" or "png". Raises `MissingExtraError` without matplotlib. The files of one report are
    always the same bytes in SVG.
    """
    figure_class = _figure_class()
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        return _draw(figure_class, report, target, form)
    except OSError as error:
        message = f"cannot write plots into {str(folder)!r}: {error.strerror}"
        raise InputError(Problem("unwritable", message, "name a folder that can be written", field="plots")) from None


def _draw(figure_class: Any, report: Report, target: Path, form: str) -> list[Path]:
    made = []
    for baseline in report.baselines:
        rows = [one for one in report.comparisons if one.baseline == baseline.name]
        if rows:
            made.append(_save(_forest(figure_class, rows, baseline.name), target, f"differences-{baseline.name}", form))
            made.append(
                _save(
                    _queries(figure_class, report, rows, baseline.name),
                    target,
                    f"queries-{baseline.name}",
                    form,
                )
            )
    return made


def _figure_class() -> Any:
    try:
        return importlib.import_module("matplotlib.figure").Figure
    except ImportError:
        raise MissingExtraError("plotting", "plots") from None


def _forest(figure_class: Any, rows: list[Comparison], baseline: str) -> Any:
    """One line a measure: the mean difference, a dot, on its 95 % interval; shares and counts on axes of their own."""
    shares = [one for one in rows if max(abs(one.interval.low), abs(one.interval.high)) <= 1.0]
    counts = [one for one in rows if one not in shares]
    panels = [part for part in (shares, counts) if part]
    figure = figure_class(figsize=(8.0, 1.4 + 0.34 * len(rows)), layout="constrained")
    heights = [len(part) for part in panels]
    every = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, part in zip(every, panels, strict=True):
        for place, one in enumerate(reversed(part)):
            colour = COLOURS[one.helps]
            axes.plot([one.interval.low, one.interval.high], [place, place], color=colour, linewidth=2)
            axes.plot([one.interval.mean], [place], "o", color=colour)
        axes.axvline(0.0, color="black", linewidth=0.8)
        axes.set_yticks(range(len(part)), [_label(one) for one in reversed(part)])
        axes.margins(y=0.1)
    figure.suptitle(f"Difference to {baseline}, 95 %: green helps, red harms, grey cannot tell", fontsize="medium")
    return figure


def _queries(figure_class: Any, report: Report, rows: list[Comparison], baseline: str) -> Any:
    """Each query's difference, sorted, one curve a measure of the first system."""
    system = report.systems[0]
    against = next(one for one in report.baselines if one.name == baseline)
    figure = figure_class(figsize=(8.5, 4.0), layout="constrained")
    axes = figure.subplots()
    for name in dict.fromkeys(one.measure for one in rows):
        values = sorted(paired(system.scores[name].per_query, against.scores[name].per_query).values())
        if values and max(map(abs, values)) <= 1.0:
            axes.plot(range(1, len(values) + 1), values, label=name, linewidth=1.2)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel(f"queries, from most lost to most won against {baseline}")
    if axes.lines[1:]:
        axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _label(one: Comparison) -> str:
    return f"{one.system}: {one.measure}"


def _save(figure: Any, folder: Path, name: str, form: str) -> Path:
    matplotlib = importlib.import_module("matplotlib")
    path = folder / f"{name}.{form}"
    quiet = {"Date": None} if form == "svg" else {}
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(path, metadata=quiet)
    return path
