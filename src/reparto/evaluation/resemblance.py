"""When two delivered texts resemble: the fixed ruler of the measures and of the report, whatever the
policy.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

WORDS, CHARACTERS = 5, 9
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


@lru_cache(maxsize=65536)
def shingles(text: str) -> frozenset[str]:
    """Shingles of the comparison form: 5 words, or 9 characters where the script has no spaces."""
    form = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()
    words = re.findall(r"\w+", form)
    if len(_UNSPACED.findall(form)) * 2 > len("".join(words)) > 0:
        joined = "".join(words)
        return frozenset(joined[i : i + CHARACTERS] for i in range(max(len(joined) - CHARACTERS + 1, 1)))
    if not words:
        return frozenset([form]) if form else frozenset()
    return frozenset(" ".join(words[i : i + WORDS]) for i in range(max(len(words) - WORDS + 1, 1)))


def alike(texts: Sequence[str], at: float) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, whose shingle Jaccard is at least `at`; a text without shingles resembles
    nothing.
    """
    sets = [shingles(text) for text in texts]
    pairs = []
    for (i, a), (j, b) in combinations(enumerate(sets), 2):
        if a and b and min(len(a), len(b)) >= at * max(len(a), len(b)):
            shared = len(a & b)
            if shared >= at * (len(a) + len(b) - shared):
                pairs.append((i, j))
    return pairs
