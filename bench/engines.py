"""Engines side by side: `python -m bench.engines [--sizes N N] [--engines daft spark ray] [--partitions 1 2 7 64]`.

A planted corpus of each size through every engine, in a process of its own, and whether the bytes equal the local
engine's; then, at the smallest size, every number of partitions over shuffled input. `--hurt N` adds the corpus made to
hurt: one text 2N times, a form filled in N ways, a bucket with a third of all keys, empty texts and two of 10 MB.
Results go to `bench/results/engines.json`.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import random
from pathlib import Path
from typing import Any

from bench.corpus_generator import write
from bench.dedupe_scale import dedupe

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


def compare(texts: Path, folder: Path, engines: list[str], *more: object) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("local", *engines):
        out = folder / f"{name}.jsonl"
        found[name] = dedupe(texts, "--out", out, *RUNS[name], *(more if name != "local" else ()))
        found[name]["equal"] = filecmp.cmp(folder / "local.jsonl", out, shallow=False)
        row = found[name]
        print(
            texts.name,
            *more,
            name,
            row["seconds"],
            "s",
            row["processor"],
            "processor s",
            row["MB"],
            "MB",
            row["equal"],
            flush=True,
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--engines", nargs="*", default=["daft", "spark"])
    parser.add_argument("--partitions", type=int, nargs="*", default=[1, 2, 7, 64])
    parser.add_argument("--hurt", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("bench-engines"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    out = Path(__file__).parent / "results" / "engines.json"
    out.parent.mkdir(exist_ok=True)
    report: dict[str, Any] = {}
    for n in asked.sizes:
        texts = asked.folder / f"{n}.jsonl"
        if not texts.exists():
            write(n, texts)
        report[str(n)] = compare(texts, asked.folder, asked.engines)
        out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    if asked.partitions and asked.sizes:
        lines = (asked.folder / f"{min(asked.sizes)}.jsonl").read_text("utf-8").splitlines(keepends=True)
        random.Random(7).shuffle(lines)
        texts = asked.folder / "shuffled.jsonl"
        texts.write_text("".join(lines), "utf-8")
        for many in asked.partitions:
            report[f"partitions {many}"] = compare(texts, asked.folder, asked.engines, "--partitions", many)
            out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    if asked.hurt:
        texts = asked.folder / "hurt.jsonl"
        hurtful(asked.hurt, texts)
        report["hurt"] = compare(texts, asked.folder, asked.engines)
        out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
