"""Coverage: what each factor does, on pools small enough to reckon by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from reparto.objectives import Ground
from reparto.objectives._head import kinship, relevance_at_head
from reparto.objectives._terms import terms_of
from reparto.objectives.coverage import Coverage, CoverageRun
from reparto.similarity import Similarity, unit_rows

FACTS = [
    "the storm cut the harbour cable and darkened the eastern quarter overnight",
    "the storm cut the harbour cable and darkened the eastern quarter overnight",
    "engineers blame corroded insulators installed during the ninety-eighty refit",
    "schools reopened on thursday while hospitals relied upon diesel generators",
]


def ground(
    texts: Sequence[str],
    relevance: Sequence[float] | None = None,
    vectors: np.ndarray | None = None,
    query: str = "",
    affordable: float = 1.0,
) -> Ground:
    """A ground without vectors (only equal texts resemble) or with the given rows."""
    n = len(texts)
    fields = {} if vectors is None else {"text": unit_rows(list(vectors))}
    known = np.linspace(1.0, 0.5, n) if relevance is None else np.array(relevance, dtype=float)
    alike = np.array([[float(a == b) for b in texts] for a in texts])
    similarity = Similarity(n, fields, lambda i: alike[i])
    ids = [f"c{i}" for i in range(n)]
    return Ground(ids, list(texts), known, similarity, query, affordable=affordable)


def seats(objective: Coverage, pool: Ground, k: int) -> list[int]:
    """The first k by the loop's rule: value, then rank."""
    run, taken = objective.start(pool), []
    for _ in range(min(k, len(pool.ids))):
        gains = np.round(run.gains(), 12)
        gains[taken] = -1.0
        taken.append(int(gains.argmax()))
        run.take(taken[-1])
    return taken


def test_a_repeated_text_comes_after_every_new_one() -> None:
    """The copy ranks second by relevance and last by what it adds."""
    assert seats(Coverage(lam=0.0), ground(FACTS, [1.0, 1.0, 0.9, 0.9]), 4)[-1] == 1


def test_a_copy_gains_what_decay_leaves_of_it() -> None:
    """Terms seated once keep `decay` of their worth; nothing else enters at breadth 0 and band 1."""
    objective = Coverage(lam=0.0, breadth=0.0, band=1.0, decay=0.25)
    run = objective.start(ground(FACTS))
    before = run.gains()
    run.take(0)
    weight = run._novelty_weight
    assert run.gains()[1] == pytest.approx(before[1] * 0.25**weight)


def test_terms_of_the_query_count_for_nothing() -> None:
    """A passage that only repeats the question has no novelty."""
    pool = ground(["storm cable", *FACTS[2:]], query="Storm, cable?")
    assert Coverage(lam=0.0).start(pool).gains()[0] == pytest.approx(0.0, abs=1e-6)


def test_band_zeroes_a_passage_like_a_seat() -> None:
    """Redundancy rises from 0 at the band to 1 at a cosine of 1."""
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    run = Coverage(band=0.5).start(ground(FACTS, vectors=vectors))
    run.take(0)
    assert run.gains()[1] == 0.0
    assert run.gains()[3] > 0.0


def test_breadth_prefers_what_stands_for_more() -> None:
    """Of equals one of the larger cluster is first; then the smaller cluster, which no seat stands for."""
    angles = np.array([0.9, 1.0, 0.05, 0.0, 0.1])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    texts = [f"word{i} other{i} third{i}" for i in range(5)]
    order = seats(Coverage(breadth=3.0, band=1.0), ground(texts, [1.0] * 5, vectors), 2)
    assert order[0] in {2, 3, 4}
    assert order[1] in {0, 1}


def test_mass_chooses_between_much_that_is_new_and_mostly_new() -> None:
    """Long against short, both wholly new: 0 prefers the long one, above 1 the short one."""
    long = " ".join(f"fact{i}" for i in range(40))
    pool = ground([long, "harbour closed until monday by order of captain lundgren", FACTS[2]], [1.0, 1.0, 1.0])
    assert seats(Coverage(lam=0.0, mass=0.0, breadth=0.0), pool, 1) == [0]
    assert seats(Coverage(lam=0.0, mass=2.0, breadth=0.0), pool, 1) != [0]


