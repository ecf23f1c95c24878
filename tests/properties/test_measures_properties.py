"""What is true of the measures for any judgments and any list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import parse

IDS = tuple("abcdefghij")
facts = st.dictionaries(
    st.sampled_from(["f1", "f2", "f3", "f4"]),
    st.lists(st.sampled_from(IDS), min_size=1, unique=True),
    min_size=1,
)
rankings = st.lists(st.sampled_from((*IDS, "x", "y")), unique=True, min_size=1)
COVERING = ("StRecall", "WeightedStRecall")
NORMALISED = (
    "alpha_nDCG@4",
    "nERR_IA@4",
    "nNRBP",
    "StRecall@4",
    "alpha_DCG@4",
    "ERR_IA@4",
    "NRBP",
    "P_IA@4",
    "MAP_IA",
    "RR@4",
    "nDCG@4",
)
TEXT = st.lists(st.text(alphabet="ab c", max_size=20), max_size=8)


def deliver(ids: list[str], judged: dict[str, list[str]]) -> Delivery:
    return Delivery(tuple(Passage(id, (id,)) for id in ids), Judgments.binary(judged))


@given(facts, rankings)
def test_values_lie_in_their_range(judged, ranking) -> None:
    """A lucky tie of the greedy ideal can be beaten by little; everything else stays within 0..1."""
    for name in NORMALISED:
        value = parse(name).value(deliver(ranking, judged))
        assert value is not None
        assert 0.0 <= value <= (1.2 if name.startswith("n") or "nDCG" in name else 1.0 + 1e-12)


@given(facts, rankings, st.integers(0, 9))
def test_repeating_a_passage_gains_nothing(judged, ranking, place) -> None:
    twice = [*ranking, ranking[place % len(ranking)]]
    for name in ("StRecall", "WeightedStRecall", "NRBP", "MAP_IA"):
        once, again = (parse(name).value(deliver(ids, judged)) for ids in (ranking, twice))
        assert again == once
    filler = [*ranking, "nothing known of it"]
    for name in ("alpha_nDCG", "alpha_DCG", "ERR_IA", "P_IA"):
        cut = f"{name}@{len(twice)}"
        assert parse(cut).value(deliver(twice, judged)) == parse(cut).value(deliver(filler, judged))


@given(facts, rankings, st.sampled_from(IDS), st.integers(1, 12))
def test_adding_a_passage_never_lowers_recall(judged, ranking, more, cutoff) -> None:
    for name in COVERING:
        short, longer = (parse(name).value(deliver(ids, judged)) for ids in (ranking, [*ranking, more]))
        assert longer >= short
        shallow, deep = (parse(f"{name}@{cut}").value(deliver(ranking, judged)) for cut in (cutoff, cutoff + 1))
        assert deep >= shallow


@given(facts, st.sampled_from([0.0, 0.3, 0.5, 0.9]))
def test_the_greedy_ideal_scores_one(judged, alpha) -> None:
    level = Judgments.binary(judged).level()
    left = sorted(level.carried, reverse=True)
    gain, ideal = [1.0] * len(level.names), []
    while left:
        ideal.append(max(left, key=lambda one: (sum(gain[f] for f in level.carried[one]), one)))
        left.remove(ideal[-1])
        for fact in level.carried[ideal[-1]]:
            gain[fact] *= 1 - alpha
    for name in ("alpha_nDCG", "nERR_IA"):
        for cutoff in (1, 3, 30):
            value = parse(f"{name}(alpha={alpha})@{cutoff}").value(deliver(ideal, judged))
            assert abs(value - 1.0) < 1e-12


@given(facts, rankings, rankings)
def test_no_state_between_evaluations(judged, first, second) -> None:
    """Scoring another list between, on the same judgments, changes nothing."""
    judgments = Judgments.binary(judged)

    def score(ids: list[str]) -> list[float | None]:
        delivery = Delivery(tuple(Passage(id, (id,)) for id in ids), judgments)
        return [parse(name).value(delivery) for name in NORMALISED]

    before = score(first)
    score(second)
    assert score(first) == before == [parse(n).value(deliver(first, judged)) for n in NORMALISED]


@given(TEXT)
def test_redundant_is_never_more_than_duplicate(texts) -> None:
    delivery = Delivery(tuple(Passage(str(i), (str(i),), text) for i, text in enumerate(texts)), Judgments())
    redundant, duplicate = (parse(name).value(delivery) for name in ("RedundantRate", "DuplicateRate"))
    assert redundant <= duplicate <= 2 * redundant
    distinct = len({" ".join(text.split()) for text in texts})
    assert redundant >= 0.0
    assert (redundant > 0) or distinct >= len([text for text in texts if text.strip()])


@given(facts, rankings, st.randoms(use_true_random=False))
def test_the_order_of_the_judgments_does_not_matter(judged, ranking, random) -> None:
    shuffled = {name: random.sample(ids, len(ids)) for name, ids in random.sample(list(judged.items()), len(judged))}
    for name in NORMALISED:
        a, b = (parse(name).value(deliver(ranking, one)) for one in (judged, shuffled))
        assert abs(a - b) < 1e-12
