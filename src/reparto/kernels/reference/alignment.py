"""Which sentences of two texts belong together, and how two such sentences differ.

Equal sentences cancel out wherever they stand, so a moved paragraph is no difference; of the rest, those that share
most of their tokens are paired, and a longest common subsequence tells what was replaced. Cost: linear in the texts,
quadratic only in the differing middle of two long sentences, and there bounded (patience on tokens that occur once).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reparto.kernels.reference.folding import SEPARATOR, SYMBOL, WORD, folding
from reparto.kernels.reference.wording import Token

_END = re.compile(
    "[.!?…]+[\"'”’»)\\]]*[ \t\u00a0]+|[。！？｡]+[\"'”’」』）]*"
    "|[ \t]*[\n\r\v\f\u0085\u2028\u2029][ \t\n\r\v\f\u0085\u00a0\u2028\u2029]*"
)
_SPACE = re.compile("[ \t\n\r\v\f\u0085\u00a0\u2028\u2029\u3000]+")
_WRAPPED = 40  # characters: a line at least this long that ends in no full stop goes on in the next
_CELLS = 40_000  # of a table of common subsequences; beyond, unique tokens anchor
_COMMON = 24  # a token in more sentences than that pairs none of them


def sentences(text: str) -> list[str]:
    """Sentences and lines of a text in order, white space folded; wrapped lines are joined. O(characters)."""
    found, start, line = [], 0, 0
    for end in _END.finditer(text):
        stop = end.start()
        broken = any(char in "\n\r\v\f\x85\u2028\u2029" for char in end[0])
        # "J. Smith", "U.S. troops": an initial ends no sentence.
        if text[stop] == "." and stop and _is_initial(text[max(0, stop - 2) : stop]):
            if not broken:
                continue
        elif broken and _goes_on(text, line, stop, end.end(), end[0]):
            line = end.end()
            continue
        found.append(text[start : end.end()])
        start = end.end()
        line = end.end() if broken else line
    found.append(text[start:])
    return [folded for one in found if (folded := _SPACE.sub(" ", one).strip(" "))]


def _goes_on(text: str, line: int, stop: int, after: int, gap: str) -> bool:
    """Whether a line break is but a wrapped line."""
    if gap.count("\n") > 1 or after >= len(text) or text[stop] in ".!?…":
        return False
    if stop and text[stop - 1] in ".!?…:;":
        return False
    table, following = folding(), text[after]
    kind = table.kinds[ord(following)]
    if kind == WORD and not table.capitals.match(following):
        return True
    return stop - line >= _WRAPPED and kind not in (SEPARATOR, SYMBOL)


def _is_initial(before: str) -> bool:
    """Whether a full stop follows one capital letter: `J.`, `U.S.`"""
    table = folding()
    return table.capitals.match(before[-1]) is not None and (len(before) < 2 or table.kinds[ord(before[0])] != WORD)


def unmatched(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """What is left of two lists after equal items cancel out, in order."""
    spare = Counter(a) & Counter(b)
    return _without(a, spare.copy()), _without(b, spare)


def _without(items: Sequence[str], spare: Counter[str]) -> list[str]:
    left = []
    for item in items:
        if spare[item] > 0:
            spare[item] -= 1
        else:
            left.append(item)
    return left


def paired(a: Sequence[Sequence[Token]], b: Sequence[Sequence[Token]]) -> list[tuple[int, int]]:
    """Sentences that belong together: those that share most, one to one, best first; then short ones left over."""
    sets_a = [Counter(token.key for token in one) for one in a]
    sets_b = [Counter(token.key for token in one) for one in b]
    where: dict[str, list[int]] = {}
    for j, keys in enumerate(sets_b):
        for key in keys:
            where.setdefault(key, []).append(j)
    ranked = []
    for i, keys in enumerate(sets_a):
        partners = {j for key in keys if len(where.get(key, ())) <= _COMMON for j in where.get(key, ())}
        for j in partners:
            shared = sum((keys & sets_b[j]).values())
            small, large = sorted((keys.total(), sets_b[j].total()))
            if 2 * shared >= large or (3 * shared >= 2 * small and small >= 3):
                ranked.append((-2 * shared / (small + large), abs(i - j), i, j))
    free_a, free_b, found = set(range(len(a))), set(range(len(b))), []
    for _, _, i, j in sorted(ranked):
        if i in free_a and j in free_b:
            free_a.remove(i)
            free_b.remove(j)
            found.append((i, j))
    # Cells of a table or a list: too short to share anything when they differ.
    short_a = [i for i in sorted(free_a) if len(a[i]) <= 4]
    short_b = [j for j in sorted(free_b) if len(b[j]) <= 4]
    if len(short_a) == len(short_b):
        found += zip(short_a, short_b, strict=True)
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch a[start_a:end_a] that stands where b[start_b:end_b] does; one of them may be empty."""

    start_a: int
    end_a: int
    start_b: int
    end_b: int


