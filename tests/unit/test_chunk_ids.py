"""Ids of chunks: stable, readable, never shared."""

import itertools

from reparto.corpus.chunking.paragraphs import Paragraphs
from reparto.corpus.indexing import chunks_of
from reparto.documents import Document


def test_one_chunk_keeps_the_documents_id() -> None:
    assert [one.id for one in chunks_of(Document("A", "short"), Paragraphs())] == ["A"]


def test_several_are_numbered_and_hold_their_offsets() -> None:
    text = "One sentence here. Another one there. And a third."
    chunks = list(chunks_of(Document("A", text), Paragraphs(20, 0)))
    assert [one.id for one in chunks] == ["A#1", "A#2", "A#3"]
    assert [text[one.start : one.end] for one in chunks] == [one.text for one in chunks]
    assert [one.text for one in chunks] == ["One sentence here.", "Another one there.", "And a third."]


def test_no_two_chunks_share_an_id() -> None:
    names = ["A", "A#1", "A#1#1", "A#", "#1", "1", "A#x"]
    texts = ["short", "One sentence here. Another one there."]
    for chosen in itertools.product(texts, repeat=len(names)):
        ids = [
            chunk.id
            for name, text in zip(names, chosen, strict=True)
            for chunk in chunks_of(Document(name, text), Paragraphs(20, 0))
        ]
        assert len(ids) == len(set(ids))


def test_a_blank_document_has_no_chunk() -> None:
    assert list(chunks_of(Document("A", " \n "), Paragraphs())) == []


def test_closing_quotes_stay_with_their_sentence() -> None:
    text = '"Stop." "Why?" he asked.'
    assert [text[a:b] for a, b in Paragraphs(9, 0).spans(text)] == ['"Stop."', '"Why?"', "he asked."]
