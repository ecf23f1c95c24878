"""Groups against labels: `python -m bench.dedupe_labelled [--data ../shared/data] [--lost]`, one table, one JSON.

Every method gets its best threshold on one half of each set, split by a hash of the ids, and is measured on the
other half; then the halves change places, and the two figures are averaged. Of thresholds that do equally well the
highest is taken. Labels: webis_ndd (grade 3 against 0), clough_reuse (an answer that reuses its source against one
that does not), scoop_feed (items of one story), og2021_headlines (a title word for word again, whatever its capitals
and punctuation, against titles of other events). `F1_same_figures` leaves aside the pairs whose texts each state a
figure that the other lacks: people label them near-duplicates or not, and here they must not be one (the rule is
that of the versions below, and asks no guard). What must not merge is counted apart, with each method's defaults:
similar laws, versions of a page each of which states figures that the other lacks, different messages of a thread.
`--lost` prints the labelled copies that are kept apart at the defaults, and why.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from reparto.corpus.groups import group_documents
from reparto.corpus.settings import Settings
from reparto.documents import Document
from reparto.kernels import COLLAPSE, Spec, compare_form, facts, fingerprint, overlaps

GRID = [round(0.05 + 0.05 * step, 2) for step in range(19)]
COSINES = [round(0.4 + 0.05 * step, 2) for step in range(12)] + [0.96, 0.97, 0.98, 0.985, 0.99, 0.995]
CONTAINMENT = (0.05, 0.2, 0.5, 0.8, None)
Setting = tuple[Any, ...]
Leaders = list[int]
Labels = dict[tuple[int, int], bool]


@dataclass
class Labelled:
    """Documents, labelled pairs of them, and true clusters where there are some."""

    name: str
    documents: list[Document]
    labels: Labels = field(default_factory=dict)
    clusters: list[Any] | None = None

    def same_figures(self) -> Labels:
        """The pairs of which not both texts state a figure that the other lacks."""
        of = [Counter(re.findall(r"[0-9]+", one.text)) for one in self.documents]
        return {(i, j): same for (i, j), same in self.labels.items() if not (of[i] - of[j] and of[j] - of[i])}

    def half(self, pair: tuple[int, int]) -> int:
        key = "\t".join(sorted(self.documents[i].id for i in pair))
        return xxhash.xxh3_64_intdigest(key.encode()) & 1


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    yield from (json.loads(line) for line in text.split("\n") if line)


def webis(data: Path) -> Labelled:
    documents = [Document(one["doc_id"], one["text"]) for one in _lines(data / "webis_ndd/docs.jsonl.gz")]
    at = {one.id: i for i, one in enumerate(documents)}
    found = Labelled("webis_ndd", documents)
    for pair in _lines(data / "webis_ndd/pairs.jsonl"):
        if pair["grade"] in (0, 3):
            found.labels[at[pair["a"]], at[pair["b"]]] = pair["grade"] == 3
    return found


def clough(data: Path) -> Labelled:
    rows = list(_lines(data / "clough_reuse/answers.jsonl"))
    documents = [
        Document(one["id"], one["text"], published="2000" if one["category"] == "orig" else "2001") for one in rows
    ]
    found = Labelled("clough_reuse", documents)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            if one["category"] == "orig" and other["category"] != "orig" and one["task"] == other["task"]:
                found.labels[i, j] = other["category"] != "non"
    return found


def scoop(data: Path) -> Labelled:
    rows = list(_lines(data / "scoop_feed/items.jsonl"))
    documents = [Document(one["id"], f"{one['title']}\n{one['text']}", published=one["published_at"]) for one in rows]
    stories = [one["story"] for one in rows]
    pairs = {(i, j): stories[i] == stories[j] for i, j in combinations(range(len(rows)), 2)}
    return Labelled("scoop_feed", documents, pairs, stories)


def headlines(data: Path) -> Labelled:
    rows = list(_lines(data / "og2021_headlines/headlines.jsonl.gz"))
    documents = [Document(one["id"], one["title"], published=one["published_at"]) for one in rows]
    titles = [(one["cluster"], *re.findall(r"\w+", one["title"].casefold())) for one in rows]
    labels: Labels = {}
    by_title = defaultdict(list)
    for i, title in enumerate(titles):
        by_title[title].append(i)
    for members in by_title.values():
        labels.update(dict.fromkeys(combinations(members, 2), True))
    forms = fingerprint([one.text for one in documents], Spec(COLLAPSE, scale=1))
    near = overlaps(forms, 0.2, None)  # of pairs from different events those that any method could confuse
    for i, j in zip(near.i.tolist(), near.j.tolist(), strict=True):
        if rows[i]["cluster"] != rows[j]["cluster"]:
            labels[i, j] = False
    return Labelled("og2021_headlines", documents, labels, titles)


def must_not(data: Path) -> list[Labelled]:
    laws = [
        Document(str(one["id"]), one["text"], published=one["date"])
        for one in _lines(data / "legal_uy_es/docs.jsonl.gz")
    ]
    at = {one.id: i for i, one in enumerate(laws)}
    distinct = Labelled("legal_uy_es", laws)
    for pair in _lines(data / "legal_uy_es/similar_but_distinct.jsonl"):
        distinct.labels[at[pair["a"]], at[pair["b"]]] = False
    found = [distinct]
    for name, date in (("etcd_docs_versions", "version"), ("policy_versions", "date")):
        rows = list(_lines(data / f"{name}/docs.jsonl.gz"))
        versions = Labelled(name, [Document(str(one["id"]), one["text"], published=str(one[date])) for one in rows])
        pairs = combinations(range(len(rows)), 2)
        versions.labels = {(i, j): False for i, j in pairs if rows[i]["doc_key"] == rows[j]["doc_key"]}
        same = versions.same_figures()
        versions.labels = {pair: False for pair in versions.labels if pair not in same}
        found.append(versions)
    rows = list(_lines(data / "email_threads/messages.jsonl.gz"))
    mail = Labelled(
        "email_threads", [Document(one["id"], one["text"], published=one["date"], markup="mail") for one in rows]
    )
    forms = [compare_form(one["text"]) for one in rows]
    for i, j in combinations(range(len(rows)), 2):
        if rows[i]["thread_id"] == rows[j]["thread_id"] and forms[i] != forms[j]:
            mail.labels[i, j] = False
    return [*found, mail]


def reparto(
    documents: Sequence[Document], threshold: float, containment: float | None = 0.8, revisions: str = "keep"
) -> Leaders:
    """As shipped, but for the settings: resemblance, containment (or off), revisions kept apart or not."""
    rows = group_documents(documents, Settings.at(threshold, containment=containment, revisions=revisions))
    at = {one.id: i for i, one in enumerate(documents)}
    leader = dict(zip(rows.columns["doc_id"], rows.columns["leader_id"], strict=True))
    return [at[leader[one.id]] for one in documents]


def datasketch_lsh(documents: Sequence[Document], threshold: float) -> Leaders:
    """MinHashLSH of 128 permutations over 3-word shingles; each text joins the first that the index returns for it."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=threshold, num_perm=128)
    leaders: Leaders = []
    for i, one in enumerate(documents):
        sketch = MinHash(num_perm=128)
        words = one.text.lower().split()
        sketch.update_batch([" ".join(words[k : k + 3]).encode() for k in range(max(1, len(words) - 2))])
        found = index.query(sketch)
        leaders.append(leaders[min(found)] if found else i)
        index.insert(i, sketch)
    return leaders


