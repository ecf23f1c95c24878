"""Contracts against baselines: paired differences, intervals, tests corrected for how many were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reparto.evaluation.bank import Bank
from reparto.evaluation.measures import Measure
from reparto.evaluation.scoring import Scores, paired, score
from reparto.evaluation.statistics import Interval, bootstrap, holm, randomisation
from reparto.evaluation.systems import Outcome, System


@dataclass(frozen=True, eq=False)
class Evaluated:
    """One system over one bank: its outcomes by query and its scores by measure."""

    name: str
    outcomes: Mapping[str, Outcome]
    scores: Mapping[str, Scores]


@dataclass(frozen=True, slots=True)
class Comparison:
    """System minus baseline on one measure, over the queries that define it for both.

    `interval` is the paired bootstrap's; `p` that of the paired randomisation test, `p_holm` corrected over
    all comparisons of the report. `better`, `worse` and `same` count queries by the measure's good direction.
    """

    system: str
    baseline: str
    measure: str
    interval: Interval
    p: float
    p_holm: float
    better: int
    worse: int
    same: int
    helps: bool | None

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "system": self.system,
            "baseline": self.baseline,
            "measure": self.measure,
            "difference": self.interval.mean,
            "low": self.interval.low,
            "high": self.interval.high,
            "p": self.p,
            "p_holm": self.p_holm,
            "better": self.better,
            "worse": self.worse,
            "same": self.same,
            "helps": self.helps,
        }


def run(system: System, bank: Bank, measures: Mapping[str, Measure], samples: int = 10_000, seed: int = 0) -> Evaluated:
    """Serve every query of the bank and score what was delivered."""
    outcomes = {query.id: system.serve(query) for query in bank}
    return Evaluated(
        system.name,
        outcomes,
        score({id: one.delivery for id, one in outcomes.items()}, measures, samples, seed),
    )


def compare(
    systems: Sequence[Evaluated],
    baselines: Sequence[Evaluated],
    measures: Mapping[str, Measure],
    samples: int = 10_000,
    seed: int = 0,
) -> list[Comparison]:
    """Every system against every baseline on every measure that both define on a query or more.

    Differences below 1e-12 count as none, so that the order of a sum never decides a query.
    """
    found = []
    for system in systems:
        for baseline in baselines:
            for name, measure in measures.items():
                differences = paired(system.scores[name].per_query, baseline.scores[name].per_query)
                if differences:
                    found.append(
                        _one(
                            system.name,
                            baseline.name,
                            name,
                            measure,
                            list(differences.values()),
                            samples,
                            seed,
                        )
                    )
    corrected = holm([one.p for one in found])
    return [replace(one, p_holm=p, helps=_helps(one, p, measures)) for one, p in zip(found, corrected, strict=True)]


def _one(
    system: str, baseline: str, name: str, measure: Measure, differences: list[float], samples: int, seed: int
) -> Comparison:
    values = [0.0 if abs(one) < 1e-12 else one for one in differences]
    up, down = sum(one > 0 for one in values), sum(one < 0 for one in values)
    better, worse = (down, up) if measure.BETTER == "lower" else (up, down)
    return Comparison(
        system=system,
        baseline=baseline,
        measure=name,
        interval=bootstrap(values, samples, seed=seed),
        p=randomisation(values, samples, seed),
        p_holm=1.0,
        better=better,
        worse=worse,
        same=len(values) - up - down,
        helps=None,
    )


def _helps(one: Comparison, p_holm: float, measures: Mapping[str, Measure]) -> bool | None:
    """True or False where the corrected test tells them apart, else None.

    A measure without a good direction never does.
    """
    direction = measures[one.measure].BETTER
    if p_holm >= 0.05 or not direction or one.interval.mean == 0.0:
        return None
    return (one.interval.mean > 0) == (direction == "higher")
