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
                ("b", 0.8435652759),
                ("c", 0.7151194214),
                ("e", 0.285088075),
                ("d", 0.1535661851),
                ("a", 0.0096142607),
                ("f", 0.0075017482),
                ("g", 1.496e-07),
            ],
        ),
        (
            False,
            [
                ("a", 0.882799072),
                ("c", 0.7863502604),
                ("b", 0.7834834015),
                ("d", 0.7261493029),
                ("e", 0.652608227),
                ("f", 0.5916005958),
                ("g", 0.4402578296),
            ],
        ),
    ],
)
def test_the_frozen_order(vectors: bool, expected: list[tuple[str, float]]) -> None:
    """Ids exactly, values to nine digits. With vectors one of two wordings waits; the stranger g is last."""
    found = seats(vectors)
    assert [id for id, _ in found] == [id for id, _ in expected]
    assert [value for _, value in found] == pytest.approx([value for _, value in expected], abs=1e-9)
