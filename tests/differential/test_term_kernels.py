"""Terms of texts and sums over them: the native kernel against the reference, number for number."""

import random

import numpy as np
import pytest

from reparto.kernels.reference import terms as reference

native = pytest.importorskip("reparto.kernels._native", reason="the native kernels are not built here")

PIECES = [
    *"aeo1 .,-'%$\n\t`", "é", "E\u0301", "the ", "fee ", "port ", "12 ", "漢字", "がガ", "カタカナ", "ภาษาไทย ", "ｆｕｌｌ ",
    "Вank ", "\u0336", "\ud800", "  ", "\x00", "",
]  # fmt: skip


def pools(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        pieces = PIECES[:12] if rng.random() < 0.4 else PIECES  # spaced scripts alone are hashed in another way
        texts = ["".join(rng.choices(pieces, k=rng.randint(0, 40))) for _ in range(rng.randint(0, 12))]
        yield texts, "".join(rng.choices(pieces, k=rng.randint(0, 5)))


def test_terms_and_sums_are_those_of_the_reference():
    rng = np.random.default_rng(4)
    some_query = some_unspaced = 0
    for texts, query in pools(7, 3_000):
        terms, offsets, vocabulary = native.terms(texts, query)
        wanted = reference.terms(texts, query)
        assert (terms.tolist(), offsets.tolist(), vocabulary) == (wanted[0].tolist(), wanted[1].tolist(), wanted[2])
        weights = rng.normal(size=max(1, vocabulary))
        assert native.term_sums(terms, offsets, weights).tolist() == reference.term_sums(*wanted[:2], weights).tolist()
        some_query += len(reference.terms(texts, "")[0]) > len(terms)
        some_unspaced += any("漢字" * 2 in text for text in texts)
    assert some_query > 100
    assert some_unspaced > 20


def test_sums_refuse_what_does_not_fit():
    terms, offsets, weights = np.array([0, 1]), np.array([0, 1, 2]), np.ones(2)
    assert native.term_sums(terms, offsets, weights).tolist() == [1.0, 1.0]
    for odd in (
        (np.array([0, 2]), offsets, weights),
        (np.array([-1, 0]), offsets, weights),
        (terms, np.array([0, 2, 1]), weights),
        (terms, np.array([0, 1]), weights),
        (terms, np.array([1, 2]), weights),
        (terms, np.zeros(0, dtype=np.int64), weights),
    ):
        with pytest.raises(ValueError, match="offsets"):
            native.term_sums(*odd)
