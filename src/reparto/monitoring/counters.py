"""Rates and rules from the service's counters: sums over queries, so no query, day or source can be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from pathlib import Path

from reparto.contract.alerts import Alert
from reparto.evaluation.statistics import Interval, wilson
from reparto.monitoring.exposition import Counts, read_counts
from reparto.monitoring.monitor import Monitored
from reparto.monitoring.rates import Rate, Rates
from reparto.monitoring.rules import Ruled, judged, unknown

NOTE = "counters are sums: no change was sought, which takes the queries of a log"


def monitor_counters(
    sources: Sequence[str | Path], rules: Mapping[str, Alert], baseline: Sequence[str | Path] = ()
) -> Monitored:
    """Rates per class and the rules, from one exposition of each service; they are summed.

    Counted since the services began, or since `baseline`, their earlier expositions. A rate is that of all passages
    together; its 95 % interval is Wilson's with one trial a query, which holds however the duplicates fall. A rule is
    held against everything counted, and asks for as many queries as it says. Raises as `read_counts`.
    """
    counts = total(sources)
    for name, earlier in total(baseline).items():
        counts[name] = counts.get(name, Counts()).since(earlier)
    counts = {name: one for name, one in counts.items() if one.selections}
    everything = reduce(add, counts.values(), Counts())
    rates = Rates(_rate("all", everything), tuple(_rate(name, one) for name, one in sorted(counts.items())), (), ())
    ruled = tuple(_hold(name, alert, counts, everything) for name, alert in rules.items())
    return Monitored(rates, ruled, (), (), math.inf, (NOTE,))


def total(sources: Sequence[str | Path]) -> dict[str, Counts]:
    """The counts of all sources together, by class."""
    found: dict[str, Counts] = {}
    for source in sources:
        for name, counts in read_counts(source).items():
            found[name] = found.get(name, Counts()) + counts
    return found


def _rate(name: str, counts: Counts) -> Rate:
    queries = round(counts.selections)
    return Rate(name, queries, _share(counts, "duplicate_rate_before"), _share(counts, "duplicate_rate_after"))


def _share(counts: Counts, measure: str) -> Interval:
    """Duplicates over passages. A mean over queries of values in 0..1 varies at most as much as a share of them."""
    hits, of = (
        (counts.ranked_duplicates, counts.ranked)
        if measure == "duplicate_rate_before"
        else (counts.delivered_duplicates, counts.delivered)
    )
    share = min(1.0, max(0.0, hits / of)) if of else 0.0
    return Interval(share, *wilson(share * counts.selections, counts.selections))


def _hold(name: str, alert: Alert, counts: Mapping[str, Counts], everything: Counts) -> Ruled:
    if not alert.measure.startswith("duplicate_rate_"):
        return unknown(name, alert, "no counter holds it; give logs")
    held = everything if alert.class_ is None else counts.get(alert.class_, Counts())
    if not held.selections:
        return unknown(name, alert, "no query was counted")
    return judged(name, alert, round(held.selections), _share(held, alert.measure))
