"""Does calibration leave things alone when there is nothing to find? `python -m bench.calibrator_null [--banks 200]`.

Label-shuffled banks: in each query the passages exchange their labels at random within the pool, so that which
passage carries which facts has nothing to do with scores, texts or vectors; then no way of selecting is better than
another on average. The survey banks that are present take turns. Counts the banks on which the calibrator recommends
a change (at most 17 of 200 is asked). Writes bench/results/calibrator_null.json.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from bench.showing import BANKS, keep, need, show
from reparto.evaluation.bank import BankQuery, read_bank
from reparto.evaluation.calibrate.nested import judge
from reparto.evaluation.calibrate.options import options_for
from reparto.evaluation.calibrate.trials import run_trials
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import parse

NAMES = ("realsumm", "ecbplus", "trec_ts", "ambient", "argkp", "perspectrum")
ALLOWED = 17 / 200


def shuffled(query: BankQuery, chance: random.Random) -> Judgments:
    """The judgments with the pool's ids exchanged for one another."""
    ids = [one.id for one in query.pool]
    other = dict(zip(ids, chance.sample(ids, len(ids)), strict=True))
    facts = {
        fact: {other.get(id, id): grade for id, grade in grades.items()}
        for fact, grades in query.judgments.facts.items()
    }
    return Judgments(facts, query.judgments.weights, query.judgments.total)


def main(argv: list[str] | None = None) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--banks", type=int, default=200)
    arguments.add_argument("--measure", default="StRecall(listed=True)@10")
    arguments.add_argument("--only", action="append", help="only these banks")
    wanted = arguments.parse_args(argv)
    names = [name for name in wanted.only or NAMES if need(BANKS / f"{name}.jsonl")]
    measure, start = parse(wanted.measure), time.perf_counter()
    changed, done, choices = Counter[str](), Counter[str](), Counter[str]()
    for place, name in enumerate(names):
        bank = read_bank(BANKS / f"{name}.jsonl")
        trials = run_trials(bank, options_for(bank), 10)
        for number in range(place, wanted.banks, len(names)):
            chance = random.Random(f"{name} {number}")
            judgments = {query.id: shuffled(query, chance) for query in bank}
            verdict = judge(trials.table(measure, judgments), samples=4_000, seed=number)
            done[name] += 1
            if verdict.change:
                changed[name] += 1
                choices[verdict.choice.option.name] += 1
    total, wrong = sum(done.values()), sum(changed.values())
    rows = [[name, done[name], changed[name]] for name in names]
    show("Label-shuffled banks", ["bank", "shuffles", "changes recommended"], [*rows, ["all", total, wrong]])
    kept = {"measure": wanted.measure, "shuffles": done, "changes": changed, "choices": choices, "total": total,
            "recommended": wrong, "seconds": round(time.perf_counter() - start, 1)}  # fmt: skip
    keep("calibrator_null", kept)
    return int(wrong > ALLOWED * total)


if __name__ == "__main__":
    sys.exit(main())
