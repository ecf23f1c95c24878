"""The fact guard: do two near-identical texts say the same? Facts decide, whatever the similarity.

Sentences are aligned, and only what stands in place of something else is judged: a figure, date, identifier or unit
against another, a negation on one side, words of opposite meaning, another name, the same words in another order.
What one text simply lacks (a tail, a lead, a sentence) is no disagreement, nor are datelines, bylines, credits,
typography, number formats and spelling. English and Spanish in full; months, weekdays, numbers and common opposites in
French, German, Italian and Portuguese; figures, names, order and common negations in any language. Scripts without
spaces and capitals do not tell names from words: there a short stretch in place of another counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reparto.kernels.reference.alignment import Change, changes, paired, sentences, unmatched
from reparto.kernels.reference.credits import without_credits
from reparto.kernels.reference.form import cased_form
from reparto.kernels.reference.lexicon import Lexicon, lexicon
from reparto.kernels.reference.unspaced import unspaced_names
from reparto.kernels.reference.wording import FIGURE, IDENTIFIER, LABEL, PLAIN, WEAK_FIGURE, Token, tokens

_NAMES = 8
_BRIEF, _LISTED = 2, 24  # tokens: one name may stand in place of a list of them
_SHORT = 6  # tokens: in a longer stretch words are rewritten, not exchanged
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "anti", "des", "mis")
_HARD = (FIGURE, IDENTIFIER)
_ROMAN = re.compile("[IVXLCDM]+")
_FEW = 3  # changes: with more, a sentence of an unspaced script is reworded
_TEMPORAL = ("month", "day", "near", "half", "span", "calendar", "season", "noon", "zone")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What stands where, as written, and why it counts.

    `why` is `figure`, `unit`, `negation`, `opposite`, `name`, `order` or a class
    of words such as `month` or `day`.
    """

    a: str
    b: str
    why: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """`copy` when nothing disagrees, else `revision` with the disagreements found, in the order of the text."""

    kind: str
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def revision(self) -> bool:
        """Whether the two disagree."""
        return bool(self.disagreements)

    @property
    def ours(self) -> tuple[str, ...]:
        """The disagreeing words of the first text, a string for each place; "" where only the second has something."""
        return tuple(one.a for one in self.disagreements)

    @property
    def theirs(self) -> tuple[str, ...]:
        """The disagreeing words of the second text."""
        return tuple(one.b for one in self.disagreements)


def facts(a: str, b: str) -> Verdict:
    """Compare what two near-identical texts state. Symmetric in its kind.

    Takes the original texts, since capitals tell names. O(characters) and a bounded table for each pair of sentences.
    """
    if a == b:
        return Verdict("copy")
    if (len(a), a) > (len(b), b):  # ties in the alignment fall the same way whichever text comes first
        turned = facts(b, a)
        return Verdict(turned.kind, tuple(Disagreement(one.b, one.a, one.why) for one in turned.disagreements))
    left_a, left_b = unmatched(sentences(a), sentences(b))
    left_a, left_b = unmatched([cased_form(one) for one in left_a], [cased_form(one) for one in left_b])
    told_a, told_b = _told(left_a), _told(left_b)
    together = [(told_a[i], told_b[j]) for i, j in paired(told_a, told_b)]
    found = [one for sides in together for one in disagreements(*sides)]
    return verdict(found or _other_names(together, a, b))


def verdict(found: Sequence[Disagreement]) -> Verdict:
    """A copy where nothing disagrees, else a revision."""
    return Verdict("revision" if found else "copy", tuple(found))


def _told(left: Sequence[str]) -> list[list[Token]]:
    stated = [without_credits(one) for one in left]
    return [one for one in tokens([one for one in stated if one]) if one]


def disagreements(a: Sequence[Token], b: Sequence[Token]) -> list[Disagreement]:
    """What two sentences that belong together disagree on."""
    words = lexicon()
    found: list[Disagreement] = []
    moved: list[tuple[Change, list[Token], list[Token]]] = []
    spare_a = Counter(one.key for one in a if one.kind in _HARD) - Counter(one.key for one in b)
    spare_b = Counter(one.key for one in b if one.kind in _HARD) - Counter(one.key for one in a)
    found_changes = changes([one.key for one in a], [one.key for one in b])
    for change in found_changes:
        old, new = list(a[change.start_a : change.end_a]), list(b[change.start_b : change.end_b])
        moved.append((change, old, new))
        why = _figures(old, new, spare_a, spare_b, words) or _negated(old, new, words)
        if not why and old and new and max(len(old), len(new)) <= _SHORT:
            why = _classes(old, new, words) or _opposed(old, new)
            if not why and len(found_changes) <= _FEW:
                why = unspaced_names(old, new, change, a, b, words)
        brief, long = sorted((len(old), len(new)))
        if not why and brief and (long <= _NAMES or (brief <= _BRIEF and _list_of_names(old, new, words))):
            why = _named(old, new, change, a, b, words)
        if why:
            found.append(_told_apart(old, new, why))
    if not found and (swap := _swapped(moved, a, words)):
        found.append(swap)
    if not found and spare_a and spare_b:
        found.append(Disagreement(" ".join(spare_a), " ".join(spare_b), "figure"))
    return found


