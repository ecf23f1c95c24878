"""Wire credits and canonical addresses: what is recognised, and what is not."""

import pytest

from reparto.corpus.urls import canonical_url
from reparto.corpus.wire import wire_credit

CREDITS = [
    ("WASHINGTON (AP) — The Senate voted.", "AP", "dateline"),
    ("WASHINGTON, March 3 (Reuters) - Oil rose.", "Reuters", "dateline"),
    ("MADRID, 3 Mar. (EUROPA PRESS) - El Gobierno aprobó", "Europa Press", "dateline"),
    ("Madrid, 3 mar (EFE).- El presidente", "EFE", "dateline"),
    ("PARIS (AFP) - The minister", "AFP", "dateline"),
    ("Berlin (dpa) - Der Kanzler", "dpa", "dateline"),
    ("(ANSA) - ROMA, 3 MAR - Il governo", "ANSA", "dateline"),
    ("BEIJING, March 3 (Xinhua) -- China", "Xinhua", "dateline"),
    ("MOSCOW, March 3. /TASS/. Russian", "TASS", "dateline"),
    ("LONDON (AP/Reuters) - Text", "AP", "dateline"),
    ("TOKYO -- (Reuters) -- Text", "Reuters", "dateline"),
    ("By Jane Doe, Associated Press\n\nText goes on here.", "AP", "byline"),
    ("By JANE DOE\nAssociated Press\n\nThe text.", "AP", "byline"),
    ("EFE | Madrid\nEl texto sigue.", "EFE", "byline"),
    ("The story. It ends here.\nSource: Xinhua", "Xinhua", None),
    ("El texto termina. Fuente: Europa Press", "Europa Press", None),
    ("A story about things.\n© 2024 AFP", "AFP", None),
    ("A story. (With reporting by AFP)", "AFP", None),
    ("Der Text endet. dpa", "dpa", None),
    ("Some text ends.\nCopyright 2024 The Associated Press. All rights reserved.", "AP", None),
]


@pytest.mark.parametrize(("text", "agency", "by"), CREDITS)
def test_credits(text, agency, by):
    found = wire_credit(text)
    assert found is not None
    assert found.agency == agency
    assert by is None or found.by == by


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Reuters said that its profit rose.",
        "The AP exam is in May and students prepare.",
        "He told the Associated Press that it was over. Then more text follows.",
        "According to Reuters, the company will close.",
        "AP classes are hard. Many take them.",
        "Un portavoz dijo a EFE que no.",
        "The Europa Press building burned.",
        "DPA rules apply to processors of data.",
        "Moscú, 3 mar (Sputnik).- Texto",
    ],
)
def test_what_is_no_credit(text):
    assert wire_credit(text) is None


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("http://Example.com:80/a/?utm_source=x&b=2&a=1#top", "https://example.com/a?a=1&b=2"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com/a//?fbclid=1", "https://example.com/a"),
        ("urn:isbn:1", "urn:isbn:1"),
        ("http://[broken", "http://[broken"),
        (None, None),
        ("", None),
    ],
)
def test_canonical_addresses(url, canonical):
    assert canonical_url(url) == canonical
    assert canonical_url(canonical) == canonical
