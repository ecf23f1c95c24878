"""What the shipped contract does on the banks, a row at a time: `python -m bench.banks`.

    python -m bench.banks                      every row, peers beside it; writes bench/results/banks.json
    python -m bench.banks --row seats          one row: seats words junk banks factual resembling
    python -m bench.banks --page               also docs/selection-quality.md, at several k and budgets
    python -m bench.banks --revisions 50       prints pairs of delivered revisions, to be read

Recall and gain are against the facts that the pool holds. Intervals: paired bootstrap over queries, seeded.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bench.banks_resembling import resembling, revisions
from bench.banks_serving import (
    FACTUAL,
    GAIN,
    JUNKS,
    MOST,
    RECALL,
    SURVEY,
    Rank,
    bank_of,
    budgets_of,
    fitted,
    objective,
    own_only,
    peer,
    runs,
    served,
    shipped,
    values,
    with_junk,
    words,
)
from bench.showing import RESULTS, keep, show
from reparto.evaluation.delivery import Delivery
from reparto.evaluation.statistics import bootstrap

FEW = 25
"""Banks of fewer queries have no interval worth a bound: their mean is looked at."""
BOUNDS = {"perspectrum": -0.03, "realsumm": -0.02, "ecbplus": -0.02}


def systems() -> dict[str, Rank]:
    """The shipped contract, then what it is held against; libraries where they are installed."""
    found = {"shipped": shipped(), "top-k": peer("top-k")}
    # Merging and the objective, each left out.
    found["collapse only"] = shipped(diversity={"objective": "relevance"}, quotas=False, reserve=False, merge=False)
    found["shipped, no merge"] = shipped(merge=False)
    found["objective mmr"], found["objective dpp"] = objective("mmr"), objective("dpp")
    if importlib.util.find_spec("pyversity"):
        found["pyversity DPP"], found["pyversity MMR"] = peer("pyversity-dpp"), peer("pyversity-mmr")
    if importlib.util.find_spec("langchain_core"):
        found["LangChain MMR"] = peer("langchain-mmr")
    return found


def seats() -> dict[str, Any]:
    """Ten seats on the six survey banks, one contract for all."""
    kept: dict[str, Any] = {}
    rows = []
    for name, rank in systems().items():
        seated = [served(name, rank, bank) for bank in SURVEY]
        found = [[float(values(one, measure).mean()) for measure in (RECALL, GAIN)] for one in seated]
        alone = [[float(values(map(own_only, one), measure).mean()) for measure in (RECALL, GAIN)] for one in seated]
        mean, own = np.mean(found, axis=0), np.mean(alone, axis=0)
        cells = [f"{a:.3f} / {b:.3f}" for a, b in (*found, own)]
        rows.append([name, *cells[:-1], f"{mean[0]:.4f} / {mean[1]:.4f}", f"{own[0]:.4f} / {own[1]:.4f}"])
        kept[name] = {**dict(zip(SURVEY, found, strict=True)), "mean": mean.tolist(), "own": own.tolist()}
    heads = ["", *SURVEY, "mean", "without a span's other members"]
    show("10 seats: StRecall@10 / alpha_nDCG@10 (at least .65 / .60)", heads, rows)
    return kept


def budgets() -> dict[str, Any]:
    """The words that top-k's ten take, the same for every selector, read three ways.

    * runs of letters and digits, on average over the bank: the reading that top-k's .590 and DPP's .621 are of;
    * words between spaces, on average over the bank: what `counter = "words"` counts;
    * the same, each query's own: then top-k takes exactly its ten.

    The shipped contract is told its budget, and what it delivers is held against it like the rest; of the others the
    first 40 seats are taken while they fit.
    """
    kept: dict[str, Any] = {}
    for reading, count, own in (("runs", runs, False), ("words", words, False), ("own words", words, True)):
        rows = []
        for name, rank in {**systems(), "shipped, not told": shipped()}.items():
            found = []
            for bank in SURVEY:
                limits = budgets_of(bank_of(bank), count)
                limits = limits if own else [float(np.mean(limits))] * len(limits)
                seated = _told(bank, limits) if name == "shipped" else served(name, rank, bank, 40)
                found.append([fitted(one, limit, count) for one, limit in zip(seated, limits, strict=True)])
            means = [float(values(one, "StRecall(listed=True)").mean()) for one in found]
            alone = [float(values(map(own_only, one), "StRecall(listed=True)").mean()) for one in found]
            rows.append([name, *means, float(np.mean(means)), float(np.mean(alone))])
            kept.setdefault(reading, {})[name] = {
                **dict(zip(SURVEY, means, strict=True)), "mean": float(np.mean(means)), "own": float(np.mean(alone)),
            }  # fmt: skip
        show(f"equal words ({reading}): StRecall (at least .65)", ["", *SURVEY, "mean", "without members"], rows)
    return kept


def _told(bank: str, limits: Sequence[float]) -> list[Delivery]:
    """The shipped contract, each query with its budget in the policy."""
    pairs = zip(bank_of(bank), limits, strict=True)
    return [shipped(budget={"tokens": int(limit), "counter": "words"})(query, MOST) for query, limit in pairs]


def junk() -> dict[str, Any]:
    """What is lost when 20 low-scored passages of other queries join each pool."""
    kept, rows = {}, []
    rank = shipped()
    for kind in JUNKS:
        falls = []
        for bank in SURVEY:
            before = served("shipped", rank, bank)
            after = [rank(query, 10) for query in with_junk(bank_of(bank).queries, kind)]
            falls.append([float((values(before, one) - values(after, one)).mean()) for one in (RECALL, GAIN)])
        mean = np.mean(falls, axis=0)
        rows.append([kind.name, *(f"{a:+.3f} / {b:+.3f}" for a, b in falls), f"{mean[0]:+.4f} / {mean[1]:+.4f}"])
        kept[kind.name] = {**dict(zip(SURVEY, falls, strict=True)), "mean": mean.tolist()}
    show("20 junk passages: fall in StRecall@10 / alpha_nDCG@10 (below .005)", ["scored", *SURVEY, "mean"], rows)
    return kept


def banks() -> dict[str, Any]:
    """Paired difference of alpha_nDCG@10 to top-k, with its interval, bank by bank and over all six."""
    rows, kept = [], {}
    plain = [values(served("top-k", peer("top-k"), bank), GAIN) for bank in SURVEY]
    for name, rank in systems().items():
        if name == "top-k":
            continue
        differences = [values(served(name, rank, b), GAIN) - top for b, top in zip(SURVEY, plain, strict=True)]
        intervals = [bootstrap(one) for one in differences]
        low, high = _of_means(differences)
        found = [(one.mean, one.low, one.high) for one in intervals]
        found.append((float(np.mean([one.mean for one in intervals])), low, high))
        rows.append([name, *(f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]" for mean, low, high in found)])
        kept[name] = dict(zip((*SURVEY, "mean"), found, strict=True))
    show("alpha_nDCG@10 minus top-k's, 95 %", ["", *SURVEY, "all six"], rows)
    bounds = ", ".join(f"{bank} {bound:+.2f}" for bank, bound in BOUNDS.items())
    print(f"lower bounds wanted: {bounds}; a mean of at least 0 under {FEW} queries; all six above 0")
    return kept


def _of_means(differences: list[np.ndarray], samples: int = 10_000, seed: int = 0) -> tuple[float, float]:
    """Interval of the mean of the banks' means: queries are drawn within each bank."""
    generator = np.random.default_rng(seed)
    drawn = [one[generator.integers(0, len(one), (samples, len(one)))].mean(axis=1) for one in differences]
    low, high = np.quantile(np.mean(drawn, axis=0), [0.025, 0.975])
    return float(low), float(high)


