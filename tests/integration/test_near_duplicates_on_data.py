"""Near-duplicates on labelled data beside the project: what hides a copy, and what must not be taken for one."""

import gzip
import json
import random

import pytest

from reparto import kernels

RESEMBLANCE, CONTAINMENT = 0.6, 0.8


def lines(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as rows:
        return [json.loads(row) for row in rows]


def proposed(pairs):
    """Whether each pair of texts reaches a threshold of collapse, the longer one ranking first."""
    found = []
    for pair in pairs:
        a, b = sorted(pair, key=len, reverse=True)
        sketches = kernels.fingerprint([a, b])
        same = sketches.leaders()[1] == 0
        near = kernels.overlaps(sketches, RESEMBLANCE, CONTAINMENT)
        found.append(bool(same or any(near.resemblance >= RESEMBLANCE) or any(near.containing >= CONTAINMENT)))
    return found


@pytest.fixture(scope="module")
def stories(shared_data):
    spanish = [row["text"][:1000] for row in lines(shared_data / "news_es" / "docs.jsonl.gz")][:150]
    english = [
        row["text"][:1000] for row in lines(shared_data / "reuters21578" / "docs.jsonl.gz") if len(row["text"]) > 900
    ]
    return spanish + english[:150]


ALIKE = dict(zip("aeopcxyijs", "аеорсхуіјѕ", strict=True))


def look_alikes(rng, text):
    return "".join(ALIKE.get(char, char) if rng.random() < 0.3 else char for char in text)


def shuffled(rng, text):
    parts = text.split(". ")
    rng.shuffle(parts)
    return ". ".join(parts)


def replaced(rng, text, share=0.05):
    words = text.split()
    plain = [word for word in words if word.isalpha() and word.islower()]
    return " ".join(
        rng.choice(plain) if plain and rng.random() < share and word.isalpha() and word.islower() else word
        for word in words
    )


DISGUISES = {
    "invisible": (lambda rng, text: "".join(char + "\u200b" * (rng.random() < 0.3) for char in text), 0.99),
    "tags": (lambda rng, text: "".join(char + "\U000e0041" * (rng.random() < 0.3) for char in text), 0.99),
    "full width": (lambda rng, text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text), 0.99),
    "look-alikes": (look_alikes, 0.99),
    "overlays": (lambda rng, text: "".join(char + "\u0336" for char in text), 0.99),
    "shuffled": (shuffled, 0.99),
    "padded": (lambda rng, text: f"{text} {' '.join(rng.sample(text.split(), len(text.split()) // 2))}", 0.99),
    "one word in twenty": (replaced, 0.95),
}


@pytest.mark.parametrize("name", DISGUISES)
def test_disguised_copies_are_proposed(stories, name):
    disguise, least = DISGUISES[name]
    rng = random.Random(name)
    found = proposed((text, disguise(rng, text)) for text in stories)
    assert sum(found) / len(found) >= least


def test_different_laws_in_the_same_words_are_revisions(shared_data):
    laws = {row["id"]: row["text"] for row in lines(shared_data / "legal_uy_es" / "docs.jsonl.gz")}
    pairs = [
        (laws[row["a"]], laws[row["b"]]) for row in lines(shared_data / "legal_uy_es" / "similar_but_distinct.jsonl")
    ]
    taken = [pair for pair, near in zip(pairs, proposed(pairs), strict=True) if near]
    assert len(taken) > 300
    assert sum(not kernels.facts(*pair).revision for pair in taken) <= 0.04 * len(taken)


def test_graded_copies_are_kept_apart_from_graded_strangers(shared_data):
    texts = {row["doc_id"]: row["text"] for row in lines(shared_data / "webis_ndd" / "docs.jsonl.gz")}
    graded = [row for row in lines(shared_data / "webis_ndd" / "pairs.jsonl") if row["grade"] in (0, 3)]
    pairs = [(texts[row["a"]], texts[row["b"]]) for row in graded]
    copies = [near and not kernels.facts(*pair).revision for pair, near in zip(pairs, proposed(pairs), strict=True)]
    right = [copy for copy, row in zip(copies, graded, strict=True) if row["grade"] == 3]
    wrong = [copy for copy, row in zip(copies, graded, strict=True) if row["grade"] == 0]
    assert sum(right) / len(right) >= 0.75
    assert sum(wrong) / len(wrong) <= 0.05
