"""docs/selection-quality.md, written whole from what is measured: `python -m bench.banks --page`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bench.banks_serving import GAIN, SURVEY, Rank, bank_of, budget_of, fitted, served, shipped, values
from bench.showing import ROOT
from reparto.evaluation.delivery import Delivery
from reparto.evaluation.statistics import bootstrap

PAGE = ROOT / "docs" / "selection-quality.md"
SEATS = (5, 10, 20)
SHARES = (0.5, 1.0)
"""Word budgets, as shares of what top-k's ten take on average over the bank."""

HEAD = """# How well the seats are chosen

Made by `python -m bench.banks --page`; the tables are not edited by hand. Six banks of survey queries are served
with the built-in contract (*shipped*), with the same contract and another objective, and with other selectors, every
one with its own defaults throughout. The texts are not part of the project.

* **recall**: share of the facts in the pool that the delivered passages carry (StRecall). **gain**: alpha-nDCG,
  alpha .5. The difference to top-k beside each stands with the 95 % interval of a paired bootstrap over queries
  (10,000 samples, seed 0).
* The price: *nDCG* counts a passage relevant when it carries a fact, seen before or not; *relevance* is the mean of
  the ranker's scores of the delivered, scaled to 0..1 over the pool.
* A merged span carries the facts of its members and counts as one seat; under a budget it is counted by its words.
"""


def write(systems: Mapping[str, Rank]) -> None:
    """Serve what is not served yet, and write the page."""
    parts = [HEAD]
    for bank in SURVEY:
        parts.append(f"\n## {bank} ({len(bank_of(bank))} queries)\n")
        for k in SEATS:
            parts += _table(f"{k} seats", k, {n: served(n, rank, bank, k) for n, rank in systems.items()})
        for share in SHARES:
            words = int(share * budget_of(bank_of(bank)))
            found = {n: [fitted(one, words) for one in served(n, rank, bank, 40)] for n, rank in systems.items()}
            told = shipped(budget={"tokens": words, "counter": "words"})
            found["shipped"] = served(f"shipped, {words} words", told, bank, 40)
            parts += _table(f"{words} words, as many seats as fit", None, found)
    PAGE.write_text("\n".join(parts) + "\n", encoding="utf-8")


def _table(title: str, k: int | None, found: Mapping[str, list[Delivery]]) -> list[str]:
    at = f"@{k}" if k else ""
    names = (f"StRecall(listed=True){at}", f"{GAIN.partition('@')[0]}{at}")
    price = f"nDCG{at}"
    plain = {name: values(found["top-k"], name) for name in names}
    lines = [
        f"\n### {title}\n",
        "| | recall | to top-k | gain | to top-k | nDCG | relevance |",
        "|---|---|---|---|---|---|---|",
    ]
    for system, deliveries in found.items():
        cells = []
        for name in names:
            own = values(deliveries, name)
            cells += [f"{own.mean():.3f}", "" if system == "top-k" else _difference(own - plain[name])]
        cells += [f"{values(deliveries, price).mean():.3f}", f"{np.mean([relevance(one) for one in deliveries]):.3f}"]
        lines.append(f"| {system} | {' | '.join(cells)} |")
    return lines


def _difference(differences: np.ndarray) -> str:
    found = bootstrap(differences)
    return f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def relevance(delivery: Delivery) -> float:
    """Mean score of the delivered, 0 at the pool's worst and 1 at its best; 0 when nothing is delivered."""
    scores = [one.score for one in delivery.pool if one.score is not None]
    low, high = min(scores), max(scores)
    got = [
        1.0 if high <= low else (one.score - low) / (high - low) for one in delivery.passages if one.score is not None
    ]
    return float(np.mean(got)) if got else 0.0
