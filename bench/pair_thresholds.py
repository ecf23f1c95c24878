"""Thresholds for a target precision on pairs not seen: `python -m bench.pair_thresholds`.

Pairs from the labelled sets that are present: sentence pairs (mrpc, stsb_en_es: 4 or more of 5 counts as the same),
perspectives of one claim (perspectrum, with vectors), documents (webis_ndd: grade 3 against 0), short answers
(clough_reuse: cut against none). Each set is halved ten times; thresholds are chosen on one half for precision .80,
.90 and .95, and held against the other. A row fails where the held-out precision's 95 % interval (Wilson, over the
mean half) lies below the target. Sets of fewer than 500 pairs are pooled. Writes bench/results/pair_thresholds.json.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.showing import BANKS, DATA, keep, need, show
from reparto.evaluation.calibrate.thresholds import MEASURES, RIGHT, features, pick
from reparto.evaluation.pairs import Pair, Side
from reparto.evaluation.statistics import wilson

TARGETS = (0.80, 0.90, 0.95)
HALVINGS = 10
MOST = 40_000  # pairs of one set: beyond that a sample


def rows(path: Path) -> list[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def pair(a: str, b: str, same: bool, place: int, vectors: tuple[Any, Any] = (None, None)) -> Pair:
    return Pair(Side(f"a{place}", a, vectors[0]), Side(f"b{place}", b, vectors[1]), "copy" if same else "different")


def mrpc() -> Iterator[Pair]:
    for place, row in enumerate(rows(DATA / "mrpc" / "pairs.jsonl.gz")):
        yield pair(row["a"], row["b"], bool(row["equivalent"]), place)


def stsb() -> Iterator[Pair]:
    for place, row in enumerate(rows(DATA / "stsb_en_es" / "pairs.jsonl.gz")):
        yield pair(row["a"], row["b"], row["score"] >= 4, place)


def perspectrum() -> Iterator[Pair]:
    """All pairs of perspectives of one claim; one cluster is the same. Vectors from the bank, by text."""
    archive = np.load(BANKS / "perspectrum.vectors.npz")
    vectors = dict(zip(archive["ids"].tolist(), archive["vectors"].astype("float32"), strict=True))
    known = {
        one["text"]: vectors[one["id"]]
        for line in rows(BANKS / "perspectrum.jsonl")
        for one in line["candidates"]
        if one["id"] in vectors
    }
    claims: dict[str, list[dict[str, Any]]] = {}
    for row in rows(DATA / "perspectrum" / "perspectives.jsonl.gz"):
        if row["text"] in known:
            claims.setdefault(row["query_id"], []).append(row)
    found = [both for claim in claims.values() for both in itertools.combinations(claim, 2)]
    for place, (a, b) in enumerate(random.Random(0).sample(found, min(MOST, len(found)))):
        both = (known[a["text"]], known[b["text"]])
        yield pair(a["text"], b["text"], a["cluster"] == b["cluster"], place, both)


def webis() -> Iterator[Pair]:
    texts = {row["doc_id"]: row["text"] for row in rows(DATA / "webis_ndd" / "docs.jsonl.gz")}
    for place, row in enumerate(rows(DATA / "webis_ndd" / "pairs.jsonl")):
        if row["grade"] in (0, 3):
            yield pair(texts[row["a"]], texts[row["b"]], row["grade"] == 3, place)


def clough() -> Iterator[Pair]:
    answers = rows(DATA / "clough_reuse" / "answers.jsonl")
    sources = {row["task"]: row["text"] for row in answers if row["category"] == "orig"}
    for place, row in enumerate(answers):
        if row["category"] in ("cut", "non"):
            yield pair(row["text"], sources[row["task"]], row["category"] == "cut", place)


def halvings(pairs: list[Pair], target: float) -> dict[str, tuple[int, int, int, int]]:
    """Per measure, over the halvings: right and passed on the unseen half, halves with a threshold, pairs known."""
    right = np.array([one.label in RIGHT for one in pairs])
    table = features(pairs)
    found = {}
    for name in MEASURES:
        scores, hits, passed, told = table[name], 0, 0, 0
        for seed in range(HALVINGS):
            order = np.random.default_rng(seed).permutation(len(pairs))
            seen, unseen = np.array_split(order, 2)
            value = pick(scores[seen], right[seen], target)
            if value is not None and value > 0:
                told += 1
                passing = scores[unseen] >= value
                hits += int((passing & right[unseen]).sum())
                passed += int(passing.sum())
        found[name] = (hits, passed, told, int((~np.isnan(scores)).sum()))
    return found


def sets() -> Iterable[tuple[str, list[Pair]]]:
    large = {"mrpc": mrpc, "stsb_en_es": stsb, "perspectrum": perspectrum}
    yield from ((name, list(read())) for name, read in large.items())
    yield "webis_ndd + clough_reuse", [*webis(), *clough()]


def main(argv: list[str] | None = None) -> int:
    argparse.ArgumentParser(description=__doc__).parse_args(argv)
    need(DATA)
    shown, kept, failed = [], [], 0
    for name, pairs in sets():
        positives = sum(one.label in RIGHT for one in pairs)
        for target in TARGETS:
            for measure, (hits, passed, told, known) in halvings(pairs, target).items():
                if not known:
                    continue
                share = hits / passed if passed else float("nan")
                per_half = round(passed / told) if told else 0
                low, high = wilson(round(share * per_half), per_half) if per_half else (0.0, 1.0)
                below = bool(told) and high < target
                failed += below
                said = f"{share:.3f} [{low:.3f}, {high:.3f}]" if told else "cannot tell"
                half = positives / 2
                recall = f"{hits / told / half:.3f}" if told and half else "-"
                shown.append(
                    [name, len(pairs), measure, target, said, recall, f"{told} of {HALVINGS}", "BELOW" if below else ""]
                )
                kept.append({"set": name, "pairs": len(pairs), "measure": measure, "target": target, "told": told,
                             "precision": share if told else None, "low": low, "high": high})  # fmt: skip
    heads = ["set", "pairs", "measure", "target", "held-out precision, 95 %", "recall", "halves with a threshold", ""]
    show("Thresholds chosen on one half, held against the other", heads, shown)
    keep("pair_thresholds", {"rows": kept, "below_target": failed})
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