def components(documents: Sequence[Document], threshold: float) -> Leaders:
    """Connected components over exact resemblance (3-word shingles of the comparison form)."""
    sketches = fingerprint([one.text for one in documents], Spec(COLLAPSE, scale=1))
    parent = sketches.leaders().tolist()

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    pairs = overlaps(sketches, threshold, None)
    for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True):
        parent[root(j)] = root(i)
    return [root(i) for i in range(len(documents))]


class TimeUpError(Exception):
    """A set took a method longer than it may."""


class SemHashed:
    """SemHash with vectors computed once a text, for at most `seconds` of processor time a set.

    Its own embedder is to be downloaded. In its place: a static one of the same kind that a package carries
    (`wordllama`, whole texts), or the multilingual Universal Sentence Encoder over the first `HEAD` characters
    (a second for 2,500 of them on one core, whence the bound).
    """

    HEAD = 600

    def __init__(self, static: bool, seconds: float) -> None:
        self.static, self.seconds, self.until = static, seconds, 0.0
        self.known: dict[str, np.ndarray] = {}

    def begin(self) -> None:
        """Start the clock of a set."""
        self.until = time.process_time() + self.seconds

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if self.static:
            import wordllama

            folder = Path(wordllama.__file__).parent
            model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
            return np.asarray(model.embed(list(texts), norm=True))
        from reparto.embedders.use import UniversalSentenceEncoder

        return UniversalSentenceEncoder().passages([text[: self.HEAD] for text in texts])

    def encode(self, inputs: Sequence[str], **_: Any) -> np.ndarray:
        missing = sorted({text for text in inputs if text not in self.known}, key=len)
        for low in range(0, len(missing), 64):
            if time.process_time() > self.until:
                raise TimeUpError
            some = missing[low : low + 64]
            self.known.update(zip(some, self.embed(some), strict=True))
        return np.array([self.known[text] for text in inputs])

    def __call__(self, documents: Sequence[Document], threshold: float) -> Leaders:
        from semhash import SemHash

        texts = [one.text or " " for one in documents]
        index = SemHash.from_records(
            [{"text": text, "id": str(i)} for i, text in enumerate(texts)], columns=["text"], model=self
        )
        result = index.self_deduplicate(threshold=threshold)
        leaders = list(range(len(documents)))
        first: dict[str, int] = {}
        for i, text in enumerate(texts):
            leaders[i] = first.setdefault(text, i)
        for kept in result.selected_with_duplicates:
            head = int(kept.record["id"])
            for copy, _ in kept.duplicates:
                leaders[int(copy["id"])] = leaders[head]
        return [leaders[i] if leaders[leaders[i]] == leaders[i] else leaders[leaders[i]] for i in range(len(leaders))]


