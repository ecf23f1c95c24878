"""Text that UTF-8 can write: JSON carries half a character (a lone surrogate), no store or tokenizer takes one."""

from __future__ import annotations


def is_encodable(text: str) -> bool:
    """Whether a text holds no lone surrogate. O(characters)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def encodable(text: str) -> str:
    """The text with a question mark for every lone surrogate. O(characters)."""
    return text if is_encodable(text) else text.encode("utf-8", "replace").decode("utf-8")
