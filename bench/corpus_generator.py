"""A synthetic corpus with planted copies, and the truth about them: `python -m bench.corpus_generator N OUT.jsonl`.

Texts of about 1 kB in sentences of words drawn from a Zipf vocabulary, with a template of boilerplate for some sources.
Of every hundred documents about six are exact copies, twelve near copies (words replaced, sentences dropped, added or
moved, so that resemblance spreads over .6 to 1), four briefs contained in a story, and four revisions in which one
figure differs. The truth names, for each planted document, its original and what was done.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from reparto.kernels.reference.lexicon import lexicon

KINDS = (("exact", 0.06), ("near", 0.12), ("contained", 0.04), ("revision", 0.04))
VOCABULARY = 60_000
_ONSETS = ("b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "tr", "ch")
_SYLLABLES = [a + b for a in _ONSETS for b in ("a", "e", "i", "o", "u", "an", "er", "io")]


def vocabulary(rng: random.Random, size: int = VOCABULARY) -> list[str]:
    """Made-up words; none that a language has for a number, a month or a negation."""
    known = lexicon()
    telling = {*known.classes, *known.numbers, *known.magnitudes, *known.negations}
    words: dict[str, None] = {}
    while len(words) < size:
        word = "".join(rng.choices(_SYLLABLES, k=rng.choice((1, 2, 2, 3, 3, 4))))
        if word not in telling:
            words[word] = None
    return list(words)


class Writer:
    """Draws sentences. Ranks follow Zipf's law with exponent 1, as words of news do."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.words = vocabulary(random.Random(4711))
        self.weights = list(accumulate(1.0 / (rank + 2.7) for rank in range(len(self.words))))
        self.pool: list[str] = []

    def word(self) -> str:
        if not self.pool:
            self.pool = self.rng.choices(self.words, cum_weights=self.weights, k=100_000)
        return self.pool.pop()

    def sentence(self) -> str:
        words = [self.word() for _ in range(self.rng.randint(9, 24))]
        if self.rng.random() < 0.3:
            words[self.rng.randrange(1, len(words))] = str(self.rng.randint(2, 99_999))
        return " ".join(words).capitalize() + "."

    def story(self) -> list[str]:
        return [self.sentence() for _ in range(self.rng.randint(6, 12))]

    def near(self, story: list[str]) -> list[str]:
        """Edited: what share of the words is replaced decides how much still resembles. Figures stay."""
        out = list(story)
        how = self.rng.random()
        if how < 0.35 and len(out) > 6:
            out.pop(self.rng.randrange(len(out)))
        elif how < 0.6:
            out.insert(self.rng.randrange(len(out) + 1), self.sentence())
        elif how < 0.7:
            at = self.rng.randrange(len(out) - 1)
            out.append(out.pop(at))
        edits = self.rng.choice((0, 1, 2, 4, 6, 8))
        for _ in range(edits):
            at = self.rng.randrange(len(out))
            words = out[at].split()
            spot = self.rng.randrange(1, len(words) - 1) if len(words) > 2 else 0
            if not any(char.isdigit() for char in words[spot]):
                words[spot] = self.word()
            out[at] = " ".join(words)
        return out

    def revision(self, story: list[str]) -> list[str] | None:
        """One figure differs."""
        spots = [
            (i, j) for i, one in enumerate(story) for j, word in enumerate(one.split())
            if word.strip(".").isdigit()
        ]  # fmt: skip
        if not spots:
            return None
        i, j = self.rng.choice(spots)
        words = story[i].split()
        tail = "." if words[j].endswith(".") else ""
        old = int(words[j].strip("."))
        words[j] = f"{old + self.rng.randint(1, 9)}{tail}"
        return [*story[:i], " ".join(words), *story[i + 1 :]]


def corpus(n: int, seed: int = 1, outlets: int = 400) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """(document, truth) pairs; truth is None for originals. Copies follow their originals at any distance."""
    writer = Writer(seed)
    rng = writer.rng
    held: list[tuple[str, list[str]]] = []
    cuts = list(accumulate(share for _, share in KINDS))
    for i in range(n):
        draw = rng.random()
        kind = next((name for (name, _), cut in zip(KINDS, cuts, strict=True) if draw < cut), None)
        origin, story = (None, None)
        if kind and held:
            origin, source_story = held[rng.randrange(len(held))]
            if kind == "exact":
                story = source_story
            elif kind == "near":
                story = writer.near(source_story)
            elif kind == "contained":
                start = rng.randrange(max(1, len(source_story) - 3))
                story = source_story[start : start + 3]
            else:
                story = writer.revision(source_story)
        if story is None:
            kind, origin = None, None
            story = writer.story()
            if rng.random() < 0.5 or len(held) < 100:
                held.append((f"d{i:08d}", story))
        day = 1 + i * 3650 // max(n, 1)
        document = {
            "id": f"d{i:08d}",
            "text": " ".join(story),
            "source": f"outlet{rng.randrange(outlets)}",
            "published": f"{2010 + day // 365}-{1 + day % 365 // 31:02d}-{1 + day % 28:02d}T{i % 24:02d}:00:00Z",
        }
        yield document, {"id": document["id"], "of": origin, "kind": kind} if kind else None


def write(n: int, out: Path, seed: int = 1) -> Path:
    """Write the corpus, shuffled by nothing: in order of publication; the truth beside it as NAME.truth.jsonl."""
    truth = out.with_suffix(".truth.jsonl")
    with out.open("w", encoding="utf-8") as texts, truth.open("w", encoding="utf-8") as known:
        for document, fact in corpus(n, seed):
            texts.write(json.dumps(document) + "\n")
            if fact:
                known.write(json.dumps(fact) + "\n")
    return truth


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    write(asked.n, asked.out, asked.seed)