def factual() -> dict[str, Any]:
    """The factual contract: not below top-k at any of the three."""
    measures = ("StRecall(listed=True)@1", "StRecall(listed=True)@3", "RR@3")
    libraries = {name: one for name, one in systems().items() if name.startswith(("top", "py", "Lang"))}
    rows, kept = [], {}
    for bank in FACTUAL:
        for name, rank in {"shipped": shipped("factual"), **libraries}.items():
            means = [float(values(served(name, rank, bank, 3), one).mean()) for one in measures]
            rows.append([bank, name, *means])
            kept.setdefault(bank, {})[name] = means
    show("factual contract", ["bank", "", "StRecall@1", "StRecall@3", "MRR@3"], rows)
    return kept


ROWS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "seats": seats,
    "words": budgets,
    "junk": junk,
    "banks": banks,
    "factual": factual,
    "resembling": resembling,
}


def main(argv: list[str] | None = None) -> int:
    """Print the rows asked for and keep their numbers."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--row", action="append", choices=list(ROWS))
    arguments.add_argument("--page", action="store_true", help="write docs/selection-quality.md as well")
    arguments.add_argument("--revisions", type=int, metavar="N", help="print N pairs of delivered revisions")
    wanted = arguments.parse_args(argv)
    if wanted.revisions:
        revisions(wanted.revisions)
        return 0
    kept = {name: ROWS[name]() for name in wanted.row or ROWS}
    path = RESULTS / "banks.json"
    before = json.loads(path.read_text(encoding="utf-8")) if wanted.row and path.exists() else {}
    keep(
        "banks", {name: one for name, one in {**before, **kept}.items() if name in ROWS}, "pyversity", "langchain-core"
    )
    if wanted.page:
        from bench.banks_page import write

        write(systems())
    return 0


if __name__ == "__main__":
    sys.exit(main())
