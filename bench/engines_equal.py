"""Engines write the local engine's bytes: `python -m bench engines_equal [--documents N] [--engines daft ray spark]`.

Real texts read beside the project (`../shared/data`, none of them is kept), copies planted among them, and a planted
corpus (`bench.corpus_generator`) up to N documents. The local engine reads them in one order; every other engine, at
every number of partitions (`--partitions 1 2 7 64`), reads them in another, in files of its own number. Rows are equal
when the results have the same bytes. `--only daft:1 ray:7` runs those alone and keeps the other rows of the table.
Results go to `bench/results/engines_equal.json`.
"""

from __future__ import annotations

import argparse
import filecmp
import gzip
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.corpus_generator import corpus
from bench.engines import RUNS
from bench.trees import dedupe

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
OUT = Path(__file__).parent / "results" / "engines_equal.json"
PLANTED = 10  # one real text in so many gets a copy


def real() -> Iterator[dict[str, Any]]:
    """Every text of the sets beside the project, each line a document of its own."""
    for path in sorted(DATA.glob("*/*.jsonl*")):
        if path.parent.name == "banks":
            continue
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream):
                one = json.loads(line)
                if isinstance(one.get("text"), str):
                    source = one.get("outlet") or one.get("source") or one.get("domain") or path.parent.name
                    yield {
                        "id": f"{path.parent.name}/{path.name}/{number}", "text": one["text"], "source": str(source),
                        "published": one.get("published_at") or one.get("date"), "url": one.get("url"),
                    }  # fmt: skip


def edited(text: str, rng: random.Random) -> str:
    """The same, without its end, with some words replaced, or within another frame."""
    words = text.split()
    how = rng.randrange(4)
    if how == 1:
        words = words[: max(1, len(words) * 4 // 5)]
    elif how == 2:
        for _ in range(max(1, len(words) // 40)):
            words[rng.randrange(len(words))] = rng.choice(words)
    elif how == 3:
        words = ["(Reuters)", "-", *words, "All", "rights", "reserved."]
    return " ".join(words)


def documents(n: int) -> list[dict[str, Any]]:
    rng = random.Random(23)
    found = list(real())[:n] if DATA.is_dir() else []
    some = [one for one in found[::PLANTED] if one["text"].split()]
    found += [
        {"id": f"planted/{i}", "text": edited(one["text"], rng), "source": f"copier{i % 50}"}
        for i, one in enumerate(some)
    ]
    found += [one for one, _ in corpus(max(0, n - len(found)), seed=9)]
    return found[:n]


def prepared(n: int, folder: Path) -> tuple[Path, Path]:
    """The corpus in one file, and shuffled in five."""
    texts, shuffled = folder / f"equal-{n}.jsonl", folder / f"equal-{n}-shuffled"
    if not shuffled.exists():
        some = [json.dumps(one) + "\n" for one in documents(n)]
        texts.write_text("".join(some), "utf-8")
        random.Random(7).shuffle(some)
        shuffled.mkdir(parents=True)
        for part in range(5):
            (shuffled / f"{part}.jsonl").write_text("".join(some[part::5]), "utf-8")
    return texts, shuffled


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--engines", nargs="*", default=["daft", "ray", "spark"])
    parser.add_argument("--partitions", type=int, nargs="*", default=[1, 2, 7, 64])
    parser.add_argument("--only", nargs="*", default=[], metavar="ENGINE:PARTITIONS")
    parser.add_argument("--folder", type=Path, default=Path("bench-engines"))
    asked = parser.parse_args(argv)
    asked.folder.mkdir(parents=True, exist_ok=True)
    texts, shuffled = prepared(asked.documents, asked.folder)
    report: dict[str, Any] = json.loads(OUT.read_text("utf-8")) if asked.only and OUT.exists() else {"runs": {}}
    report["documents"] = asked.documents
    report["real"] = sum(1 for line in texts.open("rb") if not line.startswith((b'{"id": "d0', b'{"id": "planted/')))
    expected = asked.folder / "equal-local.jsonl"
    report["local"] = dedupe(texts, "--out", expected)
    print(
        "local",
        report["local"]["processor"],
        "processor s,",
        report["local"]["account"]["groups"],
        "groups",
        flush=True,
    )
    wanted = [tuple(one.split(":")) for one in asked.only]
    for name in asked.engines:
        for many in asked.partitions:
            if wanted and (name, str(many)) not in wanted:
                continue
            out = asked.folder / f"equal-{name}-{many}.jsonl"
            shutil.rmtree(out.with_name(f"{out.name}.work"), ignore_errors=True)
            row = dedupe(shuffled, "--out", out, *RUNS[name], "--partitions", many)
            row["equal"] = filecmp.cmp(expected, out, shallow=False)
            report["runs"][f"{name}:{many}"] = row
            OUT.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
            print(
                f"{name:6} {many:3} partitions  equal: {'yes' if row['equal'] else 'NO'}  {row['seconds']} s, "
                f"{row['processor']} processor s, {row['MB']} MB",
                flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
