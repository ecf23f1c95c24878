"""What of a text is compared: of mail its new part, of a page what is not a header or footer of its site."""

from __future__ import annotations

from collections.abc import Sequence

from reparto.groupings.boilerplate import shared_edges
from reparto.groupings.mail import new_text
from reparto.model import Entry


def compared_texts(entries: Sequence[Entry]) -> list[str]:
    """For each entry the text that stands for it in comparisons; the same object where nothing is left out."""
    texts = [_without_quotes(entry.text) for entry in entries]
    return shared_edges(texts, [entry.candidate.source for entry in entries])


def _without_quotes(text: str) -> str:
    new, quoted = new_text(text)
    return new if quoted and new.strip() else text
