"""Chunkers, whatever the text: exact offsets, nothing lost, nothing longer than asked."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reparto import registry
from reparto.corpus.chunking import Chunker
from reparto.errors import MissingExtraError

PIECES = st.sampled_from(
    [
        "word",
        "Dr. Smith said. ",
        "\n\n",
        "# Head\n",
        "«¿Qué?» ",
        "北京大学。",
        "\u200d👩‍👩‍👧 ",
        "   ",
        "\t",
        "x" * 90,
        "e\u0301 ",
    ]
)
TEXTS = st.one_of(st.text(max_size=400), st.lists(PIECES, max_size=60).map("".join))


@pytest.fixture(scope="module", params=registry.names("chunkers"))
def name(request: pytest.FixtureRequest) -> str:
    chunker = registry.load("chunkers", request.param)(10, 0)
    try:
        chunker.spans("a b")
    except MissingExtraError as error:
        pytest.skip(str(error))
    return str(request.param)


@given(
    text=TEXTS,
    size=st.integers(20, 120),
    share=st.floats(0, 0.5),
    markup=st.sampled_from(["plain", "markdown", "mail"]),
)
def test_spans(name: str, text: str, size: int, share: float, markup: str) -> None:
    overlap = int(size * share)
    chunker: Chunker = registry.load("chunkers", name)(size, overlap)
    spans = chunker.spans(text, markup)
    assert spans == chunker.spans(text, markup)
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(end - start <= size for start, end in spans)
    assert all(text[start:end].strip() for start, end in spans)
    covered = {at for start, end in spans for at in range(start, end)}
    lost = [at for at, char in enumerate(text) if at not in covered and not char.isspace()]
    # Invisible characters and the marks of Markdown are white space to one splitter or the other.
    assert not [at for at in lost if text[at].isalnum()]
    assert all(one[1] < two[1] for one, two in pairwise(spans)), "no chunk lies within the one before"
    assert all(one[1] - two[0] <= max(overlap, 0) for one, two in pairwise(spans))


@given(text=TEXTS)
def test_a_short_text_is_one_chunk(name: str, text: str) -> None:
    spans = registry.load("chunkers", name)(10_000, 100).spans(text)
    assert len(spans) <= 1
    assert bool(spans) == bool(text.strip()) or not any(char.isalnum() for char in text)