def f1(leaders: Leaders, labels: Labels, pairs: Sequence[tuple[int, int]]) -> tuple[float, float, float]:
    told = [(leaders[i] == leaders[j], labels[i, j]) for i, j in pairs]
    both = sum(a and b for a, b in told)
    precision = both / max(1, sum(a for a, _ in told)) if any(a for a, _ in told) else 1.0
    recall = both / max(1, sum(b for _, b in told))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def b_cubed(leaders: Leaders, clusters: Sequence[Any], members: Sequence[int]) -> tuple[float, float]:
    """B-cubed F (Bagga and Baldwin 1998) and adjusted Rand index over some documents."""
    told, true = defaultdict(set), defaultdict(set)
    for i in members:
        told[leaders[i]].add(i)
        true[clusters[i]].add(i)
    precision = np.mean([len(told[leaders[i]] & true[clusters[i]]) / len(told[leaders[i]]) for i in members])
    recall = np.mean([len(told[leaders[i]] & true[clusters[i]]) / len(true[clusters[i]]) for i in members])
    choose = lambda some: sum(len(one) * (len(one) - 1) / 2 for one in some)  # noqa: E731
    crossed = defaultdict(set)
    for i in members:
        crossed[leaders[i], clusters[i]].add(i)
    both, a, b = choose(crossed.values()), choose(told.values()), choose(true.values())
    expected = a * b / max(1, len(members) * (len(members) - 1) / 2)
    rand = (both - expected) / max(1e-9, (a + b) / 2 - expected)
    return float(2 * precision * recall / (precision + recall)), float(rand)


def measured(found: Labelled, runs: dict[Setting, Leaders]) -> dict[str, float]:
    """Best threshold on one half, figures on the other, both ways."""
    halves = [[pair for pair in found.labels if found.half(pair) == side] for side in (0, 1)]
    alike = found.same_figures()
    sides_alike = [[pair for pair in half if pair in alike] for half in halves]

    def top_of(fit: int) -> Setting:
        return max(runs, key=lambda t: (round(f1(runs[t], alike, sides_alike[fit])[2], 6), t[0]))

    scores = []
    for fit, held in ((0, 1), (1, 0)):
        best = max(runs, key=lambda t: (round(f1(runs[t], found.labels, halves[fit])[2], 6), t[0]))
        precision, recall, score = f1(runs[best], found.labels, halves[held])
        row = {"threshold": best[0], "precision": precision, "recall": recall, "F1": score}
        row["F1_same_figures"] = f1(runs[top_of(fit)], alike, sides_alike[held])[2]
        if found.clusters is not None:
            sides = [
                [i for i, one in enumerate(found.documents) if xxhash.xxh3_64_intdigest(one.id.encode()) & 1 == s]
                for s in (0, 1)
            ]
            top = max(runs, key=lambda t: (round(b_cubed(runs[t], found.clusters, sides[fit])[0], 6), t[0]))
            row["B3"], row["ARI"] = b_cubed(runs[top], found.clusters, sides[held])
        scores.append(row)
    return {name: round(float(np.mean([row[name] for row in scores])), 4) for name in scores[0]}


