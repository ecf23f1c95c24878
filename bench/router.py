"""How well queries are routed: `python bench/router.py`.

Labelled English questions (nf_cats, when present beside the project: the half of the ids that the table was
not tuned on), and the held-out half of the project's own queries in Spanish and English. Beside the table of
rules, in the same run: always the contract's default, and (where scikit-learn is installed) a trained
classifier, words 1-3 and characters 2-5 under TF-IDF with logistic regression, fitted on the other half.

Writes bench/results/router.json.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from reparto.routing import route

ROOT = Path(__file__).resolve().parents[1]
NF_CATS = ROOT.parent / "shared" / "data" / "nf_cats" / "questions.jsonl"
OWN = ("es", "en")
DEFAULT = "survey"
RULES = "rules"
OURS = ("factual", "navigational", "survey")

Row = tuple[str, str | None]
Router = Callable[[str], str | None]


def held_out(id: str) -> bool:
    """The half that no rule was tuned on."""
    return int(hashlib.sha256(id.encode()).hexdigest(), 16) % 2 == 1


def read(path: Path, text: str, held: bool) -> list[Row]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [(row[text], row["class"]) for row in rows if held_out(row["id"]) == held]


def confusion(router: Router, rows: Iterable[Row]) -> Counter[Row]:
    return Counter((label, router(query)) for query, label in rows)


def figures(counts: Counter[Row]) -> dict[str, Any]:
    """Precision and recall per class of ours over the queries that have one; accuracy with the default."""
    ours = {pair: n for pair, n in counts.items() if pair[0] in OURS}
    total = sum(ours.values())
    with_default = sum(n for (label, got), n in ours.items() if (got or DEFAULT) == label)
    told = sum(n for (_, got), n in ours.items() if got)
    right = sum(n for (label, got), n in ours.items() if got == label)
    per_class = {}
    for name in OURS:
        labelled = sum(n for (label, _), n in ours.items() if label == name)
        routed = sum(n for (_, got), n in ours.items() if got == name)
        hit = ours.get((name, name), 0)
        if labelled:
            per_class[name] = {
                "queries": labelled,
                "precision": round(hit / routed, 3) if routed else None,
                "recall": round(hit / labelled, 3),
            }
    return {
        "queries": total,
        "told": round(told / total, 3),
        "accuracy_when_told": round(right / told, 3) if told else None,
        "accuracy_with_default": round(with_default / total, 3),
        "classes": per_class,
        "confusion": {f"{label}->{got}": n for (label, got), n in sorted(counts.items(), key=str)},
    }


def trained(rows: Sequence[Row]) -> Router | None:
    """The peer: a linear classifier over all labels of the training half."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline, make_union
    except ImportError:
        return None
    features = make_union(
        TfidfVectorizer(ngram_range=(1, 3), sublinear_tf=True, token_pattern=r"\S+"),
        TfidfVectorizer(ngram_range=(2, 5), sublinear_tf=True, analyzer="char_wb"),
    )
    model = make_pipeline(features, LogisticRegression(C=10, max_iter=300))
    model.fit([query for query, _ in rows], [label or "unknown" for _, label in rows])

    def router(query: str) -> str | None:
        name = str(model.predict([query])[0])
        return name if name in OURS else None

    return router


def milliseconds(router: Router, queries: Sequence[str], runs: int = 5) -> dict[str, float]:
    """Median and 99th percentile of one query, over the minima of `runs` rounds."""
    router(queries[0])
    best = [float("inf")] * len(queries)
    for _ in range(runs):
        for number, query in enumerate(queries):
            start = time.perf_counter()
            router(query)
            best[number] = min(best[number], (time.perf_counter() - start) * 1e3)
    cuts = statistics.quantiles(best, n=100)
    return {"median_ms": round(statistics.median(best), 4), "p99_ms": round(cuts[98], 4)}


def show(console: Console, name: str, set_name: str, counts: Counter[Row]) -> None:
    table = Table(title=f"{set_name}: {name}", title_justify="left")
    answers = [*OURS, None]
    table.add_column("label")
    for got in answers:
        table.add_column(got or "cannot tell", justify="right")
    for label in sorted({label for label, _ in counts}, key=str):
        table.add_row(str(label or "none"), *(str(counts[label, got]) for got in answers))
    console.print(table)


def summary(found: dict[str, Any]) -> str:
    classes = ", ".join(
        f"{name} precision {one['precision']} recall {one['recall']}" for name, one in found["classes"].items()
    )
    return (
        f"told {found['told']}, right when told {found['accuracy_when_told']}, "
        f"right with the default ({DEFAULT}) {found['accuracy_with_default']}; {classes}"
    )


def main() -> None:
    console = Console(highlight=False, soft_wrap=True)
    sets: dict[str, list[Row]] = {}
    routers: dict[str, Router] = {RULES: route, "always the default": lambda query: DEFAULT}
    if NF_CATS.is_file():
        sets["nf_cats, held-out half"] = read(NF_CATS, "question", held=True)
        peer = trained(read(NF_CATS, "question", held=False))
        if peer:
            routers["TF-IDF and logistic regression, trained on the other half"] = peer
        else:
            console.print("scikit-learn is not installed: no trained peer in this run")
    else:
        console.print("nf_cats is not beside the project: only the project's own queries")
    for language in OWN:
        path = ROOT / "tests" / "golden" / f"router_queries_{language}.jsonl"
        sets[f"own queries ({language}), held-out half"] = read(path, "query", held=True)
    result: dict[str, object] = {}
    for set_name, rows in sets.items():
        for name, router in routers.items():
            counts = confusion(router, rows)
            found = figures(counts)
            if name == RULES:
                console.print()
                show(console, name, set_name, counts)
            console.print(f"  {name}: {summary(found)}", style="bold" if name == RULES else "")
            result[f"{set_name}: {name}"] = found
    timed = [query for query, _ in next(iter(sets.values()))][:500]
    console.print()
    for name, router in routers.items():
        found = milliseconds(router, timed)
        console.print(f"{name}: median {found['median_ms']} ms, p99 {found['p99_ms']} ms a query")
        result[f"time: {name}"] = found
    out = ROOT / "bench" / "results" / "router.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