def _told_apart(old: Sequence[Token], new: Sequence[Token], why: str) -> Disagreement:
    return Disagreement(" ".join(one.surface for one in old), " ".join(one.surface for one in new), why)


def _figures(
    old: Sequence[Token], new: Sequence[Token], spare_a: Counter[str], spare_b: Counter[str], words: Lexicon
) -> str:
    mine = [one for one in old if one.kind in _HARD and spare_a[one.key]]
    yours = [one for one in new if one.kind in _HARD and spare_b[one.key]]
    if mine and yours:
        return "figure"
    # A figure in place of a word, one for one: "page 3", "page A"; "one" in place of a figure.
    if (mine or yours) and len(old) == len(new) == 1:
        return "" if _ordinal(old[0], new[0], words) else "figure"
    if (
        (mine or yours)
        and len(old) == len(new)
        and any(_miscounted(x, y, words) for x, y in zip(old, new, strict=True))
    ):
        return "figure"
    weak = any(one.kind == WEAK_FIGURE for one in (*old, *new))
    return "figure" if weak and (mine or yours) and len(old) == len(new) else ""


def _miscounted(one: Token, other: Token, words: Lexicon) -> bool:
    """`2` and a word that counts something else: `a year`, `two years`."""
    if (one.kind in _HARD) == (other.kind in _HARD):
        return False
    word = other if one.kind in _HARD else one
    counts = any(name in ("count", "single") for name, _ in words.classes.get(word.key, ()))
    return counts and not _ordinal(one, other, words)


def _ordinal(one: Token, other: Token, words: Lexicon) -> bool:
    """`1st` and `first`; `3` and a word for it; `4` and `IV`."""
    figure, word = (one, other) if one.kind in _HARD else (other, one)
    counts = not re.match("[0-9]+[^0-9]", figure.surface)
    if counts and _ROMAN.fullmatch(word.surface):
        return str(_roman(word.surface)) == figure.key
    told = ("count", "single") if counts else ("ordinal",)
    return any(name in told and value == figure.key for name, value in words.classes.get(word.key, ()))


