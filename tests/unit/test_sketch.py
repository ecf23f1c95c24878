"""Sketches: exact when small, sampled when long, stored and refused."""

import random

import numpy as np
import pytest

from reparto.errors import InputError
from reparto.kernels import Spec, fingerprint, from_bytes, overlaps


def long_text(n, seed=1):
    rng = random.Random(seed)
    return [f"w{rng.randrange(20_000)}" for _ in range(n)]


def test_small_texts_are_exact():
    sketches = fingerprint([" ".join(long_text(500))])
    assert len(sketches.of(0)) == sketches.sizes[0]
    assert sketches.limits[0] == 2**64 - 1


def test_long_texts_are_sampled_and_estimate_well():
    words = long_text(30_000)
    texts = [" ".join(words), " ".join(words[:24_000]), " ".join(words[-3_000:])]
    sampled, exact = fingerprint(texts), fingerprint(texts, Spec(scale=1))
    assert len(sampled.of(0)) < len(exact.of(0)) / 10
    assert len(sampled.of(2)) >= 1024
    got = {(i, j): (r, a, b) for i, j, r, a, b in rows(overlaps(sampled, 0.5, 0.5))}
    want = {(i, j): (r, a, b) for i, j, r, a, b in rows(overlaps(exact, 0.5, 0.5))}
    assert got.keys() == want.keys()
    for pair, values in want.items():
        assert got[pair] == pytest.approx(values, abs=0.06)


def rows(pairs):
    return zip(
        *(column.tolist() for column in (pairs.i, pairs.j, pairs.resemblance, pairs.contained, pairs.containing)),
        strict=True,
    )


def test_stored_signatures_come_back():
    sketches = fingerprint(["a short text", "", " ".join(long_text(5_000))], Spec(seed=7))
    again = from_bytes([sketches.to_bytes(i) for i in range(3)])
    assert again.spec == sketches.spec
    for name in ("hashes", "offsets", "sizes", "limits", "digests", "characters"):
        assert np.array_equal(getattr(again, name), getattr(sketches, name)), name


def test_no_signatures():
    assert len(from_bytes([])) == 0
    assert len(overlaps(from_bytes([]), 0.5, 0.5)) == 0


def test_mixtures_and_damage_are_refused_all_at_once():
    good = fingerprint(["one two three four"]).to_bytes(0)
    other = fingerprint(["one two three four"], Spec(seed=1)).to_bytes(0)
    with pytest.raises(InputError) as error:
        from_bytes([good, other, good[:-1], b"nonsense", good[:4] + b"\x09" + good[5:], good[:-8] + good[-16:-8]])
    assert [problem.message.split(":")[0] for problem in error.value.problems] == [
        f"signature {i}" for i in (1, 2, 3, 4, 5)
    ]


def test_leaders_are_the_first_of_equal_forms_and_empty_equals_nothing():
    assert fingerprint(["A b", "c", "a  B", "", "", "C"]).leaders().tolist() == [0, 1, 0, 3, 4, 1]
