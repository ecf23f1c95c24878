"""What of a text is compared: of mail its new part, of a page what is not a header or footer of its site."""

from __future__ import annotations

from collections.abc import Sequence

from reparto.groupings.boilerplate import shared_edges
from reparto.model import Entry


def compared_texts(entries: Sequence[Entry], messages: Sequence[tuple[str, str]]) -> list[str]:
    """For each entry the text that stands for it in comparisons; the same object where nothing is left out.

    `messages` holds of each text its new part and what it quotes.
    """
    texts = [
        new if quoted and new.strip() else entry.text for entry, (new, quoted) in zip(entries, messages, strict=True)
    ]
    return shared_edges(texts, [entry.candidate.source for entry in entries])
