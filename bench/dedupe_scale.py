"""`reparto dedupe` at size: `python -m bench.dedupe_scale [--sizes N N N] [--peers N] [--increment] [--folder DIR]`.

A planted corpus (`bench.corpus_generator`) of each size through the command, in a process of its own: wall and
processor seconds, largest resident memory, recall of planted near copies at resemblance .6 and above, and precision.
Recall counts the copies of which either side leads: where both joined a third text, both were held against that one.
Then the exponent of growth, 10,000 later and 10,000 back-dated documents into the largest corpus, and peers on the same
texts from raw JSONL (text-dedup pins versions of its own: `--text-dedup PYTHON` names an interpreter that has it). Each
tool runs on a tenth of the texts first, so that nobody's modules are compiled on the clock. Results go to
`bench/results/dedupe_scale.json`; what is not run again keeps its figures.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from bench.corpus_generator import write
from reparto import kernels
from reparto.corpus.writing import read_groups
from reparto.kernels import COLLAPSE


def run(*arguments: object, python: Path | str = sys.executable) -> dict[str, Any]:
    """The command in a child: its account, wall and processor seconds, largest resident memory in MB."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as noise:
        command = [str(python), *map(str, arguments)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=noise, text=True, env=environment())
        return finished(child, command, start)


def environment() -> dict[str, str]:
    """Compiled modules are kept, as those of an installed package are."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "bench-pycache"), "HF_HUB_OFFLINE": "1", **known}


def finished(child: subprocess.Popen[str], command: list[str], start: float) -> dict[str, Any]:
    out = child.stdout.read() if child.stdout else ""
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command} ended with {status}")
    last = out.splitlines()[-1] if out.strip() else ""
    return {
        "seconds": round(time.perf_counter() - start, 2), "processor": round(usage.ru_utime + usage.ru_stime, 2),
        "MB": usage.ru_maxrss // 1024, "account": json.loads(last) if last.startswith("{") else {},
    }  # fmt: skip


def dedupe(*arguments: object) -> dict[str, Any]:
    return run("-c", "from reparto.cli import main; main()", "dedupe", *arguments)


def quality(texts: Path, groups: Path) -> dict[str, Any]:
    """Recall of planted copies and precision of everything that was merged."""
    text = {one["id"]: one["text"] for one in map(json.loads, texts.open(encoding="utf-8"))}
    truth = {one["id"]: one for one in map(json.loads, texts.with_suffix(".truth.jsonl").open(encoding="utf-8"))}
    rows = read_groups(groups)
    leader = dict(zip(rows.columns["doc_id"], rows.columns["leader_id"], strict=True))

    def family(id: str) -> str:
        while id in truth:
            id = truth[id]["of"]
        return id

    merged = [(id, head) for id, head in leader.items() if id != head]
    wrong = sum(family(id) != family(head) for id, head in merged)
    found: dict[str, list[int]] = {}
    for fact in truth.values():
        id, origin = fact["id"], fact["of"]
        if leader[origin] != origin and leader[id] != id:
            continue  # neither leads: both were held against a third
        kind = fact["kind"]
        if kind == "near" and kernels.resemblance(text[id], text[origin], COLLAPSE) < 0.6:
            kind = "near below .6"
        found.setdefault(kind, []).append(leader[id] == leader[origin])
    return {
        "merged": len(merged), "wrong": wrong, "precision": 1 - wrong / max(1, len(merged)),
        **{f"joined {kind}": sum(some) / len(some) for kind, some in sorted(found.items())},
    }  # fmt: skip


def increments(texts: Path, full: Path, folder: Path) -> dict[str, Any]:
    """The last, and some spread, 10,000 documents into the others; equality with the full run that wrote `full`."""
    lines = texts.read_text("utf-8").splitlines(keepends=True)
    found: dict[str, Any] = {}
    step = len(lines) // 10_000
    for name, new in (
        ("later", set(range(len(lines) - 10_000, len(lines)))),
        ("back-dated", set(range(0, len(lines), step)[:10_000])),
    ):
        old_file, new_file, state = folder / f"{name}.old.jsonl", folder / f"{name}.new.jsonl", folder / f"{name}.state"
        old_file.write_text("".join(line for i, line in enumerate(lines) if i not in new), "utf-8")
        new_file.write_text("".join(line for i, line in enumerate(lines) if i in new), "utf-8")
        dedupe(old_file, "--out", folder / "old.parquet", "--state", state)
        rows = []
        for _ in range(3):  # each time into the same state: files are replaced, never changed
            again = folder / "again.state"
            shutil.rmtree(again, ignore_errors=True)
            shutil.copytree(state, again, copy_function=os.link)
            rows.append(dedupe(new_file, "--out", folder / "added.parquet", "--state", again))
            same = filecmp.cmp(folder / "added.parquet", full, shallow=False)
            print(name, rows[-1]["seconds"], "s,", rows[-1]["processor"], "processor s, equal:", same, flush=True)
            rows[-1]["equal"] = same
        found[name] = {**middle(rows), "equal": all(row["equal"] for row in rows)}
        shutil.rmtree(state)
        old_file.unlink()
    return found


_READ = """
import json, sys
texts, out = sys.argv[1:]
def documents():
    for line in open(texts, encoding="utf-8"):
        one = json.loads(line)
        words = one["text"].lower().split()
        yield one["id"], [" ".join(words[k:k + 3]) for k in range(max(1, len(words) - 2))]
