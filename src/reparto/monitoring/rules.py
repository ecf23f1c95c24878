"""Alert rules: `[alerts.NAME]` of a contract, held against the last queries of a class."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reparto.contract import Contract
from reparto.contract.alerts import Alert, check_alerts
from reparto.errors import ContractError, Problem
from reparto.evaluation.statistics import Interval, bootstrap
from reparto.monitoring.observation import Observation

LEAST = 10  # queries below which nothing is said


@dataclass(frozen=True, slots=True)
class Ruled:
    """One rule held against a log: over how many queries, what they came to, and whether it fires."""

    name: str
    alert: Alert
    queries: int
    interval: Interval
    fires: bool
    because: str

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        known = self.queries > 0
        return {
            "name": self.name,
            "measure": self.alert.measure,
            "class": self.alert.class_,
            "queries": self.queries,
            "mean": self.interval.mean if known else None,
            "low": self.interval.low if known else None,
            "high": self.interval.high if known else None,
            "fires": self.fires,
            "because": self.because,
        }


def read_rules(path: str | Path) -> dict[str, Alert]:
    """Rules of a TOML file with `[alerts.NAME]` tables: a file of its own, or a contract. Raises
    `ContractError`.
    """
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        message = f"cannot read {Path(path).name!r}: {error.strerror}"
        raise ContractError(Problem("unreadable", message, "name a TOML file", field="alert")) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{Path(path).name!r} is no TOML: {error}"
        raise ContractError(Problem("not_toml", message, "write [alerts.NAME] tables", field="alert")) from None
    alerts = tables.get("alerts")
    if alerts is None:
        message = f"{Path(path).name!r} has no alerts"
        raise ContractError(Problem("no_alerts", message, "write [alerts.NAME] tables", field="alerts"))
    problems = check_alerts(alerts, sorted({*Contract().classes, *tables.get("classes", {})}))
    if problems:
        raise ContractError(problems)
    return rules_of(alerts)


def rules_of(tables: Mapping[str, Any]) -> dict[str, Alert]:
    """Rules from checked tables."""
    return {name: Alert.model_validate(table) for name, table in tables.items()}


def hold(rules: Mapping[str, Alert], observations: Sequence[Observation]) -> list[Ruled]:
    """Every rule against the last `over` queries of its class.

    With fewer queries than that a rule fires only when the whole 95 % interval of the mean is beyond the
    bound, and never below 10.
    """
    return [_hold(name, alert, observations) for name, alert in rules.items()]


def _hold(name: str, alert: Alert, observations: Sequence[Observation]) -> Ruled:
    values = [
        one.measures[alert.measure]
        for one in observations
        if (alert.class_ is None or one.query_class == alert.class_) and alert.measure in one.measures
    ][-alert.over :]
    if not values:
        return unknown(name, alert, "no query has it")
    return judged(name, alert, len(values), bootstrap(values, samples=2_000))


def unknown(name: str, alert: Alert, because: str) -> Ruled:
    """A rule of which nothing is known: it is quiet, and says why."""
    nothing = Interval(math.nan, math.nan, math.nan)
    return Ruled(name, alert, 0, nothing, False, f"{name}: {_measured(alert)}: {because}")


def judged(name: str, alert: Alert, queries: int, interval: Interval) -> Ruled:
    """A rule held against a mean over some queries and its interval."""
    full = queries >= alert.over
    enough = full or queries >= LEAST
    above, below = alert.above, alert.below
    low, high = (interval.mean, interval.mean) if full else (interval.low, interval.high)
    fires = enough and ((above is not None and low > above) or (below is not None and high < below))
    bound = f"above {above:g}" if above is not None else f"below {below:g}"
    word = "FIRES" if fires else "quiet"
    told = f"{interval.mean:.4f} [{interval.low:.4f}, {interval.high:.4f}]"
    short = "" if full else f"; the rule asks for {alert.over}"
    because = f"{name} {word}: {_measured(alert)} over {queries} queries is {told}, bound {bound}{short}"
    return Ruled(name, alert, queries, interval, fires, because)


def _measured(alert: Alert) -> str:
    return f"{alert.measure} of {alert.class_}" if alert.class_ else alert.measure
