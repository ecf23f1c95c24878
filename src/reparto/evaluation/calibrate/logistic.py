"""The logistic score map: from a ranker's score to the chance that the passage carries a fact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reparto.evaluation.bank import Bank
from reparto.model import Floats

STEPS = 100
LEAST = 20  # fewer relevant or irrelevant candidates than this, and no map is fitted


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """1 / (1 + exp(-slope (score - midpoint))); both None where the labels do not support one.
    `because` says why.
    """

    midpoint: float | None
    slope: float | None
    because: str


def fit_score_map(bank: Bank) -> ScoreMap:
    """Fit on every candidate of the bank: does it carry a judged fact? One map for all queries, so that pools
    cannot change it. Maximum likelihood by Newton's method with a ridge of 1e-6 on standardised scores.
    O(candidates).
    """
    scores, carries = [], []
    for query in bank:
        level = query.judgments.level()
        for one in query.pool if level.names else ():
            scores.append(one.score)
            carries.append(bool(level.carried.get(one.id)))
    x, y = np.array(scores, dtype=np.float64), np.array(carries, dtype=np.float64)
    if min(y.sum(), (1 - y).sum()) < LEAST or np.ptp(x) == 0.0:
        said = f"{int(y.sum())} relevant and {int((1 - y).sum())} other candidates"
        return ScoreMap(None, None, f"cannot tell: {said}; {LEAST} of each are needed")
    return _fit(x, y)


def _fit(x: Floats, y: Floats) -> ScoreMap:
    mean, deviation = float(x.mean()), float(x.std())
    design = np.column_stack([np.ones(len(x)), (x - mean) / deviation])
    weights = np.zeros(2)
    ridge = 1e-6 * len(x) * np.eye(2)
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -35.0, 35.0)))
        information = (design * (chance * (1 - chance))[:, None]).T @ design + ridge
        step = np.linalg.solve(information, design.T @ (y - chance) - ridge @ weights)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-10:
            break
    error = float(np.sqrt(np.linalg.inv(information)[1, 1]))
    slope = float(weights[1]) / deviation
    if weights[1] <= 1.96 * error:
        return ScoreMap(None, None, f"cannot tell: relevance does not rise with the score ({slope:.3g} a point)")
    midpoint = mean - float(weights[0]) / slope
    because = f"fitted on {len(x)} judged candidates, {int(y.sum())} relevant; z of the slope {weights[1] / error:.1f}"
    return ScoreMap(_short(midpoint), _short(slope), because)


def _short(value: float) -> float:
    return float(f"{value:.4g}")
