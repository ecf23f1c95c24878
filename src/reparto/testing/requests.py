"""Hypothesis strategies for requests and policies (`pip install 'reparto[testing]'`)."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

WORDS = (
    "harbour",
    "wall",
    "storm",
    "crane",
    "valve",
    "trial",
    "depot",
    "ferry",
    "toll",
    "bridge",
    "north",
    "gate",
    "12",
    "5%",
)
_scores = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 3))
_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)


def candidates(
    vectors: bool = True, offsets: bool = False, scores: st.SearchStrategy[float] = _scores
) -> st.SearchStrategy[dict[str, Any]]:
    """One candidate without an id; `request` numbers them."""
    fields: dict[str, st.SearchStrategy[Any]] = {"score": scores, "text": _texts}
    optional: dict[str, st.SearchStrategy[Any]] = {
        "document": st.sampled_from("ABCD"),
        "source": st.sampled_from(["north", "south", "east"]),
        "published": st.sampled_from(["2024-01-01", "2024-02-11T10:00:00Z", "2024-06-01", "2024-06-01T00:00:00-03:00"]),
        "version": st.sampled_from(["1", "2", "10"]),
        "tier": st.sampled_from(["gold", "silver"]),
        "concept": st.sampled_from(["dam", "toll"]),
        "tokens": st.integers(1, 60),
        "metadata": st.fixed_dictionaries(
            {}, optional={"authoritative": st.booleans(), "region": st.sampled_from("ns")}
        ),
        "copies": st.fixed_dictionaries({"count": st.integers(1, 5)}),
    }
    if vectors:
        optional["vector"] = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=3, max_size=3).filter(any)
    if offsets:
        optional["start"] = st.integers(0, 40)
    return st.fixed_dictionaries(fields, optional=optional)


def pools(least: int = 0, most: int = 12, **given: Any) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Candidates numbered c00, c01, …; with `offsets`, an `end` that fits the text."""
    return st.lists(candidates(**given), min_size=least, max_size=most).map(_numbered)


def _numbered(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    numbered = []
    for place, one in enumerate(found):
        one = {"id": f"c{place:02d}", **one}
        if "start" in one:
            one["end"] = one["start"] + len(one["text"])
        numbered.append(one)
    return numbered


_quotas = st.dictionaries(
    st.sampled_from(["document", "source", "metadata.region"]),
    st.one_of(st.integers(1, 3), st.fixed_dictionaries({"max": st.integers(1, 3), "fill": st.booleans()})),
    min_size=1,
)
_reserves = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"field": st.sampled_from(["document", "source"]), "distinct": st.integers(1, 4)},
            optional={"within": st.integers(1, 6)},
        ),
        st.fixed_dictionaries({"where": st.just({"metadata.authoritative": True}), "at_least": st.integers(1, 2)}),
        st.fixed_dictionaries({"field": st.just("published"), "buckets": st.integers(2, 4)}),
    ),
    min_size=1,
    max_size=2,
)
_diversity = st.one_of(
    st.just({"objective": "relevance"}),
    st.fixed_dictionaries({"objective": st.just("mmr"), "lambda": st.sampled_from([0.0, 0.3, 0.7, 1.0])}),
    st.fixed_dictionaries({"objective": st.just("mmr"), "floor": st.sampled_from([0.2, 0.6])}),
    st.just({"objective": "dpp"}),
    st.just({"objective": "clusters"}),
    st.just({"objective": "coverage"}),
    st.just({"objective": "feedback"}),
)
_collapse = st.fixed_dictionaries(
    {},
    optional={
        "exact": st.booleans(),
        "resemblance": st.sampled_from([False, 0.4, 0.6]),
        "containment": st.sampled_from([False, 0.8]),
        "cosine": st.sampled_from([False, 0.9, 1.0]),
        "confirm": st.sampled_from([0, 0.2]),
        "revisions": st.sampled_from(["keep", "latest", "collapse"]),
        "revision_seats": st.sampled_from([False, 1, 2]),
        "container": st.sampled_from(["rank", "longest"]),
        "representative": st.sampled_from(["score", "earliest", "latest", "longest", "supported"]),
        "window_days": st.sampled_from([False, 30]),
    },
)


def _or_off(table: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.just(False), table)


def policies(**fixed: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Policies over all sections; keyword arguments hold a section fast (`collapse=False`)."""
    drawn: dict[str, st.SearchStrategy[Any]] = {
        "k": st.integers(1, 7),
        "order": st.sampled_from(["selection", "score", "edges"]),
        "scores": st.fixed_dictionaries(
            {"scale": st.sampled_from(["auto", "identity", "logistic", "minmax", "rank"])},
            optional={"minimum": st.sampled_from([0.3, 0.6])},
        ),
        "merge": _or_off(st.just({"gap": 1})),
        "collapse": _or_off(_collapse),
        "canonical": _or_off(st.just({})),
        "quotas": _or_off(_quotas),
        "reserve": _or_off(_reserves),
        "diversity": _diversity,
        "budget": _or_off(
            st.fixed_dictionaries(
                {"tokens": st.integers(0, 80)},
                optional={"counter": st.sampled_from(["estimate", "characters", "words"])},
            )
        ),
    }
    for name, value in fixed.items():
        drawn[name] = value if isinstance(value, st.SearchStrategy) else st.just(value)
    return st.fixed_dictionaries(drawn)


def requests(
    pool: st.SearchStrategy[list[dict[str, Any]]] | None = None, **fixed: Any
) -> st.SearchStrategy[dict[str, Any]]:
    """Whole requests."""
    return st.fixed_dictionaries(
        {
            "query": st.sampled_from(["", "harbour storm"]),
            "candidates": pools() if pool is None else pool,
            "policy": policies(**fixed),
        }
    )
