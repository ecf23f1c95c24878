"""Units and shingles: scripts with and without spaces, short texts, empty ones."""

import numpy as np
import pytest

from reparto.kernels import MEASURE, Spec, fingerprint, resemblance
from reparto.kernels.reference.shingles import Window, forms, shingles, spans, units


def words(text):
    form = forms([text]).text(0)
    return [form[a:b] for a, b in spans([form])[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("North pier, opens at nine.", ["north", "pier", "opens", "at", "nine"]),
        ("It's 1.5 or 1/2 of -500", ["it's", "1.5", "or", "1/2", "of", "-500"]),
        ("1,000 at 10:43, 5-10 and 5%", ["1,000", "at", "10:43", "5-10", "and", "5%"]),
        ("well-known C# and AT&T", ["well", "known", "c#", "and", "at&t"]),
        ("$5 €6", ["$5", "€6"]),
        ("日本 abc 語", ["日", "本", "abc", "語"]),
        ("กา", ["ก", "า"]),
        ("p < 0.05 and x > 3, > quoted", ["p", "<", "0.05", "and", "x", ">", "3", "quoted"]),
        ("?!", ["?!"]),
        ("", []),
        ("한국어 문장", ["한국어", "문장"]),
    ],
)
def test_units(text, expected):
    assert words(text) == expected


def count(text, window=MEASURE):
    return len(shingles(units(forms([text])), window)[0])


def test_number_of_shingles():
    assert count("a b c d e") == 1
    assert count("a b c d e f") == 2
    assert count("a b") == 1
    assert count("") == 0
    assert count("一二三四五六七八九") == 1
    assert count("一二三四五六七八九十") == 2
    # Two words weigh as much as nearly four characters: a sentence of both is one sequence.
    assert count("ab cd 一二三四五六") == 1
    assert count("ab cd ef gh 一二三四") == 2


def test_short_texts_compare_whole():
    assert resemblance("Yes", "No") == 0
    assert resemblance("Yes", "yes.") == 1
    assert resemblance("", "") == 0
    assert resemblance("north pier opens", "pier opens north") == 0


def test_the_measure_counts_five_words():
    a, b = "north pier opens at nine daily", "north pier opens at nine tomorrow morning"
    assert resemblance(a, b) == pytest.approx(1 / 4)
    assert resemblance(a, b, Window(3, 6)) == pytest.approx(3 / 6)
    assert resemblance("一二三四五六七八九十", "一二三四五六七八九百") == pytest.approx(1 / 3)


def test_batches_do_not_mix():
    texts = ["one two three four five six", "", "七八九", "one", "?!", "é two three", "one two three four five six"]
    together = fingerprint(texts, Spec(MEASURE))
    for i, text in enumerate(texts):
        alone = fingerprint([text], Spec(MEASURE))
        assert np.array_equal(together.of(i), alone.of(0))
        assert (together.digests[i] == alone.digests[0]).all()
        assert together.characters[i] == alone.characters[0]


def test_a_seed_changes_every_hash():
    a, b = (
        fingerprint(["one two three four five"], Spec(seed=1)),
        fingerprint(["one two three four five"], Spec(seed=2)),
    )
    assert not set(a.hashes.tolist()) & set(b.hashes.tolist())
    assert (a.digests == b.digests).all()
