"""The guard of a corpus: copies are set aside for good here, so a doubt keeps two texts apart.

The fact guard of the kernels has the first word: figures, names and negations that stand in place of one another.
Between two known sources it has the last word too: stamps, and what an outlet says in sentences of its own, are no
disagreement.
Within one source, or where a source is not known, two texts that resemble one another may be two versions of a page,
two laws, two notices of one form. There no two texts are copies of which each is dated, or its lines numbered, as the
other is not; nor those with two versions of one sentence of which one states a figure more, or, in a long sentence,
names what the other text never mentions. Years, days and small counts do not weigh: outlets and editors add and drop
them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from reparto import kernels
from reparto.corpus.sentences import segments

_FIGURE = re.compile(r"\d+")
_WHOLE = re.compile(r"\d+(?:[.,]\d+)+")  # 3.5.26 is a figure too
_NUMBERED = re.compile(r"^[^\w\n]*(\d{1,3})\\?[.)]\s", re.MULTILINE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(
    r"\b\d{1,2}\W{1,3}(?:(?:de|of)\s+)?[^\W\d_]{3,12}\W{1,4}(?:de\s+)?(?:19|20)\d\d\b"
    r"|\b[^\W\d_]{3,12}\W{1,2}\d{1,2}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d\b"
    r"|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.](?:19|20)?\d\d\b"
)
_WORD = re.compile(r"[^\W_]+")
_ASIDE = re.compile(r"\([^()]{0,40}\)")
_NAME = re.compile(r"(?<=[^\s.!?:*_#>-] )[A-ZÀ-ÖØ-Þ][\w'’-]{2,}")
_ALIKE = 0.5  # of the words of the longer of two sentences: one is a version of the other
_LONG = 30  # words: shorter sentences are rewritten freely
_MOST = 400  # sentences left over on a side, of which each is held against each


def agree(a: str, b: str, one_page: bool) -> bool:
    """Whether two texts that resemble one another state the same. `one_page`: of one source, or of an unknown one.

    O(characters), and the product of the sentences that differ.
    """
    return agree_all([(a, b, one_page)])[0]


def agree_all(pairs: Sequence[tuple[str, str, bool]]) -> list[bool]:
    """`agree` of each (a, b, one_page)."""
    revised = kernels.revisions([a for a, _, _ in pairs], [b for _, b, _ in pairs]).tolist()
    return [
        not apart and (not one_page or _one_page(a, b)) for (a, b, one_page), apart in zip(pairs, revised, strict=True)
    ]


def _one_page(a: str, b: str) -> bool:
    for told in (_dates, _numbers):
        mine, yours = told(a), told(b)
        if mine - yours and yours - mine:
            return False
    same = Counter(_FIGURE.findall(a)) == Counter(_FIGURE.findall(b))
    if same and Counter(_NAME.findall(a)) == Counter(_NAME.findall(b)):
        return True
    return not any(
        _figures(one) != _figures(other) or _named(one, other, b) or _named(other, one, a)
        for one, other in _versions(a, b)
    )


def _dates(text: str) -> Counter[tuple[str, ...]]:
    return Counter({tuple(_WORD.findall(one.lower())) for one in _DATE.findall(text)})


def _numbers(text: str) -> Counter[tuple[str, ...]]:
    """How often each number stands before a line: what "section 7" means hangs on it."""
    return Counter((one,) for one in _NUMBERED.findall(text))


def _figures(sentence: str) -> Counter[str]:
    """Figures of a sentence that weigh: of three digits or more, no year, and not aside in brackets."""
    stated = _ASIDE.sub(" ", sentence)
    whole = (one for one in _WHOLE.findall(stated) if len(one) > 4)  # of three digits
    return Counter(one for one in _FIGURE.findall(stated) if len(one) > 2 and not _YEAR.fullmatch(one)) + Counter(whole)


def _named(one: str, other: str, text: str) -> bool:
    """Whether a long sentence has two names, or one in capitals, that the other text never mentions."""
    if min(len(_WORD.findall(one)), len(_WORD.findall(other))) < _LONG:
        return False
    folded = text.lower()
    missing = {name for name in _NAME.findall(one) if name.lower() not in folded}
    return len(missing) > 1 or any(name.isupper() for name in missing)


def _versions(a: str, b: str) -> list[tuple[str, str]]:
    """Sentences of both texts that are not equal and share most of their words."""
    ours, theirs = segments(a), segments(b)
    spare = Counter(one.strip() for one in ours) & Counter(one.strip() for one in theirs)
    left, right = _left(ours, spare), _left(theirs, spare)
    if not left or not right:
        return []
    words = [Counter(_WORD.findall(one.lower())) for one in right]
    found = []
    for one in left:
        own = Counter(_WORD.findall(one.lower()))
        shared = [sum((own & other).values()) for other in words]
        at = max(range(len(right)), key=shared.__getitem__)
        if shared[at] >= _ALIKE * max(own.total(), words[at].total(), 1):
            found.append((one, right[at]))
    return found


def _left(some: Sequence[str], spare: Counter[str]) -> list[str]:
    held, out = Counter(spare), []
    for one in (part.strip() for part in some):
        if held[one] > 0:
            held[one] -= 1
        elif one:
            out.append(one)
    return out[:_MOST]