"""
_WRITE = """
with open(out, "w", encoding="utf-8") as stream:
    for name, leader in zip(names, leaders):
        stream.write(json.dumps({"doc_id": name, "leader_id": names[leader]}) + "\\n")
print(json.dumps({"copies": sum(leader != at for at, leader in enumerate(leaders))}))
"""
_GROUPS = """
names, sketches, leaders = [], [], []
for number, (name, shingles) in enumerate(documents()):
    sketch = sketched(shingles)
    found = [one for one in index.query(sketch) if sketches[one].jaccard(sketch) >= .6]
    leaders.append(leaders[min(found)] if found else number)
    insert(number, sketch)
    names.append(name)
    sketches.append(sketch)
"""
_DATASKETCH = """
from datasketch import MinHash, MinHashLSH
index = MinHashLSH(threshold=.6, num_perm=128)
def sketched(shingles):
    sketch = MinHash(num_perm=128)
    sketch.update_batch([one.encode() for one in shingles])
    return sketch
def insert(number, sketch):
    index.insert(number, sketch, check_duplication=False)
"""
_RENSA = """
from rensa import RMinHash, RMinHashLSH
index = RMinHashLSH(threshold=.6, num_perm=128, num_bands=32)
def sketched(shingles):
    sketch = RMinHash(num_perm=128, seed=1)
    sketch.update(shingles)
    return sketch
insert = index.insert
"""
_CANDIDATES = """
copies = 0
for number, (name, shingles) in enumerate(documents()):
    sketch = sketched(shingles)
    copies += bool(index.query(sketch))
    insert(number, sketch)
print(json.dumps({"copies": copies}))
"""
# What each library's own guide does: words in threes, sketches, an index, and of what it proposes those whose sketches
# agree. Neither uses a second core.
PEERS = {
    "datasketch": _READ + _DATASKETCH + _GROUPS + _WRITE,
    "rensa": _READ + _RENSA + _GROUPS + _WRITE,
    "rensa, candidates only": _READ + _RENSA + _CANDIDATES,
}
SLOW = ("datasketch", "text-dedup")  # in a third of the rounds


def scripted(script: str, folder: Path, texts: Path) -> dict[str, Any]:
    """A peer's script in a child, as any tool would be run: texts in, a file of groups out."""
    return run("-c", script, texts, folder / "peer.jsonl")


