"""The whole of `reparto evaluate`: systems and baselines over a bank, compared, explained, reported."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reparto.evaluation import baselines as known_baselines
from reparto.evaluation.bank import Bank
from reparto.evaluation.compare import Comparison, Evaluated, compare, run
from reparto.evaluation.drilldown import Change, changes
from reparto.evaluation.measures import Measure, parse_all
from reparto.evaluation.scoring import Scores, summarise
from reparto.evaluation.systems import BaselineSystem, Seats, System

FAMILIES = (
    "alpha_nDCG",
    "StRecall",
    "RedundantSeats",
    "RedundantRate",
    "DuplicateRate",
    "FactsPer1000Tokens",
    "Documents",
    "Sources",
    "nDCG",
    "RR",
    "RelevanceLoss",
    "ILD",
)


@dataclass(frozen=True, eq=False)
class Report:
    """Everything one evaluation found. `systems` come before `baselines`; `changes` are of the first system.

    `classes` maps a query class of the bank to the first system's scores on it, when there are two classes or
    more.
    """

    bank: str
    queries: int
    systems: tuple[Evaluated, ...]
    baselines: tuple[Evaluated, ...]
    comparisons: tuple[Comparison, ...]
    changes: tuple[Change, ...]
    classes: Mapping[str, Mapping[str, Scores]]
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The wire form: `measures` are the first system's."""
        return {
            "bank": self.bank,
            "queries": self.queries,
            "measures": _scores(self.systems[0].scores),
            "systems": {one.name: _scores(one.scores) for one in (*self.systems[1:], *self.baselines)},
            "comparisons": [one.to_dict() for one in self.comparisons],
            "classes": {name: _scores(scores) for name, scores in self.classes.items()},
            "changes": [one.to_dict() for one in self.changes],
            "warnings": list(self.warnings),
        }


def default_measures(k: int) -> dict[str, Measure]:
    """What is reported when no measure is asked for: facts covered, what repeats, and the price in
    relevance.
    """
    return parse_all(f"{name}@{k}" for name in FAMILIES)


def default_baselines() -> list[str]:
    """top-k always, and the libraries' own defaults where they are installed."""
    installed = [name for module, name in known_baselines.WHEN_INSTALLED.items() if importlib.util.find_spec(module)]
    return [known_baselines.ALWAYS, *installed]


def evaluate(
    bank: Bank,
    systems: Sequence[System],
    baselines: Sequence[str],
    measures: Mapping[str, Measure],
    seats: Seats | None = None,
    samples: int = 10_000,
    seed: int = 0,
) -> Report:
    """Serve the bank with every system and baseline, and compare them in pairs.

    A baseline that cannot serve a query (no vectors, say) is left out with a warning. `seats` says how many
    seats a baseline gets; without it there are no baselines.
    """
    warnings = list(bank.warnings)
    done = tuple(run(one, bank, measures, samples, seed) for one in systems)
    against: list[Evaluated] = []
    for name in baselines if seats is not None else ():
        baseline = known_baselines.load(name)
        missing = next((why for why in map(baseline.missing, bank) if why is not None), None)
        if missing is not None:
            warnings.append(f"baseline {name} is left out: {missing}")
        elif seats is not None:
            against.append(run(BaselineSystem(baseline, seats), bank, measures, samples, seed))
    warnings += [told for one in done if (told := _spans(one)) is not None]
    first = against[0] if against else None
    return Report(
        bank=bank.name,
        queries=len(bank),
        systems=done,
        baselines=tuple(against),
        comparisons=tuple(compare(done, against, measures, samples, seed)),
        changes=tuple(changes(bank, done[0], first)) if first is not None else (),
        classes=_by_class(bank, done[0], samples, seed),
        warnings=tuple(warnings),
    )


def of_query(report: Report, query: str) -> Report:
    """The same report with the changes of one query only."""
    return replace(report, changes=tuple(one for one in report.changes if one.query == query))


def _spans(system: Evaluated) -> str | None:
    """The warning that a system's seats are longer than a baseline's, because chunks were merged."""
    seats = [passage for one in system.outcomes.values() for passage in one.delivery.passages]
    merged = sum(len(one.carries) > 1 for one in seats)
    if not merged:
        return None
    return (
        f"{system.name}: {merged} of {len(seats)} seats are merged spans, which carry the facts of all their chunks; "
        "seats are not of one length, so look at FactsPer1000Tokens too"
    )


def _by_class(bank: Bank, system: Evaluated, samples: int, seed: int) -> dict[str, dict[str, Scores]]:
    classes = sorted({one.query_class for one in bank if one.query_class is not None})
    if len(classes) < 2:
        return {}
    return {
        name: {
            measure: summarise(
                {one.id: scores.per_query[one.id] for one in bank if one.query_class == name}, samples, seed
            )
            for measure, scores in system.scores.items()
        }
        for name in classes
    }


def _scores(scores: Mapping[str, Scores]) -> dict[str, Any]:
    return {name: one.to_dict() for name, one in scores.items()}
