"""Headers and footers that most pages of one site share: they are no evidence that two pages are the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from reparto.kernels import compare_form

_LEAST = 3  # distinct texts of one source, at least, that share an edge
_WORDS = 20  # of one line: a shorter common beginning is how sentences begin
_LEFT = 3  # words of one line that must remain


def shared_edges(texts: Sequence[str], sources: Sequence[str | None]) -> list[str]:
    """Each text without the first and last lines that most texts of its source share; the same object where none is.

    An edge counts when at least three distinct texts of the source, and more than half of them, have it. Of texts of
    one line it is the common words, and only a long run of them. Where nothing would remain, the text stays whole. A
    text without a source has no site. O(characters) of the sources with three texts or more.
    """
    out = list(texts)
    groups: dict[str, list[int]] = defaultdict(list)
    for i, source in enumerate(sources):
        if source is not None and texts[i].strip():
            groups[source].append(i)
    for members in groups.values():
        if len(members) >= _LEAST and _may_share([texts[i] for i in members]):
            for i, left in zip(members, _trimmed([texts[i] for i in members]), strict=True):
                out[i] = left
    return out


def _may_share(texts: Sequence[str]) -> bool:
    """A quick look: do enough of them begin or end alike, and for long enough? Most sources do not."""
    heads = [text.lstrip()[:8].splitlines()[0].casefold() for text in texts]
    tails = [text.rstrip()[-8:].splitlines()[-1].casefold() for text in texts]
    if not _alike(heads) and not _alike(tails):
        return False
    stripped = [text.strip() for text in texts]
    single = [text.split() for text in stripped if len(text.splitlines()) == 1]
    if _run_of(_WORDS, single) or _run_of(_WORDS, [words[::-1] for words in single]):
        return True
    several = [lines for text in stripped if len(lines := text.splitlines()) > 1]
    return _run_of(1, several) or _run_of(1, [lines[::-1] for lines in several])


def _alike(keys: Sequence[str]) -> bool:
    return len(keys) - len(set(keys)) >= _LEAST - 1 and max(Counter(keys).values()) >= _LEAST


def _run_of(length: int, rows: Sequence[Sequence[str]]) -> bool:
    """Whether enough rows begin with the same `length` items: only as far as some still agree is anything folded."""
    groups = [[row for row in rows if len(row) >= length]]
    for depth in range(length):
        parted: list[list[Sequence[str]]] = []
        for group in groups:
            by_item: dict[str, list[Sequence[str]]] = defaultdict(list)
            for row in group:
                by_item[compare_form(row[depth])].append(row)
            parted += [some for some in by_item.values() if len(some) >= _LEAST]
        groups = parted
    return bool(groups)


def _trimmed(texts: Sequence[str]) -> list[str]:
    lines = [[line for line in text.splitlines() if line.strip()] for text in texts]
    keys = [tuple(compare_form(line) for line in some) for some in lines]
    many = [i for i, some in enumerate(keys) if len(some) > 1]
    out = list(texts)
    for i, (head, foot) in zip(many, _edges([keys[i] for i in many]), strict=True):
        if (head or foot) and any(keys[i][head : len(keys[i]) - foot]):
            out[i] = "\n".join(lines[i][head : len(lines[i]) - foot])
    single = [i for i, some in enumerate(keys) if len(some) == 1]
    words = {i: texts[i].split() for i in single}
    for i, (head, foot) in zip(single, _edges([tuple(map(compare_form, words[i])) for i in single]), strict=True):
        head, foot = (edge if edge >= _WORDS else 0 for edge in (head, foot))
        if (head or foot) and len(words[i]) - head - foot >= _LEFT:
            out[i] = " ".join(words[i][head : len(words[i]) - foot])
    return out


def _edges(rows: Sequence[tuple[str, ...]]) -> list[tuple[int, int]]:
    """For each row how many of its first and of its last items most distinct rows share."""
    distinct = set(rows)
    most = max(_LEAST, len(distinct) // 2 + 1)
    heads = _shared_prefixes(distinct, most)
    feet = _shared_prefixes({row[::-1] for row in distinct}, most)
    found = []
    for row in rows:
        head = _depth(row, heads)
        foot = _depth(row[::-1], feet)
        # Where header and footer would meet, most rows are one text: then neither is boilerplate.
        found.append((head, foot) if head + foot < len(row) else (0, 0))
    return found


def _shared_prefixes(rows: set[tuple[str, ...]], most: int) -> tuple[str, ...]:
    """The longest beginning that enough rows share. More than half share it, so there is but one chain of them."""
    alive = list(rows)
    prefix: tuple[str, ...] = ()
    while True:
        depth = len(prefix)
        following = Counter(row[depth] for row in alive if len(row) > depth)
        item, count = following.most_common(1)[0] if following else ("", 0)
        if count < most:
            return prefix
        prefix = (*prefix, item)
        alive = [row for row in alive if len(row) > depth and row[depth] == item]


def _depth(row: tuple[str, ...], prefix: tuple[str, ...]) -> int:
    depth = 0
    while depth < min(len(row), len(prefix)) and row[depth] == prefix[depth]:
        depth += 1
    return depth
