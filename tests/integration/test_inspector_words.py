"""The page's languages: a complete table, a fair choice, numbers as they are written."""

from __future__ import annotations

import re
import string
from importlib.resources import files

import pytest

for module in ("fastapi", "jinja2", "tomli_w"):
    pytest.importorskip(module, reason="the inspector needs the extra `service`")

from reparto.model import Fate, Relation
from reparto.service.inspector.words import LANGUAGES, Words, choose, table
from reparto.stages.constraints import Round

ROOT = files("reparto.service.inspector")
TEMPLATES = {one.name: one.read_text(encoding="utf-8") for one in ROOT.joinpath("templates").iterdir()}
SOURCES = [one.read_text(encoding="utf-8") for one in ROOT.iterdir() if one.name.endswith(".py")]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", table())
def test_every_text_is_there_in_every_language_with_the_same_placeholders(key):
    texts = table()[key]
    assert set(texts) == set(LANGUAGES)
    assert all(text.strip() for text in texts.values())
    assert len({frozenset(fields(text)) for text in texts.values()}) == 1


def test_every_key_that_a_template_names_is_in_the_table():
    whole, begun = set(), set()
    for text in [*TEMPLATES.values(), *SOURCES]:
        for name in re.findall(r"""\b(?:t|words)\(f?["']([a-z_.]+)["']""", text):
            (begun if name.endswith(".") else whole).add(name)
        for name in re.findall(r"""\b(?:t|words)\.count\(["']([a-z_.]+)["']""", text):
            whole |= {f"{name}.one", f"{name}.many"}
    assert len(whole) > 100
    assert whole <= set(table())
    for prefix in begun:
        assert any(key.startswith(prefix) for key in table()), prefix


def test_no_key_is_left_over():
    text = "\n".join([*TEMPLATES.values(), *SOURCES])
    composed = (
        "fate.",
        "losers.",
        "why.",
        "mark.",
        "field.",
        "evidence.",
        "about.",
        "seat.plus",
        "seat.minus",
        "seats.hint.",
        "settings.document",
        "settings.source",
        "map.cosine",
        "map.resemblance",
        "map.mixed",
        "title.",
        "compare.set.",
        "compare.sets.",
        "compare.answers.",
        "compare.preferred.",
    )
    left = [key for key in table() if f'"{key}"' not in text and not key.startswith(composed)]
    left = [key for key in left if f'"{key.rpartition(".")[0]}"' not in text]
    assert not left


def test_every_fate_relation_and_round_has_words():
    keys = set(table())
    for fate in Fate:
        assert f"fate.{fate}" in keys
        assert fate is Fate.SEATED or f"losers.{fate}" in keys
    assert {f"why.copy.{relation}" for relation in Relation} <= keys
    assert {f"mark.{round.name.lower()}" for round in Round if round not in (Round.SHARE, Round.NEVER)} <= keys


@pytest.mark.parametrize(
    ("asked", "cookie", "accept", "expected"),
    [
        (None, None, "", "en"),
        (None, None, "es-MX,es;q=0.9,en;q=0.8", "es"),
        (None, None, "fr,de;q=0.9", "en"),
        (None, None, "fr;q=1,es;q=0.4,en;q=0.3", "es"),
        (None, None, "en;q=0,es;q=0.1", "es"),
        (None, None, "es;q=nonsense, en", "en"),
        (None, None, "es;q=nan", "en"),
        (None, "es", "en", "es"),
        ("en", "es", "es", "en"),
        ("xx", None, "es", "es"),
    ],
)  # fmt: skip
def test_the_language_is_the_one_asked_for_kept_or_liked_best(asked, cookie, accept, expected):
    assert choose(asked, cookie, accept).language == expected


def test_numbers_are_written_as_the_language_writes_them():
    en, es = Words("en"), Words("es")
    assert (en.number(1234.5, 1), es.number(1234.5, 1)) == ("1,234.5", "1\u202f234,5")
    assert (en.number(-0.25, 2), es.number(-0.25, 2)) == ("−0.25", "−0,25")
    assert en.number(-0.0001, 2) == "0.00"
    assert (en.share(0.5), es.share(0.5), en.share(None)) == ("50%", "50\u202f%", "–")
    assert [en.lam(value) for value in (0.5, 0.125, 0.00012345)] == ["0.50", "0.125", "0.0001"]
    assert en.count("about.seats", 1) == "1 seat"
    assert es.count("about.seats", 8) == "8 asientos"


def test_an_unknown_mark_is_shown_under_its_own_name():
    assert Words("es").mark("mark.quota", "source") == "cuota por medio"
    assert Words("en").mark("mark.novel", "thing") == "novel thing"
