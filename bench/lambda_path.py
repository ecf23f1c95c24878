"""Lambda over the exact path against every grid step of .01: `python -m bench.lambda_path`.

For each survey bank that is present: the optimum over the path, and the best of the 101 grid steps as real
greedy runs find it, for two measures. "worse" counts grid steps that beat the path's optimum. The seconds are
for reading nothing: pools in memory to chosen lambda, all queries of the bank, two measures. Writes
bench/results/lambda_path.json.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from bench.showing import BANKS, keep, need, show
from reparto.contract import Policy
from reparto.evaluation.bank import Bank, read_bank
from reparto.evaluation.curve import choose_lambda
from reparto.evaluation.measures import parse
from reparto.evaluation.path import entries_before_seating, outcomes
from reparto.kernels import active, greedy
from reparto.similarity import similarity_of

NAMES = ("perspectrum", "realsumm", "ecbplus", "trec_ts", "ambient", "argkp")
MEASURES = ("StRecall(listed=True)@10", "alpha_nDCG@10")
GRID = [step / 100 for step in range(101)]


def by_grid(bank: Bank, policy: Policy) -> dict[str, list[float]]:
    """Mean of each measure at each grid step, every step a greedy run of its own."""
    measures = {name: parse(name) for name in MEASURES}
    found: dict[str, list[list[float]]] = {name: [] for name in MEASURES}
    for query in bank:
        entries = entries_before_seating(query.request, policy)
        similarity = similarity_of(entries)
        relevance = np.array([one.relevance for one in entries])
        values: dict[str, list[float]] = {name: [] for name in MEASURES}
        for lam in GRID:
            picks = greedy(relevance, 10, lam=lam, rows=similarity.rows).indices
            delivery = query.deliver([entries[int(i)].id for i in picks])
            for name, measure in measures.items():
                value = measure.value(delivery)
                values[name].append(np.nan if value is None else value)
        for name in MEASURES:
            found[name].append(values[name])
    return {name: np.nanmean(np.array(rows), axis=0).tolist() for name, rows in found.items()}


def main(argv: list[str] | None = None) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--bank", action="append", help="only these banks")
    wanted = arguments.parse_args(argv)
    policy = Policy.model_validate({"diversity": {"objective": "mmr"}})
    rows, kept, beaten = [], {}, 0
    for name in wanted.bank or NAMES:
        bank = read_bank(need(BANKS / f"{name}.jsonl"))
        start = time.perf_counter()
        paths = [outcomes(query, policy, 10) for query in bank]
        choices = {}
        for text in MEASURES:
            steps = [one.steps(parse(text)) for one in paths]
            choices[text] = choose_lambda([one for one in steps if one is not None])
        seconds = time.perf_counter() - start
        grid = by_grid(bank, policy)
        for text, choice in choices.items():
            worse = sum(value > choice.best_mean + 1e-9 for value in grid[text])
            beaten += worse
            at = GRID[int(np.argmax(grid[text]))]
            figures = [choice.best, choice.best_mean, at, max(grid[text]), worse, round(seconds, 2)]
            rows.append([name, len(bank), text, *figures])
        kept[name] = {
            "queries": len(bank),
            "seconds": seconds,
            "path_mean": {text: one.best_mean for text, one in choices.items()},
            "path_lambda": {text: one.best for text, one in choices.items()},
            "grid_mean": {text: max(values) for text, values in grid.items()},
        }
    heads = [
        "bank",
        "queries",
        "measure",
        "path lambda",
        "path mean",
        "grid lambda",
        "grid mean",
        "grid steps better",
        "s",
    ]
    show(
        f"Lambda over the exact path ({active().name})",
        heads,
        rows,
    )
    keep("lambda_path", {"banks": kept, "grid_steps_better": beaten})
    return int(beaten > 0)


if __name__ == "__main__":
    sys.exit(main())
