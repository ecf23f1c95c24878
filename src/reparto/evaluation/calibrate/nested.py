"""Choice among options by the paired one-standard-error rule, and what the choice is worth by nested
cross-validation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.evaluation.calibrate.options import Option
from reparto.evaluation.calibrate.trials import Table
from reparto.evaluation.curve import choose_lambda
from reparto.evaluation.statistics import Interval, bootstrap, randomisation, standard_error
from reparto.model import Floats

Rows = Sequence[int] | NDArray[np.signedinteger[Any]]

ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class Choice:
    """An option, with lambda where it is chosen along the path, and its scores on all queries of the
    table, (n,).
    """

    option: Option
    lam: float | None
    values: Floats

    @property
    def label(self) -> str:
        """The option's name, with lambda."""
        return self.option.name if self.lam is None else f"{self.option.name}, lambda {self.lam:g}"


@dataclass(frozen=True, eq=False)
class Verdict:
    """What calibration says.

    `choice` is made on all queries; `gain` is the mean out-of-fold gain over "off" with its interval, `p`
    that of the randomisation test, `sure` the share of resamples with a gain above 0; `folds` counts the
    choices of the folds. `change` is whether to change anything: a choice other than "off" whose gain has a
    lower bound above 0.
    """

    off: float
    choice: Choice
    gain: Interval
    p: float
    sure: float
    folds: Counter[str]
    change: bool
    queries: int

    def sentence(self) -> str:
        """The verdict in one sentence."""
        told = f"{self.gain.mean:+.4f} [{self.gain.low:+.4f}, {self.gain.high:+.4f}], p = {self.p:.4f}"
        if self.change:
            return f"change to {self.choice.label}: out of fold {told} over {self.queries} queries"
        return (
            f"leave it off: the best rule found gains {told} out of fold over {self.queries} queries "
            f"({self.sure:.0%} of resamples above 0), which is not enough"
        )


def choose(table: Table, rows: Rows, errors: float = 1.0) -> Choice:
    """The option nearest "off" that is within `errors` paired standard errors of the best, on the given
    queries.

    Options are in the table's order, "off" first. O(options * queries) and a path for each path option.
    """
    index = np.asarray(rows, dtype=np.int64)
    choices = [_fit(table, j, index, errors) for j in range(len(table.options))]
    train = np.stack([one.values[index] for one in choices])
    means = train.mean(axis=1)
    best = int(np.argmax(means >= means.max() - 1e-12))
    for choice, values in zip(choices, train, strict=True):
        behind = train[best] - values
        if behind.mean() <= errors * standard_error(behind) + 1e-12:
            return choice
    return choices[best]


def _fit(table: Table, j: int, index: Rows, errors: float) -> Choice:
    option, fixed, steps = table.options[j], table.fixed[j], table.steps[j]
    if fixed is not None or steps is None:
        return Choice(option, None, np.asarray(fixed))
    lam = choose_lambda([steps[int(i)] for i in index], errors).lam
    return Choice(option, lam, np.array([float(one.at(lam)) for one in steps]))


def judge(table: Table, folds: int = 10, errors: float = 1.0, samples: int = 10_000, seed: int = 0) -> Verdict:
    """Choose in each fold's training part, score the choice on the part left out, and sum up.

    The out-of-fold gains are what the *rule* is worth on new queries; the choice itself is then made on all
    of them. Fewer queries than folds: each query is a fold. Raises `ValueError` for a table without queries.
    """
    n = len(table)
    if n == 0:
        raise ValueError("no query defines the measure for every option")
    order = np.random.default_rng(seed).permutation(n)
    parts = [part for part in np.array_split(order, min(folds, n)) if part.size]
    off = np.asarray(table.fixed[0], dtype=np.float64)  # the first option is "off", which is no path
    gains, chosen = np.zeros(n), Counter[str]()
    for part in parts if len(parts) > 1 else []:
        train = np.setdiff1d(order, part)
        choice = choose(table, train, errors)
        chosen[choice.option.name] += 1
        gains[part] = choice.values[part] - off[part]
    final = choose(table, np.arange(n), errors)
    gain = bootstrap(gains, samples, seed=seed)
    p = randomisation(gains, samples, seed)
    change = final.option.name != table.options[0].name and gain.low > 0.0 and p < ALPHA
    return Verdict(float(off.mean()), final, gain, p, _share_above(gains, samples, seed), chosen, change, n)


def _share_above(gains: Floats, samples: int, seed: int) -> float:
    """Share of bootstrap means above 0."""
    if np.ptp(gains) == 0.0:
        return float(gains.size > 0 and gains[0] > 0)
    drawn = np.random.default_rng(seed).integers(0, gains.size, (min(samples, 2_000), gains.size))
    return float((gains[drawn].mean(axis=1) > 0).mean())
