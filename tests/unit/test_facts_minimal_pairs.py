"""Minimal pairs, by file of `fact_pairs`: one fact more, less or other, and the same facts in another spelling.

A line is {"label": "revision" | "copy", "a", "b"}; both orders and both kernels must say so.
"""

import json
from pathlib import Path

import pytest

from reparto.kernels import facts
from reparto.kernels.reference.facts import facts as reference

FILES = sorted(Path(__file__).with_name("fact_pairs").glob("*.jsonl"))
PAIRS = [json.loads(line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]


def test_the_pairs_are_there():
    assert {file.stem for file in FILES} == {"edited", "english", "other_languages"}
    assert {pair["label"] for pair in PAIRS} == {"revision", "copy"}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['label']}: {pair['a'][:40]}")
def test_a_minimal_pair_is_what_its_label_says(pair):
    a, b = pair["a"], pair["b"]
    assert facts(a, b).kind == facts(b, a).kind == reference(a, b).kind == pair["label"]
