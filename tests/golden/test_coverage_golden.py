"""Coverage's seats and values on one small pool, frozen: a change of the formula must be meant."""

from __future__ import annotations

import numpy as np
import pytest

from reparto import select

PASSAGES = (
    ("a", "The storm cut the harbour cable at 23:40 and the eastern quarter lost power.", 9.0, 0.0),
    ("b", "At 23:40 the storm cut the harbour cable; power was lost in the eastern quarter.", 8.8, 0.1),
    ("c", "Hospitals ran on diesel generators until Thursday noon, the ministry said.", 7.9, 0.9),
    ("d", "Insulators from the 1984 refit had corroded, the operator's engineers found.", 7.5, 1.2),
    ("e", "The cable was repaired on Thursday and trams run again between port and castle.", 7.1, 0.5),
    ("f", "Repairs cost 2.3 million euros, paid from the insurance of the port authority.", 6.4, 1.0),
    ("g", "A new bakery opens near the castle and sells rye bread with caraway.", 5.0, 2.9),
)


def seats(vectors: bool) -> list[tuple[str, float]]:
    """All seven seats with their values."""
    rows = [
        {"id": id, "text": text, "score": score, "document": id}
        | ({"vector": np.array([np.cos(angle), np.sin(angle)])} if vectors else {})
        for id, text, score, angle in PASSAGES
    ]
    policy = {"collapse": False, "diversity": {"objective": "coverage"}}
    chosen = select({"query": "harbour storm", "query_class": "survey", "k": 7, "candidates": rows, "policy": policy})
    return [(one.id, one.value) for one in chosen.seats]


@pytest.mark.parametrize(
    ("vectors", "expected"),
    [
        (
            True,
            [
                ("b", 0.8429706812),
                ("c", 0.7183073043),
                ("e", 0.1938082238),
                ("d", 0.0945286756),
                ("a", 0.0063813837),
                ("f", 0.0051620049),
                ("g", 4.3116e-08),
            ],
        ),
        (
            False,
            [
                ("a", 0.8849343398),
                ("c", 0.7973070079),
                ("b", 0.7866090025),
                ("d", 0.7401031511),
                ("e", 0.6688681599),
                ("f", 0.6137192954),
                ("g", 0.470369033783),
            ],
        ),
    ],
)
def test_the_frozen_order(vectors: bool, expected: list[tuple[str, float]]) -> None:
    """Ids exactly, values to nine digits. With vectors one of two wordings waits; the stranger g is last."""
    found = seats(vectors)
    assert [id for id, _ in found] == [id for id, _ in expected]
    assert [value for _, value in found] == pytest.approx([value for _, value in expected], abs=1e-9)