def lost(found: Labelled) -> None:
    """Print the labelled copies that the defaults keep apart, and what the guard or the thresholds say of each."""
    rows = group_documents(found.documents, Settings())
    columns = {name: dict(zip(rows.columns["doc_id"], rows.columns[name], strict=True)) for name in rows.columns}
    leader, revises = columns["leader_id"], columns["revision_of"]
    alike = found.same_figures()
    for (i, j), same in found.labels.items():
        one, other = found.documents[i], found.documents[j]
        heads = leader[one.id], leader[other.id]
        if not same or heads[0] == heads[1]:
            continue
        linked = revises[heads[0]] == heads[1] or revises[heads[1]] == heads[0]
        why = [f"{told.why}: {told.a[:40]!r} / {told.b[:40]!r}" for told in facts(one.text, other.text).disagreements]
        each = "each states a figure the other lacks" if (i, j) not in alike else "figures of one are the other's"
        print(
            f"{found.name} {one.id} {other.id}: {each}; {'linked as revision' if linked else 'not linked'}; {why[:2]}"
        )


def keep(method: str, name: str, row: dict[str, Any]) -> None:
    """Write one figure beside those that are known: a long run that is stopped loses but the set it was at."""
    out = Path(__file__).parent / "results" / "dedupe_labelled.json"
    known = json.loads(out.read_text("utf-8")) if out.exists() else {}
    known.setdefault(method, {})[name] = row
    out.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def measure(name: str, method: Method, sets: Sequence[Labelled], apart: Sequence[Labelled]) -> None:
    """One method on every set; a set that it did not finish in its time says so."""
    run, settings, default = method
    report: dict[str, Any] = {}
    for one in [*sets, *apart]:
        began = time.process_time()
        if isinstance(run, SemHashed):
            run.begin()
        try:
            standard = run(one.documents, *default)
            if one in apart:
                merged = sum(standard[i] == standard[j] for i, j in one.labels)
                report[one.name] = {"merged": merged, "pairs": len(one.labels)}
            else:
                report[one.name] = measured(one, {setting: run(one.documents, *setting) for setting in settings})
                report[one.name]["F1_default"] = round(f1(standard, one.labels, list(one.labels))[2], 4)
        except TimeUpError:
            report[one.name] = {"stopped": True}
        report[one.name]["seconds"] = round(time.process_time() - began, 1)
        keep(name, one.name, report[one.name])
        print(name, one.name, json.dumps(report[one.name]), flush=True)


Method = tuple[Callable[..., Leaders], list[Setting], Setting]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--sets", nargs="*", default=None)
    parser.add_argument("--seconds", type=float, default=600, help="processor time for the vectors of a set")
    parser.add_argument("--lost", action="store_true")
    asked = parser.parse_args()
    if not asked.data.is_dir():
        raise SystemExit(f"no labelled data at {asked.data}")
    plain: list[Setting] = [(t,) for t in GRID]
    cosines: list[Setting] = [(t,) for t in COSINES]
    kept: list[Setting] = [(t, c) for t in GRID for c in CONTAINMENT]
    methods: dict[str, Method] = {
        "reparto": (reparto, kept, (0.6,)),
        "reparto_collapse": (reparto, [(*one, "collapse") for one in kept], (0.6, 0.8, "collapse")),
        "components": (components, plain, (0.6,)),
        "datasketch": (datasketch_lsh, plain, (0.6,)),
        "semhash": (SemHashed(True, asked.seconds), cosines, (0.9,)),
        "semhash_use": (SemHashed(False, asked.seconds), cosines, (0.9,)),
    }
    if asked.only:
        methods = {name: methods[name] for name in asked.only}
    sets = [webis(asked.data), clough(asked.data), scoop(asked.data), headlines(asked.data)]
    if asked.lost:
        lost(sets[0])
        return
    apart = must_not(asked.data)
    if asked.sets:
        sets, apart = ([one for one in some if one.name in asked.sets] for some in (sets, apart))
    for name, method in methods.items():
        measure(name, method, sets, apart)


if __name__ == "__main__":
    main()
