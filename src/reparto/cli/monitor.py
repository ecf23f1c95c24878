"""`reparto monitor`: duplicate rates over time; exit code 1 on an alert."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

import click

from reparto.contract import Contract
from reparto.contract.alerts import Alert
from reparto.errors import LogError, Problem
from reparto.monitoring.counters import monitor_counters
from reparto.monitoring.exposition import is_exposition
from reparto.monitoring.monitor import Monitored, monitor
from reparto.monitoring.observation import read_logs
from reparto.monitoring.render import prometheus, text
from reparto.monitoring.rules import read_rules, rules_of


@click.command(name="monitor")
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    type=click.Path(),
    help="A log of clean days to learn from, or earlier counters to count from; repeatable.",
)
@click.option("--alert", "alerts", type=click.Path(), help="A TOML file whose [alerts] replace the contract's.")
@click.option("--contract", type=click.Path(), help="The contract whose [alerts] hold (default: the built-in one).")
@click.option(
    "--learn", type=click.IntRange(min=50), default=500, show_default=True,
    help="Without --baseline: how many of the log's first queries of a class are taken for normal.",
)  # fmt: skip
@click.option(
    "--false-alarm-every", "horizon", type=click.FloatRange(min=100), default=100_000, show_default=True,
    help="Clean queries to a false alarm of the change detector, on average, at least.",
)  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "prometheus"]), default="text", show_default=True)
def command(
    logs: Sequence[str],
    baselines: Sequence[str],
    alerts: str | None,
    contract: str | None,
    learn: int,
    horizon: float,
    form: str,
) -> None:
    """Watch selection LOGS: rates per class, day and source, alert rules, and what changed when
    something did. Or the service's counters: what its /metrics answers, as files or addresses.
    """
    rules = read_rules(alerts) if alerts else rules_of((Contract.load(contract) if contract else Contract()).alerts)
    found = _watched(logs, baselines, rules, learn, horizon)
    if form == "json":
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        click.echo((prometheus if form == "prometheus" else text)(found), nl=False)
    if found.alert:
        sys.exit(1)


def _watched(
    sources: Sequence[str], baselines: Sequence[str], rules: Mapping[str, Alert], learn: int, horizon: float
) -> Monitored:
    """Logs or counters, whichever were given."""
    kinds = {is_exposition(one) for one in (*sources, *baselines)}
    if len(kinds) > 1:
        message = "logs and counters are given together"
        raise LogError(Problem("mixed", message, "give logs alone, or expositions alone", field="LOG"))
    if kinds == {True}:
        return monitor_counters(sources, rules, baselines)
    return monitor(read_logs(sources), rules, read_logs(baselines) if baselines else None, learn, horizon)
