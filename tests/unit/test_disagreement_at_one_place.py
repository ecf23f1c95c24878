"""Two texts that both disagree with a third need not disagree with one another."""

from __future__ import annotations

import reparto
from reparto.demo import feed

TEXTS = {one["id"]: one["text"] for line in feed() for one in line["candidates"]}
STORY = """A fire in a transformer cut the power to {homes} homes in the port city on Tuesday evening.
The lights went out in four districts and trams stopped where they stood. Nobody was hurt.
Supply came back district by district during the night."""


def fates(*texts: str) -> dict[str, tuple[str, str | None, str]]:
    candidates = [{"id": f"c{n}", "text": text, "score": 0.9 - n / 10} for n, text in enumerate(texts)]
    selection = reparto.select({"candidates": candidates, "query_class": "survey", "k": 8})
    return {one.id: (str(one.fate), one.by, str(one.relation)) for one in selection.decisions}


def test_carriers_of_the_old_figure_are_copies_of_each_other_under_a_correction() -> None:
    # One differs from the correction in figure and dateline, the other in the figure alone.
    found = fates(TEXTS["wire-correction"], TEXTS["wire-courier"], TEXTS["wire-causeway"])
    assert found["c1"] == ("seated", "c0", "revision")
    assert found["c2"] == ("copy", "c1", "near")


def test_a_template_filled_in_three_ways_is_three_texts() -> None:
    found = fates(*(STORY.format(homes=count) for count in ("41,000", "48,300", "52,700")))
    assert [found[id][0] for id in ("c0", "c1", "c2")] == ["seated"] * 3
    assert [found[id][2] for id in ("c1", "c2")] == ["revision"] * 2
