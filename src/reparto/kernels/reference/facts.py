"""The fact guard: do two near-identical texts say the same? Facts decide, whatever the similarity.

Sentences are aligned, and only what stands in place of something else is judged: a figure, date, identifier or unit
against another, a negation on one side, words of opposite meaning, another name, the same words in another order. What one
text simply lacks (a tail, a lead, a sentence) is no disagreement, nor are datelines, bylines, credits, typography, number
formats and spelling. English and Spanish in full; figures, names, order and common negations in any language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reparto.kernels.reference.alignment import Change, changes, paired, sentences, unmatched
from reparto.kernels.reference.credits import without_credits
from reparto.kernels.reference.form import cased_form
from reparto.kernels.reference.lexicon import Lexicon, lexicon
from reparto.kernels.reference.wording import FIGURE, IDENTIFIER, PLAIN, WEAK_FIGURE, Token, tokens

_SHORT = 6  # tokens: in a longer stretch words are rewritten, not exchanged
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "anti", "des", "mis")
_HARD = (FIGURE, IDENTIFIER)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What stands where, as written, and why it counts: `figure`, `unit`, `negation`, `opposite`, `name`, `order` or a class
    of words such as `month` or `day`."""

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
    found: list[Disagreement] = []
    for i, j in paired(told_a, told_b):
        found += disagreements(told_a[i], told_b[j])
    return Verdict("revision", tuple(found)) if found else Verdict("copy")


def _told(left: Sequence[str]) -> list[list[Token]]:
    stated = (tokens(without_credits(one)) for one in left)
    return [one for one in stated if one]


def disagreements(a: Sequence[Token], b: Sequence[Token]) -> list[Disagreement]:
    """What two sentences that belong together disagree on."""
    words = lexicon()
    found: list[Disagreement] = []
    moved: list[tuple[list[Token], list[Token]]] = []
    spare_a = Counter(one.key for one in a if one.kind in _HARD) - Counter(one.key for one in b)
    spare_b = Counter(one.key for one in b if one.kind in _HARD) - Counter(one.key for one in a)
    for change in changes([one.key for one in a], [one.key for one in b]):
        old, new = list(a[change.start_a : change.end_a]), list(b[change.start_b : change.end_b])
        moved.append((old, new))
        why = _figures(old, new, spare_a, spare_b) or _negated(old, new, change, a, b, words)
        if not why and old and new and max(len(old), len(new)) <= _SHORT:
            why = _classes(old, new, words) or _opposed(old, new) or _named(old, new, change, words)
        if why:
            found.append(_told_apart(old, new, why))
    if not found and (swap := _swapped(moved, words)):
        found.append(swap)
    if not found and spare_a and spare_b:
        found.append(Disagreement(" ".join(spare_a), " ".join(spare_b), "figure"))
    return found


def _told_apart(old: Sequence[Token], new: Sequence[Token], why: str) -> Disagreement:
    return Disagreement(" ".join(one.surface for one in old), " ".join(one.surface for one in new), why)


def _figures(old: Sequence[Token], new: Sequence[Token], spare_a: Counter[str], spare_b: Counter[str]) -> str:
    mine = [one for one in old if one.kind in _HARD and spare_a[one.key]]
    yours = [one for one in new if one.kind in _HARD and spare_b[one.key]]
    if mine and yours:
        return "figure"
    # A figure in place of a word, one for one: "page 3", "page A"; "one" in place of a figure.
    if (mine or yours) and len(old) == len(new) == 1:
        return "figure"
    weak = any(one.kind == WEAK_FIGURE for one in (*old, *new))
    return "figure" if weak and (mine or yours) and len(old) == len(new) else ""


def _negated(
    old: Sequence[Token], new: Sequence[Token], change: Change, a: Sequence[Token], b: Sequence[Token], words: Lexicon
) -> str:
    mine = sum(one.key in words.negations for one in old)
    yours = sum(one.key in words.negations for one in new)
    if mine == yours:
        return ""
    # A long stretch at either end that one side lacks is a cut, not a contradiction.
    longer = max(len(old), len(new))
    at_edge = (change.start_a, change.start_b) == (0, 0) or (change.end_a, change.end_b) == (len(a), len(b))
    if longer > 4 and (not old or not new) and at_edge or longer > 2 * _SHORT:
        return ""
    return "negation"


def _classes(old: Sequence[Token], new: Sequence[Token], words: Lexicon) -> str:
    mine, yours = _values(old, words), _values(new, words)
    for name in mine:
        if name in yours and not mine[name] & yours[name]:
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
    """`lawful` against `unlawful`."""
    if len(old) != len(new):
        return ""
    for x, y in zip(old, new, strict=True):
        short, long = sorted((x.key, y.key), key=len)
        if len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES):
            return "opposite"
    return ""


def _named(old: Sequence[Token], new: Sequence[Token], change: Change, words: Lexicon) -> str:
    """Another proper name in the same place."""
    mine = _names(old, change.start_a == 0, words)
    yours = _names(new, change.start_b == 0, words)
    if not mine or not yours or mine & yours or max(len(old), len(new)) > 4:
        return ""
    short, long = sorted(("".join(one.key for one in side if one.capital) for side in (old, new)), key=len)
    initials = "".join(one.key[0] for one in (new if len(new) > len(old) else old) if one.capital)
    return "" if short == initials or long.startswith(short) and len(short) > 3 else "name"


def _names(some: Sequence[Token], first: bool, words: Lexicon) -> set[str]:
    return {
        one.key
        for at, one in enumerate(some)
        if one.capital and one.kind == PLAIN and one.key not in words.idle and not _temporal(one, words)
        and not (first and at == 0 and (len(some) > 1 or one.key in words.classes))
    }  # fmt: skip


def _temporal(one: Token, words: Lexicon) -> bool:
    return any(name in ("month", "day", "near", "half", "span") for name, _ in words.classes.get(one.key, ()))


def _swapped(moved: Sequence[tuple[list[Token], list[Token]]], words: Lexicon) -> Disagreement | None:
    """The same words in another order: `Harbour Bank buys Mill Bank`, `Mill Bank buys Harbour Bank`."""
    gone = [one for old, _ in moved for one in old]
    come = [one for _, new in moved for one in new]
    shared = Counter(one.key for one in gone) & Counter(one.key for one in come)
    if not shared:
        return None
    # A clause that moved as a whole says the same where it is now.
    blocks = [[one.key for one in old] for old, new in moved if len(old) > 4]
    if any([one.key for one in new] in blocks for _, new in moved):
        return None
    if any(words.idle.get(one.key) == "saying" for one in (*gone, *come)):
        return None
    telling = [
        one
        for one in gone
        if shared[one.key] and one.key not in words.idle and not _temporal(one, words) and not one.key.startswith("unit:")
    ]
    heavy = any(one.capital or one.kind in _HARD for one in telling)
    if not heavy and len({one.key for one in telling}) < 2:
        return None
    return _told_apart(gone, come, "order")


def figures_agree(a: str, b: str) -> bool:
    """Whether two texts that only vectors brought together (a paraphrase, a translation) can state the same.

    False when each has a figure, identifier, month or weekday that the other lacks. O(characters).
    """
    words = lexicon()
    mine, yours = (_stated(tokens(cased_form(text).replace("\n", " ")), words) for text in (a, b))
    return not (mine - yours and yours - mine)


def _stated(some: Sequence[Token], words: Lexicon) -> set[str]:
    return {one.key for one in some if one.kind in _HARD} | {
        f"{name}:{value}"
        for one in some
        for name, value in words.classes.get(one.key, ())
        if name in ("month", "day") and (one.capital or name == "day")
    }
