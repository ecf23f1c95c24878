"""Engines side by side: `python -m bench engines [--sizes N N] [--engines daft spark ray] [--hurt N]`.

A planted corpus of each size through every engine: wall seconds, processor seconds of all its processes, memory of the
largest one, and whether the bytes equal the local engine's; then how many times the local engine's processor time each
takes, and the exponent of growth. `--hurt N` adds the corpus made to hurt: one text 2N times, a form filled in N ways,
a bucket with a third of all keys, empty texts and two of 10 MB; at N and at a quarter of N. `--sizes` without a number
leaves the others out. Results go to `bench/results/engines.json`.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.corpus_generator import write
from bench.trees import dedupe

NOTICE = "The same notice in every window of the town, word for word and day after day."
FORM = "Invoice {}: please pay {}.{:02d} euros within thirty days to the account named above."
RUNS = {
    "local": (),
    "daft": ("--engine", "daft"),
    "ray": ("--engine", "daft", "--option", "runner=ray"),
    "spark": ("--engine", "spark"),
}


def hurtful(n: int, out: Path) -> None:
    """One text 2n times, a form filled in n ways, n texts that share most of their shingles, empty and huge ones."""
    rng = random.Random(1)
    words = [f"{a}{b}" for a in ("lo", "ri", "ma", "te", "ku") for b in ("nar", "vel", "sto", "pim", "dek", "ful")]
    shared = " ".join(rng.choice(words) for _ in range(120))
    with out.open("w", encoding="utf-8") as stream:

        def put(id: str, text: str, source: str) -> None:
            stream.write(json.dumps({"id": id, "text": text, "source": source}) + "\n")

        for i in range(2 * n):
            put(
                f"same{i}",
                NOTICE,
                f"s{i % 50}",
            )
        for i in range(n):
            put(
                f"form{i}",
                FORM.format(100000 + i, i % 977, i % 100),
                "shop",
            )
        for i in range(n):
            put(
                f"mass{i}",
                shared + " " + " ".join(rng.choice(words) + str(rng.randrange(10**6)) for _ in range(40)),
                f"m{i}",
            )
        for i in range(100):
            put(f"empty{i}", "", "none")
        for i in range(2):
            put(f"huge{i}", " ".join(rng.choice(words) + str(rng.randrange(10**5)) for _ in range(900_000)), "book")


def compare(texts: Path, folder: Path, engines: list[str]) -> dict[str, Any]:
    """Each engine on the same texts, beside the local one."""
    found: dict[str, Any] = {}
    for name in ("local", *engines):
        out = folder / f"{name}.jsonl"
        row = found[name] = dedupe(texts, "--out", out, *RUNS[name])
        row["equal"] = filecmp.cmp(folder / "local.jsonl", out, shallow=False)
        row["times local"] = round(row["processor"] / found["local"]["processor"], 2)
        print(
            f"{texts.name} {name}: {row['seconds']} s, {row['processor']} processor s ({row['times local']} x local), "
            f"{row['MB']} MB, equal: {row['equal']}",
            flush=True,
        )
    return found


def warm(folder: Path, engines: list[str]) -> None:
    """Start each engine once, so that the first one measured does not pay for compiling modules."""
    texts = folder / "warm.jsonl"
    write(50, texts)
    for name in ("local", *engines):
        dedupe(texts, "--out", folder / f"{name}.jsonl", *RUNS[name])


def growth(report: dict[str, Any], low: str, high: str, times: float) -> dict[str, float]:
    """The exponent of processor seconds, engine by engine."""
    names = report[low].keys() & report[high].keys()
    return {
        name: round(math.log(report[high][name]["processor"] / report[low][name]["processor"]) / math.log(times), 3)
        for name in sorted(names)
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--engines", nargs="*", default=["daft"])
    parser.add_argument("--hurt", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("bench-engines"))
    asked = parser.parse_args(argv)
    asked.folder.mkdir(parents=True, exist_ok=True)
    out = Path(__file__).parent / "results" / "engines.json"
    out.parent.mkdir(exist_ok=True)
    report: dict[str, Any] = json.loads(out.read_text("utf-8")) if out.exists() else {}
    warm(asked.folder, asked.engines)
    for n in asked.sizes:
        texts = asked.folder / f"{n}.jsonl"
        if not texts.exists():
            write(n, texts)
        report[str(n)] = compare(texts, asked.folder, asked.engines)
        out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    for low, high in pairwise(sorted(asked.sizes)):
        report[f"growth {low} to {high}"] = growth(report, str(low), str(high), high / low)
        print("growth", low, "to", high, report[f"growth {low} to {high}"], flush=True)
    for n in (asked.hurt // 4, asked.hurt) if asked.hurt else ():
        texts = asked.folder / f"hurt-{n}.jsonl"
        if not texts.exists():
            hurtful(n, texts)
        report[f"hurt {n}"] = compare(texts, asked.folder, asked.engines)
        out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    if asked.hurt:
        report["growth of what hurts"] = growth(report, f"hurt {asked.hurt // 4}", f"hurt {asked.hurt}", 4)
        print("growth of what hurts", report["growth of what hurts"])
    out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
