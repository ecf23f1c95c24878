"""Quality of collapse on labelled near-duplicates: precision, recall and B-cubed by set and language.

    python -m bench collapse_quality            the shipped defaults on the held-out halves
    python -m bench collapse_quality --choose   thresholds and windows on the other halves, then the same table

Each set is split by a hash of its ids: thresholds are chosen on one half, and the table is of the other. Labels:
webis_ndd grade 3 against 0; legal_uy_es pairs are different laws, whatever they share; trec_ts passages that NIST
folded into one; scoop_feed stories; og2021 titles that are word for word the same must be found, and only titles of
one event may be taken together; clough_reuse cut-and-paste answers against answers without reuse, each beside its
source.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import xxhash

from bench.showing import DATA, keep, need, show
from reparto import kernels
from reparto.kernels import Spec, Window

WINDOWS = (Window(2, 4), Window(3, 6), Window(4, 7), Window(5, 9))
RESEMBLANCES = (0.5, 0.6, 0.7, 0.8, 0.9)
CONTAINMENTS = (0.7, 0.8, 0.9, 1.0)
SHIPPED = (kernels.COLLAPSE, 0.6, 0.8)
Setting = tuple[Window, float, float]


@dataclass
class Part:
    """One pool of texts. `same` names for each text what it must be taken together with, `may` what it may be."""

    texts: list[str]
    same: list[str]
    may: list[str]
    judged: set[tuple[int, int]] | None = None  # where only some pairs have a label
    _verdicts: dict[tuple[int, int], bool] = field(default_factory=dict)
    _pairs: dict[Window, Any] = field(default_factory=dict)

    @cached_property
    def leaders(self) -> list[int]:
        return kernels.fingerprint(self.texts, Spec(scale=1)).leaders().tolist()

    def agree(self, i: int, j: int) -> bool:
        if (i, j) not in self._verdicts:
            self._verdicts[i, j] = not kernels.facts(self.texts[i], self.texts[j]).revision
        return self._verdicts[i, j]

    def groups(self, setting: Setting) -> list[int]:
        window, resemblance, containment = setting
        if window not in self._pairs:
            sketches = kernels.fingerprint(self.texts, Spec(window, scale=1))
            self._pairs[window] = kernels.overlaps(sketches, min(RESEMBLANCES), min(CONTAINMENTS))
        found = self._pairs[window]
        near = (found.resemblance >= resemblance) | (found.containing >= containment)
        pairs = zip(found.i[near].tolist(), found.j[near].tolist(), strict=True)
        centres = kernels.star(len(self.texts), pairs, self.agree).tolist()
        return [centres[leader] for leader in self.leaders]


@dataclass
class Labelled:
    """A set in one language, in two halves."""

    name: str
    language: str
    halves: tuple[list[Part], list[Part]]


def load(path: str) -> list[dict[str, Any]]:
    full = need(DATA / path)
    opener = gzip.open if full.suffix == ".gz" else open
    with opener(full, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def half(key: str) -> int:
    return xxhash.xxh64_intdigest(key.encode()) & 1


def pair_part(a: str, b: str, same: bool) -> Part:
    # The longer one ranks first, so that containment can be seen in its own direction.
    return Part(
        sorted((a, b), key=len, reverse=True), ["x", "x" if same else "y"], ["x", "x" if same else "y"], {(0, 1)}
    )


def pairs_set(name: str, language: str, rows: Iterator[tuple[str, str, str, bool]]) -> Labelled:
    halves: tuple[list[Part], list[Part]] = ([], [])
    for key, a, b, same in rows:
        halves[half(key)].append(pair_part(a, b, same))
    return Labelled(name, language, halves)


def pools_set(name: str, language: str, rows: Sequence[tuple[str, str, str, str]]) -> Labelled:
    """Rows: pool (or 0 and 1, the half itself), text, what it equals, what it may be taken together with."""
    pools: dict[str, Part] = defaultdict(lambda: Part([], [], []))
    for pool, text, same, may in rows:
        pools[pool].texts.append(text)
        pools[pool].same.append(same)
        pools[pool].may.append(may)
    halves: tuple[list[Part], list[Part]] = ([], [])
    for pool, part in pools.items():
        halves[int(pool) if pool in ("0", "1") else half(pool)].append(part)
    return Labelled(name, language, halves)


def sets() -> Iterator[Labelled]:
    texts = {one["doc_id"]: one["text"] for one in load("webis_ndd/docs.jsonl.gz")}
    graded = load("webis_ndd/pairs.jsonl")
    for domain in ("news", "gov-web", "web"):
        rows = (
            (f"{one['a']}|{one['b']}", texts[one["a"]], texts[one["b"]], one["grade"] == 3)
            for one in graded
            if one["domain"] == domain and one["grade"] in (0, 3)
        )
        yield pairs_set(f"webis_ndd {domain}", "en", rows)
    answers = load("clough_reuse/answers.jsonl")
    origin = {one["task"]: one["text"] for one in answers if one["category"] == "orig"}
    clear = [one for one in answers if one["category"] in ("cut", "non")]
    cut = ((one["id"], origin[one["task"]], one["text"], one["category"] == "cut") for one in clear)
    yield pairs_set("clough_reuse", "en", cut)
    laws = {one["id"]: one["text"] for one in load("legal_uy_es/docs.jsonl.gz")}
    alike = load("legal_uy_es/similar_but_distinct.jsonl")
    yield pairs_set("legal_uy_es", "es", ((f"{p['a']}|{p['b']}", laws[p["a"]], laws[p["b"]], False) for p in alike))
    yield trec_ts()
    items = load("scoop_feed/items.jsonl")
    stories = [(one["story"], f"{one['title']}\n{one['text']}") for one in items]
    yield pools_set("scoop_feed", "en", [(str(half(story)), text, story, story) for story, text in stories])
    headlines = load("og2021_headlines/headlines.jsonl.gz")
    for language in ("en", "es"):
        mine = [(one["cluster"], one["title"]) for one in headlines if one["lang"] == language]
        rows = [(str(half(event)), title, f"{event} {title}", event) for event, title in mine]
        yield pools_set("og2021 titles", language, rows)


def trec_ts() -> Labelled:
    passages = load("trec_ts/passages.jsonl.gz")
    parent = {(one["query_id"], one["id"]): (one["query_id"], one.get("dup_of") or one["id"]) for one in passages}

    def root(key: tuple[str, str]) -> str:
        seen = set()
        while parent.get(key, key) != key and key not in seen:
            seen.add(key)
            key = parent[key]
        return "/".join(key)

    rows = [
        (one["query_id"], one["text"], name, name) for one in passages if (name := root((one["query_id"], one["id"])))
    ]
    return pools_set("trec_ts repeats", "en", rows)


def measure(parts: Sequence[Part], setting: Setting) -> dict[str, float | int]:
    """Pairwise precision and recall, and B-cubed over texts."""
    right = taken = wanted = found = 0
    precisions: list[float] = []
    recalls: list[float] = []
    for part in parts:
        groups = part.groups(setting)
        by_group, by_same = (_members(labels) for labels in (groups, part.same))
        for i in range(len(part.texts)):
            group, same = by_group[groups[i]], by_same[part.same[i]]
            may = sum(part.may[j] == part.may[i] for j in group)
            both = sum(groups[j] == groups[i] for j in same)
            precisions.append(may / len(group))
            recalls.append(both / len(same))
            right, taken = right + may - 1, taken + len(group) - 1
            found, wanted = found + both - 1, wanted + len(same) - 1
    precision, recall = float(np.mean(precisions)), float(np.mean(recalls))
    return {
        "precision": right / taken if taken else 1.0,
        "recall": found / wanted if wanted else 1.0,
        "taken": taken // 2,
        "wrong": (taken - right) // 2,
        "wanted": wanted // 2,
        "bcubed_precision": precision,
        "bcubed_recall": recall,
        "bcubed_f": 2 * precision * recall / (precision + recall),
    }


def _members(labels: Sequence[Any]) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = defaultdict(list)
    for at, label in enumerate(labels):
        found[label].append(at)
    return found


def choose(labelled: Sequence[Labelled]) -> list[list[Any]]:
    """Mean B-cubed F over the sets and the least precision, for every setting, on the choosing halves."""
    rows = []
    for window, resemblance, containment in itertools.product(WINDOWS, RESEMBLANCES, CONTAINMENTS):
        results = [measure(one.halves[0], (window, resemblance, containment)) for one in labelled]
        rows.append([
            f"{window.words} words / {window.characters} characters", resemblance, containment,
            float(np.mean([one["bcubed_f"] for one in results])), float(np.mean([one["precision"] for one in results])),
            float(np.mean([one["recall"] for one in results])), sum(one["wrong"] for one in results),
        ])  # fmt: skip
    return sorted(rows, key=lambda row: -row[3])


def chosen(labelled: Sequence[Labelled]) -> list[dict[str, Any]]:
    heads = ["shingle", "resemblance", "containment", "B-cubed F", "precision", "recall", "wrong pairs"]
    ranked = choose(labelled)
    mine = [row for row in ranked if row[1:3] == list(SHIPPED[1:])]
    show("choosing halves: the best ten, and the shipped thresholds with each shingle", heads, ranked[:10] + mine)
    return [dict(zip(heads, row, strict=True)) for row in ranked]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--choose", action="store_true", help="also rank the settings on the choosing halves")
    options = parser.parse_args(argv)
    labelled = list(sets())
    result: dict[str, Any] = {}
    if options.choose:
        result["choosing"] = chosen(labelled)
    rows = []
    for one in labelled:
        got = measure(one.halves[1], SHIPPED)
        rows.append([one.name, one.language, *got.values()])
        result.setdefault("held_out", []).append({"set": one.name, "language": one.language, **got})
    heads = ["set", "language", "precision", "recall", "pairs taken", "wrong", "pairs wanted", "B3 P", "B3 R", "B3 F"]
    show("held-out halves at the shipped defaults", heads, rows)
    if options.choose:
        keep("collapse_quality", result)
    return 0