def test_a_scarce_budget_prefers_the_short_one() -> None:
    """The same pool with length scarce: what counts is the share that is new."""
    long = " ".join(f"fact{i}" for i in range(40)) + " " + " ".join(["harbour"] * 3)
    texts = [long, "captain lundgren closed it", FACTS[2]]
    free = CoverageRun(ground(texts, [1.0] * 3), Coverage(lam=0.0, breadth=0.0)).gains()
    tight = CoverageRun(ground(texts, [1.0] * 3, affordable=0.2), Coverage(lam=0.0, breadth=0.0)).gains()
    assert free[0] > free[1]
    assert tight[1] > tight[0]


def test_short_passages_leave_more_to_relevance() -> None:
    """On a handful of terms novelty has less say than on many."""
    few = Coverage().start(ground(["two words", "other terms", "third thing"]))
    many = Coverage().start(ground([" ".join(f"w{j}x{i}" for i in range(60)) for j in range(3)]))
    assert 0.0 < few._novelty_weight < 0.1 < many._novelty_weight < 0.8


def test_relevance_is_the_same_under_any_affine_scale() -> None:
    """Only the spread of the head counts."""
    scores = np.array([0.9, 0.7, 0.65, 0.3, 0.1])
    assert relevance_at_head(scores) == pytest.approx(relevance_at_head(scores * 0.2 + 0.3))


def test_relevance_without_a_spread_is_one() -> None:
    """Equal scores, one score and none."""
    assert relevance_at_head(np.full(4, 0.3)).tolist() == [1.0] * 4
    assert relevance_at_head(np.array([0.2])).tolist() == [1.0]
    assert relevance_at_head(np.zeros(0)).tolist() == []


def test_a_tail_moves_relevance_at_the_head_little() -> None:
    """Twenty low scores under a hundred: against min-max, which halves the distances at the head."""
    scores = np.linspace(1.0, 0.5, 100)
    longer = np.concatenate([scores, np.linspace(0.2, 0.0, 20)])
    moved = np.abs(relevance_at_head(longer)[:20] - relevance_at_head(scores)[:20]).max()
    least = np.abs(longer[:20] - (scores[:20] - 0.5) / 0.5).max()
    assert moved < 0.04 < least


def test_kinship_finds_the_stranger() -> None:
    """Nine of a kind and one at a right angle to them; without vectors all are kin."""
    vectors = np.array([[1.0, 0.1 * i, 0.0] for i in range(9)] + [[0.0, 0.0, 1.0]])
    pool = ground(["a"] * 10, [1.0] * 10, vectors)
    kin = kinship(pool, pool.similarity.matrix())
    assert kin[:9].min() > 0.9
    assert kin[9] < 0.05
    bare = ground(["a"] * 10)
    assert kinship(bare, bare.similarity.matrix()).tolist() == [1.0] * 10


def test_a_tail_of_strangers_does_not_move_kinship() -> None:
    """Forty of a kind but one, which the head does not vouch for, and a tail of forty at odd angles."""
    rng = np.random.default_rng(0)
    own = np.concatenate([rng.normal([1.0, 0.0, 0.0], 0.2, (39, 3)), [[0.5, 1.0, 0.0]]])
    scores = np.concatenate([np.linspace(1.0, 0.5, 35), np.linspace(0.02, 0.0, 5)])
    short = ground(["a"] * 40, scores, own)
    long = ground(["a"] * 80, np.concatenate([scores, np.zeros(40)]), np.concatenate([own, rng.normal(size=(40, 3))]))
    kin = kinship(short, short.similarity.matrix())
    moved = np.abs(kinship(long, long.similarity.matrix())[:40] - kin).max()
    assert kin[39] < 0.5
    assert moved < 0.02


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("El niño comió en Perú", 5),
        ("EL NIÑO comió, en «Perú»", 5),
        ("東京は日本の首都", 5),
        ("東京", 1),
        ("東京 tower 東京", 2),
        ("ذهب الولد إلى المدرسة", 4),
        ("", 0),
    ],
)
def test_terms_are_words_or_four_characters(text: str, count: int) -> None:
    """Distinct words of the comparison form; runs without spaces give a term a character, less three."""
    assert terms_of([text]).counts().tolist() == [count]


def test_terms_shared_across_case_and_width_are_one() -> None:
    """Full-width and capitals fold."""
    found = terms_of(["Ｃａｂｌｅ broken", "cable BROKEN"])
    assert found.of(0).tolist() == found.of(1).tolist()
