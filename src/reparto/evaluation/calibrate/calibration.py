"""The whole of `reparto calibrate`: a bank, labelled pairs or both, to numbers with reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reparto.contract import Contract
from reparto.evaluation.bank import Bank
from reparto.evaluation.calibrate.front import Front, pareto
from reparto.evaluation.calibrate.logistic import ScoreMap, fit_score_map
from reparto.evaluation.calibrate.nested import Verdict, judge
from reparto.evaluation.calibrate.options import WRITTEN, Option, options_for
from reparto.evaluation.calibrate.thresholds import Threshold, calibrate_thresholds
from reparto.evaluation.calibrate.trials import Progress, Trials, run_trials
from reparto.evaluation.measures import Measure, parse
from reparto.evaluation.pairs import Pair


@dataclass(frozen=True, eq=False)
class ClassResult:
    """What was found for one query class. `policy` is what its table in the contract should say."""

    name: str
    k: int | None
    sentence: str
    policy: Mapping[str, Any]
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    score_map: ScoreMap | None = None
    verdict: Verdict | None = None
    front: Front | None = None


@dataclass(frozen=True, eq=False)
class Calibration:
    """Everything one run found. `about` names what it was chosen on."""

    about: str
    seed: int
    thresholds: tuple[Threshold, ...] = ()
    classes: tuple[ClassResult, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "about": self.about,
            "thresholds": [
                {"measure": one.measure, "target": one.target, "value": one.value, "because": one.because}
                for one in self.thresholds
            ],
            "classes": [_class(one) for one in self.classes],
        }


@dataclass(frozen=True)
class Wishes:
    """How to calibrate: the measure to gain in (without a cutoff the class's k is taken), seats,
    limits, folds.
    """

    measure: str = "StRecall"
    query_class: str | None = None
    k: int | None = None
    precision: float = 0.95
    max_loss: float = 0.03
    score_map: bool = False
    folds: int = 10
    seed: int = 0


def calibrate(
    bank: Bank | None, pairs: Sequence[Pair], wishes: Wishes, progress: Progress = lambda _: None
) -> Calibration:
    """Thresholds from pairs, and a policy for each query class of the bank; without facts, by the front."""
    thresholds = calibrate_thresholds(pairs, wishes.precision, seed=wishes.seed) if pairs else []
    about = [f"bank {bank.name} ({len(bank)} queries)"] if bank is not None else []
    if pairs:
        about.append(f"{len(pairs)} labelled pairs")
    classes = tuple(_calibrate_class(*one, wishes, progress) for one in _by_class(bank, wishes))
    return Calibration(" and ".join(about), wishes.seed, tuple(thresholds), classes)


def _by_class(bank: Bank | None, wishes: Wishes) -> list[tuple[str, Bank]]:
    if bank is None:
        return []
    if wishes.query_class is not None:
        return [(wishes.query_class, bank.of_class(wishes.query_class))]
    default = Contract().default_class
    names = sorted({one.query_class or default for one in bank})
    return [
        (name, Bank(bank.name, tuple(one for one in bank if (one.query_class or default) == name))) for name in names
    ]


def _calibrate_class(name: str, bank: Bank, wishes: Wishes, progress: Progress) -> ClassResult:
    contract = Contract()
    k = wishes.k or int(contract.resolve(name if name in contract.classes else contract.default_class).policy.k)
    score_map = fit_score_map(bank)
    options = options_for(bank)
    if wishes.score_map and score_map.slope is not None:
        scores = {"scale": "logistic", "midpoint": score_map.midpoint, "slope": score_map.slope}
        options = [Option(one.name, {**one.policy, "scores": scores}, one.path) for one in options]
    trials = run_trials(bank, options, k, progress)
    measure = with_cutoff(wishes.measure, k)
    if any(one.judgments.level().n for one in bank) and len(trials.table(measure)):
        return _judged(name, k, trials, measure, score_map, wishes)
    return _unjudged(name, k, trials, wishes)


def with_cutoff(text: str, k: int) -> Measure:
    """The measure as written; where it can be cut and is not, at k."""
    measure = parse(text)
    if not measure.CUTS or measure.cutoff is not None:
        return measure
    return parse(f"{text}@{k}")


def _judged(name: str, k: int, trials: Trials, measure: Measure, score_map: ScoreMap, wishes: Wishes) -> ClassResult:
    verdict = judge(trials.table(measure), wishes.folds, seed=wishes.seed)
    chosen = verdict.choice
    notes = [f"{measure} when off: {verdict.off:.4f}; choices of the {wishes.folds} folds: {_counted(verdict)}"]
    policy, sources = dict(WRITTEN), {"collapse": "a copy word for word teaches nothing, so these still collapse"}
    if verdict.change:
        policy, sources = chosen.option.written(chosen.lam), {"collapse": "part of the option that was chosen"}
        if chosen.lam is not None:
            sources["diversity"] = "lambda nearest 1 within a paired standard error of the optimum over the exact path"
    return ClassResult(name, k, verdict.sentence(), policy, sources, tuple(notes), score_map, verdict)


def _unjudged(name: str, k: int, trials: Trials, wishes: Wishes) -> ClassResult:
    front = pareto(trials, parse(f"RedundantRate@{k}"), parse(f"RelevanceLoss@{k}"), wishes.max_loss, wishes.seed)
    chosen = front.choice
    note = "no judgments: the fewest duplicates within a declared loss of relevance; facts covered were not measured"
    policy = chosen.option.written(chosen.lam)
    return ClassResult(name, k, front.sentence(), policy, {}, (note,), None, None, front)


def _counted(verdict: Verdict) -> str:
    return ", ".join(f"{name} ({count})" for name, count in verdict.folds.most_common())


def _class(one: ClassResult) -> dict[str, Any]:
    found: dict[str, Any] = {
        "class": one.name,
        "k": one.k,
        "sentence": one.sentence,
        "policy": dict(one.policy),
    }
    if one.verdict is not None:
        verdict = one.verdict
        found |= {
            "change": verdict.change,
            "choice": verdict.choice.label,
            "gain": {"mean": verdict.gain.mean, "low": verdict.gain.low, "high": verdict.gain.high},
            "p": verdict.p,
            "sure": verdict.sure,
            "folds": dict(verdict.folds),
        }
    if one.front is not None:
        found["front"] = [
            {"option": point.label, "duplicates": point.duplicates, "loss": point.loss.mean}
            for point in one.front.points
            if point.front
        ]
    return found
