"""Overlaps and stars: thresholds, direction, exact copies, both ways of counting."""

import random

import pytest

from reparto.kernels import fingerprint, overlaps, star
from reparto.kernels.reference import overlaps as reference

STORY = "the ferry to the north island is cancelled today because of a storm that came in from the west overnight"
BRIEF = "the ferry to the north island is cancelled today"


def test_containment_has_a_direction():
    pairs = overlaps(fingerprint([STORY, BRIEF, "something else entirely happened here"]), None, 0.8)
    assert pairs.i.tolist() == [0]
    assert pairs.j.tolist() == [1]
    assert pairs.containing[0] == 1.0
    assert pairs.contained[0] < 0.5
    assert pairs.resemblance[0] == pairs.contained[0]


def test_thresholds_decide_by_the_true_value():
    texts = ["north pier opens at nine daily", "north pier opens at nine tomorrow morning"]
    assert len(overlaps(fingerprint(texts), 0.8, None)) == 0
    assert overlaps(fingerprint(texts), 0.5, None).resemblance.tolist() == [0.5]
    assert len(overlaps(fingerprint(texts), None, None)) == 0


def test_exact_copies_and_empty_texts_are_in_no_pair():
    pairs = overlaps(fingerprint([BRIEF, BRIEF.upper(), "", " ", STORY]), 0.1, 0.1)
    assert (pairs.i.tolist(), pairs.j.tolist()) == ([0], [4])


def test_both_ways_of_counting_agree(monkeypatch):
    rng = random.Random(5)
    words = [f"w{n}" for n in range(60)]
    texts = [" ".join(rng.choice(words) for _ in range(rng.randrange(1, 40))) for _ in range(60)]
    texts += [text + " tail end" for text in texts[:30]] + [text[: len(text) // 2] for text in texts[:20]]
    sketches = fingerprint(texts)
    for resemblance, containment in ((0.3, None), (None, 0.6), (0.6, 0.8), (0.05, 0.05)):
        dense = reference.overlaps(sketches, resemblance, containment)
        monkeypatch.setattr(reference, "_DENSE", 0)
        sparse = reference.overlaps(sketches, resemblance, containment)
        monkeypatch.undo()
        for name in ("i", "j", "resemblance", "contained", "containing"):
            assert getattr(dense, name).tolist() == getattr(sparse, name).tolist()


def test_a_star_takes_what_is_near_its_centre_only():
    chain = [(0, 1), (1, 2), (2, 3)]
    assert star(4, chain).tolist() == [0, 0, 2, 2]
    assert star(4, chain, lambda centre, other: (centre, other) != (0, 1)).tolist() == [0, 1, 1, 3]
    assert star(0, []).tolist() == []


def test_star_asks_about_centres_alone():
    asked = []
    star(4, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], lambda i, j: asked.append((i, j)) or True)
    assert asked == [(0, 1), (0, 2)]


@pytest.mark.parametrize("text", ["The ferry is cancelled today.", "渡し船は今日欠航です", "x"])
def test_thousands_of_copies_make_no_pairs(text):
    sketches = fingerprint([text] * 3000)
    assert len(overlaps(sketches, 0.6, 0.8)) == 0
    assert set(sketches.leaders().tolist()) == {0}