def _roman(numeral: str) -> int:
    values = ["IVXLCDM".index(letter) for letter in numeral]
    values = [10 ** (at // 2) * (5 if at % 2 else 1) for at in values]
    return sum(-x if x < y else x for x, y in zip(values, [*values[1:], 0], strict=True))


def _negated(old: Sequence[Token], new: Sequence[Token], words: Lexicon) -> str:
    mine = sum(one.key in words.negations for one in old)
    yours = sum(one.key in words.negations for one in new)
    if mine == yours:
        return ""
    # A longer stretch that one side lacks is a cut, and a longer one in place of another is a rewording.
    return "negation" if max(len(old), len(new)) <= (3 if old and new else 4) else ""


def _classes(old: Sequence[Token], new: Sequence[Token], words: Lexicon) -> str:
    mine, yours = _values(old, words), _values(new, words)
    for name in mine:
        # "due" and "six" count in one language and mean something else in the next.
        if name in yours and not mine[name] & yours[name] and (name != "count" or len(old) == len(new)):
            return name
    return ""


def _values(some: Sequence[Token], words: Lexicon) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for one in some:
        if one.key.startswith("unit:"):
            values.setdefault("unit", set()).add(one.key[5:])
        for name, value in words.classes.get(one.key, ()):
            values.setdefault(name, set()).add(value)
    return values


def _opposed(old: Sequence[Token], new: Sequence[Token]) -> str:
    """`lawful` against `unlawful`; `Group A` against `Group B`; `Henry VII` against `Henry VIII`."""
    if len(old) != len(new):
        return ""
    for x, y in zip(old, new, strict=True):
        if x.kind == y.kind == LABEL:
            return "name"
        if _ROMAN.fullmatch(x.surface) and _ROMAN.fullmatch(y.surface):
            return "figure"
        short, long = sorted((x.key, y.key), key=len)
        if len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES):
            return "opposite"
    return ""


def _named(
    old: Sequence[Token], new: Sequence[Token], change: Change, a: Sequence[Token], b: Sequence[Token], words: Lexicon
) -> str:
    """Another proper name in the same place, one that the other sentence has nowhere."""
    alone = len(old) == len(new) == 1
    mine = _names(old, change.start_a == 0 and not alone, words) - {one.key for one in b}
    yours = _names(new, change.start_b == 0 and not alone, words) - {one.key for one in a}
    if not mine or not yours:
        return ""
    short, long = sorted(("".join(one.key for one in side if one.capital) for side in (old, new)), key=len)
    initials = "".join(one.key[:1] for one in (new if len(new) > len(old) else old) if one.capital)
    return "" if short == initials or (long.startswith(short) and len(short) > 3) or _typo(short, long) else "name"


def _other_names(together: Sequence[tuple[Sequence[Token], Sequence[Token]]], a: str, b: str) -> list[Disagreement]:
    """Two names or more that the other text has nowhere, on both sides of a sentence that is otherwise reworded."""
    words, found = lexicon(), []
    stated: tuple[set[str], set[str]] | None = None
    for one, other in together:
        differ = changes([token.key for token in one], [token.key for token in other])
        mine = [token for c in differ for token in _own_names(one[c.start_a : c.end_a], c.start_a == 0, words)]
        yours = [token for c in differ for token in _own_names(other[c.start_b : c.end_b], c.start_b == 0, words)]
        if min(len(mine), len(yours)) < 2:
            continue
        if stated is None:  # of the whole texts, and seldom asked for
            in_a, in_b = tokens([cased_form(a), cased_form(b)])
            stated = {token.key for token in in_a}, {token.key for token in in_b}
        mine = [token for token in mine if token.key not in stated[1]]
        yours = [token for token in yours if token.key not in stated[0]]
        if min(len({token.key for token in side}) for side in (mine, yours)) > 1:
            found.append(_told_apart(mine, yours, "name"))
    return found


def _list_of_names(old: Sequence[Token], new: Sequence[Token], words: Lexicon) -> bool:
    """Whether nothing but names is said: one may stand in place of several."""
    return len(old) + len(new) <= _LISTED and all(one.capital or one.key in words.idle for one in (*old, *new))


def _own_names(some: Sequence[Token], first: bool, words: Lexicon) -> list[Token]:
    names = _names(some, first, words)
    return [one for at, one in enumerate(some) if one.key in names and one.capital and not (first and at == 0)]


def _typo(short: str, long: str) -> bool:
    """Whether one letter too many is all that tells two long names apart."""
    if len(short) < 6 or len(long) != len(short) + 1:
        return False
    at = next((i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    return short[at:] == long[at + 1 :]


def _names(some: Sequence[Token], first: bool, words: Lexicon) -> set[str]:
    """Capitalised words that are no common words; of those that begin a sentence (`first`) nobody can tell."""
    return {
        one.key
        for at, one in enumerate(some)
        if one.capital and one.kind == PLAIN and not (first and at == 0)
        and one.key not in words.idle and one.key not in words.negations and not _temporal(one, words)
    }  # fmt: skip


def _temporal(one: Token, words: Lexicon) -> bool:
    return any(name in _TEMPORAL for name, _ in words.classes.get(one.key, ()))


def _swapped(
    moved: Sequence[tuple[Change, list[Token], list[Token]]], a: Sequence[Token], words: Lexicon
) -> Disagreement | None:
    """The same words in another order: `Harbour Bank buys Mill Bank`, `Mill Bank buys Harbour Bank`."""
    if any(words.idle.get(one.key) == "saying" for _, old, new in moved for one in (*old, *new)):
        return None
    telling = [
        (change, [one for one in old if _tells(one, words)], [one for one in new if _tells(one, words)])
        for change, old, new in moved
    ]
    for at, (_, old, new) in enumerate(telling):
        for _, other_old, other_new in telling[at + 1 :]:
            there, back = _shared(old, other_new), _shared(other_old, new)
            if there and back and any(_weighs(one) for one in (*there, *back)):
                return _told_apart([*old, *other_old], [*new, *other_new], "order")
    gone = [one for _, old, _ in telling for one in old]
    come = [one for _, _, new in telling for one in new]
    if not gone or Counter(one.key for one in gone) != Counter(one.key for one in come):
        return None
    if [one.key for one in gone] != [one.key for one in come]:
        return _told_apart(gone, come, "order")
    # One stretch moved as it is: that matters when it passes over its like, as in "12 to 5" and "5 to 12".
    places = [change for change, old, new in telling if old or new]
    passed = [one for one in a[places[0].end_a : places[-1].start_a] if _tells(one, words)]
    return _told_apart(gone, come, "order") if len(gone) <= 4 and _alike(gone, passed) else None


def _weighs(one: Token) -> bool:
    return one.capital or one.kind in _HARD


def _alike(some: Sequence[Token], others: Sequence[Token]) -> bool:
    figures = any(one.kind in _HARD for one in some) and any(one.kind in _HARD for one in others)
    return figures or (any(one.capital for one in some) and any(one.capital for one in others))


def _tells(one: Token, words: Lexicon) -> bool:
    return (
        (one.kind == LABEL or one.key not in words.idle)
        and not _temporal(one, words)
        and not one.key.startswith("unit:")
    )


def _shared(some: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    keys = {one.key for one in others}
    return [one for one in some if one.key in keys]
