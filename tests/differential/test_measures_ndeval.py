"""The nine measures of ndeval.c against its Python wrapper, on random judgments and runs."""

from __future__ import annotations

import random

import pytest

from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import parse

pyndeval = pytest.importorskip("pyndeval", reason="pyndeval is an optional test dependency")

THEIRS = {
    "alpha_nDCG": "alpha-nDCG", "alpha_DCG": "alpha-DCG", "ERR_IA": "ERR-IA", "nERR_IA": "nERR-IA", "P_IA": "P-IA",
    "StRecall": "strec", "NRBP": "NRBP", "nNRBP": "nNRBP", "MAP_IA": "MAP-IA",
}  # fmt: skip
WHOLE = ("NRBP", "nNRBP", "MAP_IA")


@pytest.mark.parametrize("seed", range(40))
def test_no_difference_on_random_runs(seed: int) -> None:
    chance = random.Random(seed)
    docs = [f"d{i:02d}" for i in range(chance.randint(1, 30))]
    qrels = [
        ("q", str(fact), doc, chance.choice((0, 1, 1, 2)))
        for fact in range(chance.randint(1, 6))
        for doc in chance.sample(docs, chance.randint(1, len(docs)))
    ]
    if not any(grade for *_, grade in qrels):
        qrels.append(("q", "0", docs[0], 1))
    alpha, beta = chance.choice((0.0, 0.25, 0.5, 1.0)), chance.choice((0.25, 0.5, 0.9))
    ranking = chance.sample([*docs, *(f"x{i}" for i in range(10))], chance.randint(1, len(docs) + 10))
    cuts = [1, 2, 5, chance.randint(1, 20), 20]
    names = {
        f"{ours}@{cut}" if cut else ours: f"{theirs}@{cut}" if cut else theirs
        for ours, theirs in THEIRS.items()
        for cut in ([0] if ours in WHOLE else cuts)
    }
    run = [("q", doc, float(len(ranking) - place)) for place, doc in enumerate(ranking)]
    expected = pyndeval.RelevanceEvaluator(qrels, names.values(), alpha=alpha, beta=beta).evaluate(run)["q"]
    facts: dict[str, dict[str, int]] = {}
    for _, fact, doc, grade in qrels:
        facts.setdefault(fact, {})[doc] = grade
    delivery = Delivery(tuple(Passage(doc, (doc,)) for doc in ranking), Judgments(facts))
    for ours, theirs in names.items():
        value = parse(with_parameters(ours, alpha, beta)).value(delivery)
        assert value == pytest.approx(expected[theirs], abs=1e-9), (ours, alpha, beta)


def with_parameters(name: str, alpha: float, beta: float) -> str:
    family, _, cut = name.partition("@")
    given = {"NRBP": f"(alpha={alpha},beta={beta})", "nNRBP": f"(alpha={alpha},beta={beta})"}.get(
        family, "" if family in ("P_IA", "StRecall", "MAP_IA") else f"(alpha={alpha})"
    )
    return f"{family}{given}{f'@{cut}' if cut else ''}"


def test_equal_scores_are_ordered_as_the_wrapper_orders_them(tmp_path) -> None:
    """A run file with ties is read in the order that pyndeval gives it, whatever the order of its lines."""
    from reparto.evaluation.trec import read_run

    path = tmp_path / "run"
    path.write_text("".join(f"q Q0 {doc} 1 1.0 t\n" for doc in "bac"), encoding="utf-8")
    order = [doc for doc, _ in read_run(path)["q"]]
    run = [("q", doc, 1.0) for doc in "bac"]
    for place, doc in enumerate(order, start=1):
        found = pyndeval.ndeval([("q", "0", doc, 1)], run, ["MAP-IA"])["q"]["MAP-IA"]
        assert found == pytest.approx(1 / place)