def text_dedup(python: Path, texts: Path, folder: Path) -> dict[str, Any]:
    """text-dedup's own command, with the same shingles and permutations, on both processors."""
    shutil.rmtree(folder, ignore_errors=True)
    return run(
        "-m", "text_dedup.minhash", "--path", "json", "--data_files", texts, "--split", "train", "--column", "text",
        "--ngram", 3, "--num_perm", 128, "--threshold", 0.6, "--hash_func", "xxh3", "--hash_bits", 32,
        "--min_length", 1, "--num_proc", os.cpu_count(), "--cache_dir", folder / "cache", "--output", folder / "out",
        python=python,
    )  # fmt: skip


def peers(asked: argparse.Namespace, texts: Path) -> dict[str, Any]:
    """Everybody on the same texts, in turn; the run of median wall time counts, the least is told beside it."""
    few = asked.folder / "few.jsonl"
    with texts.open(encoding="utf-8") as stream:
        few.write_text("".join(islice(stream, asked.peers // 10)), "utf-8")
    runs: dict[str, Callable[[Path], dict[str, Any]]] = {
        "reparto": lambda of: dedupe(of, "--out", asked.folder / "peers.jsonl"),
        **{name: partial(scripted, script, asked.folder) for name, script in PEERS.items()},
    }
    if asked.text_dedup:
        runs["text-dedup"] = lambda of: text_dedup(asked.text_dedup, of, asked.folder / "text-dedup")
    for one in runs.values():
        one(few)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in runs}
    for number in range(asked.rounds):
        for name, one in runs.items():
            if name in SLOW and number % 3:
                continue
            found[name].append(one(texts))
            print(name, found[name][-1]["seconds"], "s,", found[name][-1]["processor"], "processor s", flush=True)
    return {name: middle(rows) for name, rows in found.items()}


def middle(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The run of median wall time, with the least wall and processor seconds of all."""
    least = {f"least {name}": min(row[name] for row in rows) for name in ("seconds", "processor")}
    return {**sorted(rows, key=lambda row: row["seconds"])[len(rows) // 2], **least, "runs": len(rows)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--peers", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--text-dedup", type=Path, metavar="PYTHON")
    parser.add_argument("--increment", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path("bench-dedupe"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = {"kernels": kernels.active().name, "cores": os.cpu_count(), "sizes": {}, "peers": {}}
    for n in asked.sizes:
        texts, out = asked.folder / f"{n}.jsonl", asked.folder / f"{n}.groups.parquet"
        if not texts.exists():
            write(n, texts)
        report["sizes"][n] = {**dedupe(texts, "--out", out), **quality(texts, out)}
        print(n, json.dumps(report["sizes"][n]), flush=True)
    sizes = sorted(report["sizes"])
    if len(sizes) > 1:
        low, high = (report["sizes"][n]["processor"] for n in sizes[-2:])
        report["exponent"] = round(math.log(high / low) / math.log(sizes[-1] / sizes[-2]), 3)
        print("growth of processor time: n ^", report["exponent"])
    if asked.increment:
        n = max(sizes, default=1_000_000)
        report["increments"] = increments(
            asked.folder / f"{n}.jsonl", asked.folder / f"{n}.groups.parquet", asked.folder
        )
        print(json.dumps(report["increments"]), flush=True)
    texts = asked.folder / f"{asked.peers}.jsonl"
    if asked.peers:
        if not texts.exists():
            write(asked.peers, texts)
        report["peers"] = peers(asked, texts)
    out = Path(__file__).parent / "results" / "dedupe_scale.json"
    out.parent.mkdir(exist_ok=True)
    known = json.loads(out.read_text("utf-8")) if out.exists() else {}
    report["sizes"] = {**known.get("sizes", {}), **{str(n): row for n, row in report["sizes"].items()}}
    kept = {name: value for name, value in report.items() if value}
    out.write_text(json.dumps({**known, **kept}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
