"""The monitor's findings as text for people and as Prometheus text exposition for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reparto.evaluation.statistics import Interval
from reparto.monitoring.monitor import Monitored
from reparto.monitoring.rates import Rate


def text(found: Monitored) -> str:
    """A readable report, ending in a line feed."""
    return "\n".join(_text(found)) + "\n"


def prometheus(found: Monitored) -> str:
    """Gauges in the text exposition format, version 0.0.4."""
    return "\n".join(_prometheus(found)) + "\n"


def _text(found: Monitored) -> Iterator[str]:
    yield "ALERT" if found.alert else "quiet"
    for change in found.changes:
        yield f"  change: {change.sentence()}"
        yield from (f"    {one.sentence()}" for one in change.origins)
    yield from (f"  rule: {one.because}" for one in found.rules)
    for name in found.unlearnt:
        yield f"  too few queries of {name} to learn what is normal: no change was sought"
    yield from (f"  {note}" for note in found.notes)
    yield ""
    yield "duplicate rate of delivered sets, mean [95 %]"
    for title, group in (
        ("", [found.rates.overall]),
        ("class ", found.rates.classes),
        ("day ", found.rates.days),
    ):
        for one in group:
            told = f"before {_interval(one.before)}, after {_interval(one.after)}"
            yield f"  {title}{one.name}: {one.queries} queries, {told}"
    if found.rates.sources:
        yield "copies among a source's candidates, share [95 %]"
        for source in found.rates.sources:
            yield f"  {source.name}: {source.copies} of {source.candidates}, {_interval(source.interval)}"


def _interval(one: Interval) -> str:
    return f"{one.mean:.4f} [{one.low:.4f}, {one.high:.4f}]"


def _prometheus(found: Monitored) -> Iterator[str]:
    rated: list[Rate] = [found.rates.overall, *found.rates.classes]
    labels = [{"class": one.name} for one in rated]
    yield from _gauge("queries", "Selections seen.", zip(labels, (one.queries for one in rated), strict=True))
    for when in ("before", "after"):
        means = [(label, getattr(one, when).mean) for label, one in zip(labels, rated, strict=True)]
        yield from _gauge(f"duplicate_rate_{when}", f"Mean duplicate rate {when} selection.", means)
    sources = [({"source": one.name}, one.interval.mean) for one in found.rates.sources]
    yield from _gauge("source_copy_share", "Share of a source's candidates that were copies.", sources)
    rules = [({"rule": one.name}, int(one.fires)) for one in found.rules]
    yield from _gauge("alert_firing", "1 while an alert rule fires.", rules)
    changes = [({"class": one.query_class, "stream": one.stream}, one.mean_since) for one in found.changes]
    yield from _gauge("change_detected", "Mean of a stream since a detected rise.", changes)


def _gauge(name: str, told: str, samples: Iterable[tuple[Mapping[str, str], float]]) -> Iterator[str]:
    yield f"# HELP reparto_{name} {told}"
    yield f"# TYPE reparto_{name} gauge"
    for labels, value in samples:
        inside = ",".join(f'{key}="{_escaped(one)}"' for key, one in labels.items())
        number = "NaN" if value != value else repr(value)
        yield f"reparto_{name}{{{inside}}} {number}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
