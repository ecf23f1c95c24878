"""Beside the engines' own MinHash: `python -m bench engines_peers [--documents N] [--spark N] [--timeout SECONDS]`.

The same planted texts through reparto on Daft, the way of Daft's guide to MinHash (64 hashes of 5 words, 8 bands of 8,
connected components by large and small stars), reparto on Spark, and pyspark's `MinHashLSH` (words, 3-grams, sets,
self-join at distance .4, components by the driver). Of each: processor and wall seconds, memory of its largest process,
recall of the planted copies by kind, precision of what was merged, and how many revisions (one figure differs) it took
for copies. Results go to `bench/results/engines_peers.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bench.corpus_generator import write
from bench.trees import dedupe, run
from reparto import kernels
from reparto.kernels import COLLAPSE

OUT = Path(__file__).parent / "results" / "engines_peers.json"
COMPONENTS = """
def components(pairs):
    parent = {}
    def root(one):
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one
    for a, b in pairs:
        a, b = root(a), root(b)
        parent[max(a, b)] = min(a, b)
    return {one: root(one) for one in parent}
"""
DAFT = """
import json, os, sys
os.environ["DAFT_PROGRESS_BAR"] = "0"
import daft
from daft import col

texts = daft.read_json(sys.argv[1]).select("id", "text")
clean = col("text").normalize(remove_punct=True, lowercase=True, nfd_unicode=True, white_space=True)
hashed = texts.select("id", clean.minhash(num_hashes=64, ngram_size=5, seed=42, hash_function="xxhash").alias("hashes"))
numbered = hashed._add_monotonically_increasing_id("node").collect()
bands = numbered.select("node", col("hashes").chunk(8).alias("band"))

@daft.func(return_dtype=daft.DataType.list(daft.DataType.int64()))
def places(band: list) -> list:
    return list(range(len(band)))

rows = bands.with_column("place", places(col("band"))).explode("band", "place")
buckets = rows.groupby("place", "band").agg(col("node").list_agg().alias("nodes"))
edges = (
    buckets.with_column("u", col("nodes").list_min()).explode("nodes")
    .select(col("u"), col("nodes").alias("v")).where(col("u") != col("v")).distinct().collect()
)

def large(edges):
    both = edges.union_all(edges.select(col("v").alias("u"), col("u").alias("v")))
    near = both.groupby("u").agg(col("v").min().alias("least"), col("v").list_agg().alias("vs"))
    m = daft.functions.when(col("least") < col("u"), col("least")).otherwise(col("u"))
    return near.with_column("m", m).explode("vs").where(col("vs") > col("u")).select(
        col("m").alias("u"), col("vs").alias("v")).where(col("u") != col("v")).distinct().collect()

def small(edges):
    near = edges.groupby("v").agg(col("u").min().alias("m"), col("u").list_agg().alias("us"))
    others = near.explode("us").select(col("m").alias("u"), col("us").alias("v"))
    own = near.select(col("m").alias("u"), "v")
    return others.union_all(own).where(col("u") != col("v")).distinct().collect()

def same(a, b):
    return a.count_rows() == b.count_rows() == a.join(b, on=["u", "v"]).count_rows()

while True:
    after = small(large(edges))
    if same(after, edges):
        break
    edges = after
heads = edges.select(col("v").alias("node"), col("u").alias("head"))
names = numbered.select("node", "id")
found = heads.join(names, on="node").join(names.select(col("node").alias("head"), col("id").alias("of")), on="head")
with open(sys.argv[2], "w") as out:
    for one in found.select("id", "of").to_pylist():
        out.write(json.dumps([one["id"], one["of"]]) + "\\n")
"""
SPARK = (
    COMPONENTS
    + """
import json, os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
from pyspark.sql import SparkSession
from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
    "spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", "16").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
texts = spark.read.json(sys.argv[1]).select("id", "text")
words = RegexTokenizer(inputCol="text", outputCol="words", pattern="\\\\W+").transform(texts)
grams = NGram(n=3, inputCol="words", outputCol="grams").transform(words)
sets = HashingTF(inputCol="grams", outputCol="set", numFeatures=1 << 20, binary=True).transform(grams)
sets = sets.where("size(grams) > 0").select("id", "set").cache()
model = MinHashLSH(inputCol="set", outputCol="hashes", numHashTables=8, seed=1).fit(sets)
joined = model.approxSimilarityJoin(sets, sets, 0.4, "distance")
pairs = joined.where("datasetA.id < datasetB.id").selectExpr("datasetA.id as a", "datasetB.id as b").collect()
with open(sys.argv[2], "w") as out:
    for one, head in components((p["a"], p["b"]) for p in pairs).items():
        out.write(json.dumps([one, head]) + "\\n")
"""
)


def leaders_of(path: Path) -> dict[str, str]:
    """Who stands for whom: of a result of reparto, or of pairs a line."""
    found = {}
    for one in map(json.loads, path.open(encoding="utf-8")):
        id, head = (one["doc_id"], one["leader_id"]) if isinstance(one, dict) else one
        if id != head:
            found[id] = head
    return found


def quality(texts: Path, groups: Path) -> dict[str, Any]:
    """Recall by kind of copy, precision, and the share of revisions taken for copies."""
    text = {one["id"]: one["text"] for one in map(json.loads, texts.open(encoding="utf-8"))}
    truth = {one["id"]: one for one in map(json.loads, texts.with_suffix(".truth.jsonl").open(encoding="utf-8"))}
    leader = leaders_of(groups)

    def family(id: str) -> str:
        while id in truth:
            id = truth[id]["of"]
        return id

    wrong = sum(family(id) != family(head) for id, head in leader.items())
    found: dict[str, list[bool]] = {}
    for id, fact in truth.items():
        kind = fact["kind"]
        if kind == "near" and kernels.resemblance(text[id], text[fact["of"]], COLLAPSE) < 0.6:
            continue
        found.setdefault(kind, []).append(leader.get(id, id) == leader.get(fact["of"], fact["of"]))
    return {
        "merged": len(leader), "wrong": wrong, "precision": round(1 - wrong / max(1, len(leader)), 4),
        **{kind: round(sum(some) / len(some), 4) for kind, some in sorted(found.items())},
    }  # fmt: skip


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument(
        "--spark", type=int, default=100_000, help="Documents for the rows on Spark; 0 leaves them out."
    )
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--only", nargs="*", help="Rows to run again.")
    parser.add_argument("--folder", type=Path, default=Path("bench-engines"))
    asked = parser.parse_args(argv)
    asked.folder.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = json.loads(OUT.read_text("utf-8")) if OUT.exists() else {}
    sides = {
        "reparto on Daft": (asked.documents, ("--engine", "daft")),
        "Daft's MinHash": (asked.documents, DAFT),
        "reparto on Spark": (asked.spark, ("--engine", "spark")),
        "pyspark's MinHashLSH": (asked.spark, SPARK),
    }
    for name, (n, how) in sides.items():
        if not n or (asked.only and name not in asked.only):
            continue
        texts, out = asked.folder / f"{n}.jsonl", asked.folder / "peer.jsonl"
        if not texts.exists():
            write(n, texts)
        out.unlink(missing_ok=True)
        if isinstance(how, str):
            row = run("-c", how, texts, out, timeout=asked.timeout)
        else:
            row = dedupe(texts, "--out", out, *how, timeout=asked.timeout)
        row = {"documents": n, **{key: value for key, value in row.items() if key != "account"}}
        report[name] = row if "timeout" in row else {**row, **quality(texts, out)}
        OUT.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
        print(name, json.dumps(report[name]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
