"""Agreement of the nine diversity measures with pyndeval: `python -m bench.ndeval [--comparisons N]`.

Every comparison is one measure of one random run under random judgments, alpha and beta, at a random cutoff
up to 20 (pyndeval's limit). Prints the number of differences beyond 1e-9 and the largest. Writes
bench/results/ndeval.json.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from bench.showing import keep, show
from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import parse

FADING = {"alpha_nDCG": "alpha-nDCG", "alpha_DCG": "alpha-DCG", "ERR_IA": "ERR-IA", "nERR_IA": "nERR-IA"}
PLAIN = {"P_IA": "P-IA", "StRecall": "strec"}
BIASED = {"NRBP": "NRBP", "nNRBP": "nNRBP"}
LIMIT = 1e-9


def case(chance: random.Random) -> tuple[list[tuple[str, str, str, int]], list[str]]:
    """Random judgments, at least one positive, and a random run with strangers in it."""
    docs = [f"d{i:02d}" for i in range(chance.randint(1, 40))]
    qrels = [
        ("q", str(fact), doc, chance.choice((0, 1, 1, 2)))
        for fact in range(chance.randint(1, 8))
        for doc in chance.sample(docs, chance.randint(1, max(1, len(docs) // chance.choice((1, 2, 5)))))
    ]
    qrels.append(("q", "0", chance.choice(docs), 1))
    qrels = list({(fact, doc): ("q", fact, doc, grade) for _, fact, doc, grade in qrels}.values())
    everyone = [*docs, *(f"x{i}" for i in range(chance.randint(0, 20)))]
    return qrels, chance.sample(everyone, chance.randint(1, len(everyone)))


def names(chance: random.Random, alpha: float, beta: float) -> dict[str, str]:
    """Our spelling and theirs of the nine measures, the cut ones at three cutoffs."""
    found = {f"{ours}(alpha={alpha},beta={beta})": theirs for ours, theirs in BIASED.items()} | {"MAP_IA": "MAP-IA"}
    for cut in {1, chance.randint(2, 10), chance.randint(11, 20)}:
        found |= {f"{ours}(alpha={alpha})@{cut}": f"{theirs}@{cut}" for ours, theirs in FADING.items()}
        found |= {f"{ours}@{cut}": f"{theirs}@{cut}" for ours, theirs in PLAIN.items()}
    return found


def main(argv: list[str] | None = None) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--comparisons", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=0)
    wanted = arguments.parse_args(argv)
    try:
        import pyndeval
    except ImportError:
        sys.exit("skipped: pyndeval is not installed")
    chance, start = random.Random(wanted.seed), time.perf_counter()
    done, wrong, largest = Counter[str](), 0, 0.0
    while sum(done.values()) < wanted.comparisons:
        qrels, ranking = case(chance)
        alpha, beta = chance.choice((0.0, 0.1, 0.25, 0.5, 0.5, 0.75, 1.0)), chance.choice((0.25, 0.5, 0.8))
        asked = names(chance, alpha, beta)
        run = [("q", doc, float(-place)) for place, doc in enumerate(ranking)]
        theirs = pyndeval.RelevanceEvaluator(qrels, asked.values(), alpha=alpha, beta=beta).evaluate(run)["q"]
        facts: dict[str, dict[str, int]] = {}
        for _, fact, doc, grade in qrels:
            facts.setdefault(fact, {})[doc] = grade
        delivery = Delivery(tuple(Passage(doc, (doc,)) for doc in ranking), Judgments(facts))
        for ours, name in asked.items():
            value = parse(ours).value(delivery)
            error = abs(theirs[name] - value) if value is not None else float("inf")
            done[ours.partition("(")[0].partition("@")[0]] += 1
            wrong += not error <= LIMIT
            largest = max(largest, error)
    total = sum(done.values())
    show(
        "Agreement with pyndeval",
        ["comparisons", f"beyond {LIMIT:g}", "largest difference", "seconds"],
        [[total, wrong, f"{largest:.1e}", round(time.perf_counter() - start, 1)]],
    )
    keep(
        "ndeval",
        {"comparisons": total, "by_measure": done, "beyond_1e-9": wrong, "largest": largest},
        "pyndeval",
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
