"""What calibration gains on new queries, by nested cross-validation: `python -m bench.nested_gain`.

perspectrum against its .qrels (every judged sentence, in the pool or not), StRecall@10, 10 folds: in each,
option and lambda are chosen on nine tenths by the paired one-standard-error rule and scored on the tenth.
Beside it each option as if chosen beforehand. Writes bench/results/nested_gain.json.
"""

from __future__ import annotations

import argparse
import sys
import time

from bench.showing import BANKS, keep, need, show
from reparto.evaluation.calibrate.nested import judge
from reparto.evaluation.calibrate.options import options_for
from reparto.evaluation.calibrate.trials import run_trials
from reparto.evaluation.curve import choose_lambda
from reparto.evaluation.load import load_bank
from reparto.evaluation.measures import parse
from reparto.evaluation.statistics import bootstrap


def main(argv: list[str] | None = None) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--bank", default="perspectrum")
    arguments.add_argument("--measure", default="StRecall@10")
    arguments.add_argument("-k", type=int, default=10)
    wanted = arguments.parse_args(argv)
    need(BANKS / f"{wanted.bank}.jsonl")
    qrels = BANKS / f"{wanted.bank}.qrels"
    bank = load_bank(BANKS / f"{wanted.bank}.jsonl", qrels=qrels if qrels.exists() else None)
    start = time.perf_counter()
    trials = run_trials(bank, options_for(bank), wanted.k)
    served = time.perf_counter() - start
    table = trials.table(parse(wanted.measure))
    verdict = judge(table)
    seconds = time.perf_counter() - start
    rows, off = [], table.fixed[0]
    for option, fixed, steps in zip(table.options, table.fixed, table.steps, strict=True):
        lam = None if steps is None else choose_lambda(steps).best
        values = fixed if steps is None else [float(one.at(lam)) for one in steps]
        gain = bootstrap([a - b for a, b in zip(values, off, strict=True)])
        label = option.name if lam is None else f"{option.name}, lambda {lam:g} (best on all queries)"
        rows.append([label, sum(values) / len(values), f"{gain.mean:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]"])
    show(
        f"{wanted.bank}, {wanted.measure}, {len(table)} queries",
        ["option", "mean", "difference to off, 95 %"],
        rows,
    )
    gain = verdict.gain
    show(
        "Nested cross-validation, 10 folds",
        ["gain out of fold, 95 %", "p", "choice", "folds", "s serving", "s in all"],
        [[
            f"{100 * gain.mean:+.2f} points [{100 * gain.low:+.2f}, {100 * gain.high:+.2f}]", verdict.p,
            verdict.choice.label, dict(verdict.folds), round(served, 1), round(seconds, 1),
        ]],
    )  # fmt: skip
    kept = {"bank": wanted.bank, "measure": wanted.measure, "queries": len(table), "choice": verdict.choice.label,
            "gain": gain.mean, "low": gain.low, "high": gain.high, "p": verdict.p, "folds": dict(verdict.folds),
            "options": {row[0]: row[1] for row in rows}}  # fmt: skip
    keep("nested_gain" if wanted.bank == "perspectrum" else f"nested_gain_{wanted.bank}", kept)
    return int(gain.low <= 0.0)


if __name__ == "__main__":
    sys.exit(main())
