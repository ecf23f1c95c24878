"""Coverage on any pool: finite, falling, indifferent to labels and order, and nothing gained by saying it twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reparto.objectives import Ground
from reparto.objectives.coverage import Coverage
from reparto.resemblance import resemblance_matrix
from reparto.similarity import Similarity, unit_rows

SENTENCES = (
    "The storm cut the harbour cable on Monday.",
    "El temporal cortó el cable del puerto el lunes 3 de mayo.",
    "嵐で港のケーブルが切断され、市の東部が停電した。",
    "قطعت العاصفة كابل الميناء يوم الاثنين",
    "तूफान ने बंदरगाह की केबल काट दी",
    "พายุตัดสายเคเบิลท่าเรือ",
    "Engineers blame corroded insulators (1984).",
    "42 %",
    "?!",
    "",
    "storm",
)

TEXTS = st.lists(st.one_of(st.sampled_from(SENTENCES), st.text(max_size=60)), max_size=9)
KEYS = st.fixed_dictionaries(
    {
        "lam": st.floats(0, 1),
        "breadth": st.sampled_from((0.0, 0.3, 2.0)),
        "band": st.floats(0, 1),
        "decay": st.floats(0, 1),
        "mass": st.floats(0, 2),
    }
)


def ground(texts: Sequence[str], seed: int, vectors: bool, affordable: float = 1.0) -> Ground:
    """A ground in rank order; vectors of each text are its own, whatever its place."""
    n = len(texts)
    rng = np.random.default_rng(seed)
    relevance = np.sort(rng.integers(0, 6, n) / 5.0)[::-1].astype(float)
    rows = [np.random.default_rng(list(text.encode("utf-8", "surrogatepass"))).normal(size=5) for text in texts]
    fields = {"text": unit_rows(rows)} if vectors and n else {}
    matrix = resemblance_matrix(texts)
    ids = [f"c{i}" for i in range(n)]
    similarity = Similarity(n, fields, lambda i: matrix[i])
    return Ground(ids, list(texts), relevance, similarity, "storm", affordable=affordable)


def order(objective: Coverage, pool: Ground) -> list[int]:
    """All entries by the loop's rule."""
    run, taken = objective.start(pool), []
    for _ in pool.ids:
        gains = np.round(run.gains(), 12)
        gains[taken] = -1.0
        taken.append(int(gains.argmax()))
        run.take(taken[-1])
    return taken


@given(TEXTS, KEYS, st.integers(0, 99), st.booleans(), st.floats(0, 1))
def test_values_are_finite_and_never_rise(
    texts: list[str], keys: dict[str, float], seed: int, vectors: bool, affordable: float
) -> None:
    """Any texts, any keys, to the last seat: within 0..1 and no higher than before."""
    run = Coverage(**keys).start(ground(texts, seed, vectors, affordable))
    last = np.ones(len(texts))
    for i in range(len(texts)):
        gains = run.gains()
        assert gains.shape == (len(texts),)
        assert np.isfinite(gains).all()
        assert (gains >= 0.0).all()
        assert (gains <= last + 1e-9).all()
        last = gains.copy()
        run.take(i)


@given(st.lists(st.sampled_from(SENTENCES[:7]), min_size=2, max_size=7, unique=True), st.booleans())
def test_a_copy_of_a_seat_gains_nothing(texts: list[str], vectors: bool) -> None:
    """Once it is seated, saying it again is worth 0 at any band below 1."""
    pool = ground([texts[0], *texts], 0, vectors)
    run = Coverage().start(pool)
    run.take(0)
    assert run.gains()[1] == 0.0


@given(st.lists(st.sampled_from(SENTENCES[:8]), min_size=2, max_size=8, unique=True), st.integers(0, 99), st.booleans())
def test_labels_and_the_order_of_equals_do_not_matter(texts: list[str], seed: int, vectors: bool) -> None:
    """With one relevance for all, a shuffled ground gives each text the same value."""
    places = np.random.default_rng(seed).permutation(len(texts))
    plain, mixed = ground(texts, 0, vectors), ground([texts[i] for i in places], 0, vectors)
    ones = np.ones(len(texts))
    one = Ground(plain.ids, plain.texts, ones, plain.similarity, plain.query)
    other = Ground(plain.ids[::-1], mixed.texts, ones, mixed.similarity, mixed.query)
    first, second = Coverage().start(one), Coverage().start(other)
    for i in range(len(texts)):
        values = second.gains()
        assert np.allclose(first.gains()[places], values, atol=1e-9)
        first.take(int(places[i]))
        second.take(i)


@given(TEXTS, st.integers(0, 99))
@settings(max_examples=50)
def test_affine_relevance_changes_nothing(texts: list[str], seed: int) -> None:
    """Squeezed and shifted scores seat the same."""
    pool = ground(texts, seed, True)
    squeezed = Ground(pool.ids, pool.texts, pool.relevance * 0.25 + 0.5, pool.similarity, pool.query)
    assert order(Coverage(), pool) == order(Coverage(), squeezed)


def test_the_hash_seed_changes_nothing() -> None:
    """Two interpreters with different seeds seat alike, to the last digit."""
    code = (
        "from reparto import select\n"
        f"texts = {[text for text in SENTENCES if text]!r} * 2\n"
        "rows = [{'id': str(i), 'text': t, 'score': 1 - i / 40} for i, t in enumerate(texts)]\n"
        "chosen = select({'query': 'storm', 'query_class': 'survey', 'k': 9, 'candidates': rows})\n"
        "print([(one.id, one.value) for one in chosen.seats])\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(printed) == 1
    assert "('0'," in printed.pop()


def test_more_seats_than_entries_gives_all() -> None:
    """k beyond the pool, in any script."""
    texts = [text for text in SENTENCES if text]
    assert sorted(order(Coverage(), ground(texts, 0, False))) == list(range(len(texts)))
