"""Texts made safe to show: invisible characters stripped, fences that the text itself cannot close."""

from __future__ import annotations

import re
import unicodedata

# Tags, variation selectors, zero-width and bidirectional controls: nothing a reader sees, much that a model reads.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text without invisible and control characters; line breaks and tabs stay."""
    text = _INVISIBLE.sub("", text)
    if text.isprintable():
        return text
    return "".join(
        char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")
    )


def has_invisible(text: str) -> bool:
    """Whether `visible` would change the text."""
    return visible(text) != text


def fence(text: str) -> str:
    """A code fence longer than any run of backticks in the text."""
    runs = [len(run) for run in re.findall("`+", text)]
    return "`" * max(3, max(runs, default=0) + 1)


def one_line(text: str, width: int) -> str:
    """The text on one line, cut to a width."""
    line = " ".join(visible(text[: 8 * width]).split())
    return line if len(line) <= width else line[: width - 1] + "…"