def changes(a: Sequence[str], b: Sequence[str]) -> list[Change]:
    """Stretches of two token sequences outside their longest common subsequence, in order."""
    found: list[Change] = []
    _compare(a, 0, len(a), b, 0, len(b), found)
    merged: list[Change] = []
    for one in found:
        if merged and merged[-1].end_a == one.start_a and merged[-1].end_b == one.start_b:
            one = Change(merged[-1].start_a, one.end_a, merged.pop().start_b, one.end_b)
        merged.append(one)
    return merged


def _compare(a: Sequence[str], i: int, m: int, b: Sequence[str], j: int, n: int, found: list[Change]) -> None:
    while i < m and j < n and a[i] == b[j]:
        i, j = i + 1, j + 1
    while i < m and j < n and a[m - 1] == b[n - 1]:
        m, n = m - 1, n - 1
    if i == m or j == n:
        if i < m or j < n:
            found.append(Change(i, m, j, n))
    elif (m - i) * (n - j) <= _CELLS:
        _table(a, i, m, b, j, n, found)
    else:
        _anchored(a, i, m, b, j, n, found)


def _table(a: Sequence[str], i: int, m: int, b: Sequence[str], j: int, n: int, found: list[Change]) -> None:
    rows, columns = m - i, n - j
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for x in range(rows - 1, -1, -1):
        row, below = best[x], best[x + 1]
        for y in range(columns - 1, -1, -1):
            row[y] = below[y + 1] + 1 if a[i + x] == b[j + y] else max(below[y], row[y + 1])
    x = y = 0
    while x < rows or y < columns:
        from_x, from_y = x, y
        while (x < rows or y < columns) and not (x < rows and y < columns and a[i + x] == b[j + y]):
            if y == columns or (x < rows and best[x + 1][y] >= best[x][y + 1]):
                x += 1
            else:
                y += 1
        if (x, y) != (from_x, from_y):
            found.append(Change(i + from_x, i + x, j + from_y, j + y))
        while x < rows and y < columns and a[i + x] == b[j + y]:
            x, y = x + 1, y + 1


def _anchored(a: Sequence[str], i: int, m: int, b: Sequence[str], j: int, n: int, found: list[Change]) -> None:
    """Patience: tokens that occur once on each side anchor, in their longest increasing run; between them, again."""
    once_a = Counter(a[i:m])
    once_b = Counter(b[j:n])
    at_b = {key: j + y for y, key in enumerate(b[j:n]) if once_b[key] == 1}
    points = [(i + x, at_b[key]) for x, key in enumerate(a[i:m]) if once_a[key] == 1 and key in at_b]
    if not points:
        found.append(Change(i, m, j, n))
        return
    for x, y in [*_increasing(points), (m, n)]:
        _compare(a, i, x, b, j, y, found)
        i, j = x, y


def _increasing(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of points that ascends in both coordinates (points ascend in the first)."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, y) in enumerate(points):
        at = bisect_left(tails, y)
        before.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(y)
            ends.append(index)
        else:
            tails[at], ends[at] = y, index
    run, index = [], ends[-1]
    while index >= 0:
        run.append(points[index])
        index = before[index]
    return run[::-1]
