"""How many independent texts a set of seats is, and when it is warned that there is but one."""

from __future__ import annotations

import reparto
from reparto.resemblance import resemblance_matrix

HEAD = (
    "Litoral Daily - all the news of the coast, every morning since 1921\nHome | News | Sport | Culture | Subscribe now"
)
FOOT = "Copyright Litoral Daily. All rights reserved. No part of this page may be copied without the publisher's permission."
STORIES = [
    "The ferry to Mill Island stays in harbour until the crane is repaired.",
    "Councillors put off the vote on the dam to the last week of winter.",
    "An orchard above the glacier has borne fruit for the first time.",
]


def test_pages_that_share_only_their_frame_are_independent():
    texts = [f"{HEAD}\n{story}\n{FOOT}" for story in STORIES]
    assert resemblance_matrix(texts).min() > 0.3  # what would tell them for one text
    selection = reparto.select({
        "query": "news", "policy": {"k": 3},
        "candidates": [{"id": f"p{i}", "score": 0.9, "source": "daily", "text": text} for i, text in enumerate(texts)],
    })  # fmt: skip
    assert selection.report["independent_texts"] == 3
    assert [one["code"] for one in selection.to_dict()["warnings"]] == []


def test_variants_of_one_story_are_one_text():
    fees = [f"{STORIES[0]} The fee for cars is {fee} crowns a crossing, and bicycles are free." for fee in (20, 25, 30)]
    selection = reparto.select({
        "query": "fee", "policy": {"k": 3, "collapse": {"revision_seats": False}},
        "candidates": [{"id": f"p{i}", "score": 0.9, "source": f"s{i}", "text": text} for i, text in enumerate(fees)],
    })  # fmt: skip
    assert len(selection.seats) == 3
    assert selection.report["independent_texts"] == 1
    assert [one["code"] for one in selection.to_dict()["warnings"]] == ["one_text"]
