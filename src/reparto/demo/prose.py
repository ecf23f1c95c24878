"""Marked prose: sentences that say which facts they carry, so that a cut text knows what it lost.

The source form is one sentence a line, `{fact}` marks after it, a blank line between paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

_MARK = re.compile(r"\s*\{([a-z0-9_]+)\}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, the facts it carries, and whether a paragraph begins with it."""

    text: str
    facts: tuple[str, ...]
    opens: bool


@dataclass(frozen=True, slots=True)
class Prose:
    """Sentences in order. Every change makes a new one; facts follow their sentences."""

    sentences: tuple[Sentence, ...]

    @classmethod
    def parse(cls, marked: str) -> Prose:
        """Read the source form."""
        found = []
        for paragraph in re.split(r"\n\s*\n", marked.strip()):
            for number, line in enumerate(paragraph.splitlines()):
                facts = tuple(_MARK.findall(line))
                found.append(Sentence(_MARK.sub("", line).strip(), facts, opens=number == 0))
        return cls(tuple(found))

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts of all sentences, each once, in order of first mention."""
        return tuple(dict.fromkeys(fact for one in self.sentences for fact in one.facts))

    def trimmed(self, tail: int) -> Prose:
        """Without its last `tail` sentences."""
        return Prose(self.sentences[: len(self.sentences) - tail])

    def extended(self, marked: str) -> Prose:
        """With further paragraphs at the end."""
        return Prose(self.sentences + Prose.parse(marked).sentences)

    def swapped(self, words: Iterable[tuple[str, str]], facts: Iterable[tuple[str, str]]) -> Prose:
        """With words replaced, and the facts that those words stated replaced as well."""
        renamed: Mapping[str, str] = dict(facts)
        changed = []
        for one in self.sentences:
            text = one.text
            for old, new in words:
                text = text.replace(old, new)
            names = one.facts if text == one.text else tuple(renamed.get(name, name) for name in one.facts)
            changed.append(replace(one, text=text, facts=names))
        return Prose(tuple(changed))

    def render(self, within: str = " ", between: str = "\n\n") -> str:
        """Plain text, sentences joined by `within` and paragraphs by `between`."""
        return "".join(
            (between if one.opens else within) * (number > 0) + one.text for number, one in enumerate(self.sentences)
        )

    def places(self) -> list[tuple[int, int, tuple[str, ...]]]:
        """Half-open character offsets of each sentence in `render()`, with its facts."""
        found, at = [], 0
        text = self.render()
        for one in self.sentences:
            start = text.index(one.text, at)
            at = start + len(one.text)
            found.append((start, at, one.facts))
        return found


def windows(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Half-open offsets of overlapping windows of about `size` characters that begin and end at words."""
    found: list[tuple[int, int]] = []
    start = 0
    while True:
        end = start + size
        if end >= len(text):
            return [*found, (start, len(text))]
        while end > start and not text[end].isspace():
            end -= 1
        while end > start and text[end - 1].isspace():
            end -= 1
        end = end if end > start else start + size  # one word longer than a window
        found.append((start, end))
        back = max(start + 1, end - overlap)
        start = next((at for at in range(back, end) if text[at - 1].isspace() and not text[at].isspace()), end)
        while start < len(text) and text[start].isspace():
            start += 1
