"""Tokens of a sentence as the fact guard compares them.

A figure is brought to one spelling (`1,000`, `1000`, `1.000` and `one thousand` are one; `1,5` is `1.5`, `10 to 12` is
`10-12`, `two thirds` is `2/3`, `twenty-first` is 21), its unit is a token of its own (`$5`, `5 dollars`; `5km`, `5
kilometres`), a contracted negation is written out, and each token remembers whether it was capitalised.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reparto.kernels.reference.folding import folding
from reparto.kernels.reference.lexicon import Lexicon, lexicon
from reparto.kernels.reference.shingles import spans
from reparto.kernels.reference.spelling import respelled

FIGURE, WEAK_FIGURE, IDENTIFIER, LABEL, PLAIN = "figure", "weak figure", "identifier", "label", "plain"
_NUMBER = re.compile(r"([^0-9a-z+-]*)([+-]?)([^0-9a-z+-]*)([0-9]+(?:[.,/:'-][0-9]+)*)([^0-9]*)")
_ORDINALS = ("st", "nd", "rd", "th", "o", "a", "er", "ere", "re", "eme", "e")
# Words that count in one sentence and only point in the next.
_WEAK = ("one", "uno", "un", "una", "once")
_DOZEN = ("dozen", "docena", "docenas")
# Without them nothing is measured or labelled: most sentences are spared the look at each token.
_ENDS_IN_ZERO = re.compile("[.,][0-9]*0")
_LETTER = re.compile("(?<![A-Za-z])[A-HJ-Z](?![A-Za-z])")
_BETWEEN, _AND = ("between", "entre", "zwischen", "tra", "fra"), ("and", "y", "und", "et", "e")
# Whose figures are measured, so that 5.00 is 5 (3.10 of a release is not 3.1).
_MEASURED = ("%", "usd", "eur", "gbp", "jpy", "peso", "km", "m", "cm", "mm", "kg", "ft")
_RANGE = ("to", "a", "al", "bis", "ate")
_KANA = ("ません", "なかっ", "ない")


@dataclass(frozen=True, slots=True)
class Token:
    """`key` is what is compared, `surface` what was written."""

    key: str
    surface: str
    kind: str = PLAIN
    capital: bool = False


def tokens(sentences: Sequence[str]) -> list[list[Token]]:
    """Tokens of sentences in `cased_form`. O(characters)."""
    table, words = folding(), lexicon()
    sentences = [respelled(one) for one in sentences]
    stated = []
    for sentence, places in zip(sentences, spans(sentences), strict=True):
        plain = sentence.isascii()
        found: list[Token] = []
        for start, end in places:
            surface = sentence[start:end]
            key = surface.lower() if plain else surface.translate(table.becomes)
            if plain and key.isalpha() and key != "cannot":
                found.append(Token(key, surface, PLAIN, "A" <= surface[0] <= "Z"))
                continue
            found += _token(key, surface, table.capitals.match(surface) is not None, words)
        counted = _counted(found if plain else _negating(found), words)
        if _ENDS_IN_ZERO.search(sentence):
            counted = _measured(counted)
        stated.append(_labelled(counted) if _LETTER.search(sentence) else counted)
    return stated


def _token(key: str, surface: str, capital: bool, words: Lexicon) -> list[Token]:
    if not any("0" <= char <= "9" for char in key):
        if key.endswith("n't") or key == "cannot":
            stem = {"won't": "will", "can't": "can", "cannot": "can"}.get(key, key[:-3])
            return [Token(stem, surface, capital=capital), Token("not", surface)]
        if capital and key.endswith("'s") and len(key) > 3:
            key = key[:-2]  # a name and its genitive are one name
        return [Token(key, surface, capital=capital)]
    parts = _NUMBER.fullmatch(key)
    if parts is None:
        prefix = re.fullmatch(r"(us|usd|eur|gbp)(\$?)([0-9].*)", key)
        if prefix and (inner := _NUMBER.fullmatch(prefix[3])):
            return [*_figure(inner, surface, words), _unit("usd" if prefix[1] == "us" else prefix[1], surface)]
        return [Token(key, surface, IDENTIFIER, capital)]
    return _figure(parts, surface, words)


def _unit(name: str, surface: str) -> Token:
    return Token(f"unit:{name}", surface)


def _figure(parts: re.Match[str], surface: str, words: Lexicon) -> list[Token]:
    before, sign, between, number, after = parts.groups()
    value = ("-" if sign == "-" else "") + plain_number(number)
    # A unit follows its figure, wherever it was written: "$5" and "5 dollars" are one.
    found = [_unit(words.unit(mark) or mark, surface) for mark in (before, between) if mark]
    if found and after in ("m", "k"):
        after = {"m": "million", "k": "thousand"}[after]
    if after in words.magnitudes:
        return [Token(shifted(value, words.magnitudes[after]), surface, FIGURE), *found]
    if after and after not in _ORDINALS and not words.unit(after) and not before and re.search("[a-z]", after):
        return [Token(value + after, surface, IDENTIFIER)]
    found.insert(0, Token(value, surface, FIGURE))
    if after and after not in _ORDINALS:
        found.append(_unit(words.unit(after) or after, surface))
    return found


def _negating(found: list[Token]) -> list[Token]:
    """Japanese verbs carry their "not" as a suffix of some kana: one token, so that it can be found."""
    out: list[Token] = []
    i = 0
    while i < len(found):
        ahead = "".join(one.key for one in found[i : i + 3])
        word = next((one for one in _KANA if ahead.startswith(one)), "") if len(found[i].key) == 1 else ""
        if word:
            out.append(Token(word, "".join(one.surface for one in found[i : i + len(word)])))
        else:
            out.append(found[i])
        i += max(1, len(word))
    return out


def _labelled(some: list[Token]) -> list[Token]:
    """`A` in `Group A` is a name of something, whatever the letter means as a word; not where a sentence begins."""
    return [
        Token(one.key, one.surface, LABEL, one.capital) if at and _is_label(one) else one for at, one in enumerate(some)
    ]


def _is_label(one: Token) -> bool:
    return one.kind == PLAIN and len(one.surface) == 1 and "A" <= one.surface <= "Z" and one.surface != "I"


def plain_number(number: str) -> str:
    """One spelling of a number: no thousands separators, a decimal point, no leading zeros.

    A separator before groups of exactly three digits is a thousands separator, whichever sign it is, unless the number
    begins with 0; of two signs the last is the decimal one. What is no plain number (a time, a date, a range) stays.
    """
    pieces = re.split(r"([.,/:'-])", number)
    groups, signs = pieces[::2], pieces[1::2]
    if any(sign in "/:-" for sign in signs):
        ends = number.split("-")
        if len(ends) == 2 and not any(sign in "/:'" for sign in signs):  # 1,000-1,500
            return "-".join(end if end.isdigit() else plain_number(end) for end in ends)
        return number
    decimals = ""
    thousands = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3 and groups[0] != "0"
    if signs and not (len(set(signs)) == 1 and thousands):
        if len(signs) > 1 and (len(set(signs[:-1])) > 1 or signs[-1] == signs[0]):
            return number  # 1.2.3, a version
        if not all(len(group) == 3 for group in groups[1:-1]):
            return number
        decimals = "." + groups.pop()
    return ("".join(groups).lstrip("0") or "0") + decimals


def shifted(value: str, zeros: int) -> str:
    """A number times ten to the power of `zeros`, as a number is spelled here."""
    sign, digits = ("-", value[1:]) if value.startswith("-") else ("", value)
    whole, _, rest = digits.partition(".")
    if not (whole + rest).isdigit():
        ends = value.split("-")
        if len(ends) == 2 and all(end.replace(".", "").isdigit() for end in ends):  # 10-12 million
            return "-".join(shifted(end, zeros) for end in ends)
        return f"{value}e{zeros}"
    moved = (whole + rest.ljust(zeros, "0"))[: len(whole) + zeros].lstrip("0") or "0"
    left = rest[zeros:].rstrip("0")
    return sign + moved + (f".{left}" if left else "")


def _counted(found: list[Token], words: Lexicon) -> list[Token]:
    """Numbers in words become figures, and a figure takes the magnitude and the unit word after it."""
    out: list[Token] = []
    i = 0
    while i < len(found):
        token = found[i]
        run = _in_words(found, i, words) if token.key in words.numbers and token.kind == PLAIN else None
        if run:
            value, length = run
            weak = length == 1 and token.key in _WEAK and not _spans(found, i + 1, words)
            token = Token(
                value, " ".join(one.surface for one in found[i : i + length]), WEAK_FIGURE if weak else FIGURE
            )
            i += length - 1
        token, i = _joined(found, token, i, words)
        units = []
        while token.kind in (FIGURE, WEAK_FIGURE) and i + 1 < len(found):
            after = found[i + 1]
            if after.key.startswith("unit:"):
                units.append(after)
            elif after.key in words.magnitudes and after.kind == PLAIN:
                surface = f"{token.surface} {after.surface}"
                token = Token(shifted(token.key, words.magnitudes[after.key]), surface, FIGURE)
            else:
                break
            i += 1
        out += [token, *units]
        if token.kind == FIGURE and i + 1 < len(found) and found[i + 1].kind == PLAIN:
            name = words.unit(found[i + 1].key)
            if found[i + 1].key in ("per", "por") and i + 2 < len(found) and found[i + 2].key in ("cent", "ciento"):
                out.append(_unit("%", f"{found[i + 1].surface} {found[i + 2].surface}"))
                i += 2
            elif name:
                i += 1
                out.append(_unit(name, found[i].surface))
        i += 1
    return out


def _spans(found: list[Token], at: int, words: Lexicon) -> bool:
    """Whether a span of time follows, so that "one" counts: one hour, un año; one day may be any."""
    after = words.classes.get(found[at].key, ()) if at < len(found) else ()
    return any(name == "span" and value != "4" for name, value in after)


def _joined(found: list[Token], token: Token, i: int, words: Lexicon) -> tuple[Token, int]:
    """A figure with the end of its range (`10 to 12`) or the parts it counts (`two thirds`), and its last token."""
    if token.kind != FIGURE or i + 1 >= len(found):
        return token, i
    after = found[i + 1]
    parts = next((value for name, value in words.classes.get(after.key, ()) if name == "parts"), None)
    if parts and after.kind == PLAIN and token.key.isdigit():
        return Token(f"{token.key}/{parts}", f"{token.surface} {after.surface}", FIGURE), i + 1
    unit = 1 if after.key.startswith("unit:") else 0  # "10% to 12%"
    return _ranged(found, token, i + unit, after.key if unit else "", words) or (token, i)


def _ranged(found: list[Token], token: Token, i: int, unit: str, words: Lexicon) -> tuple[Token, int] | None:
    """`10 to 12`, `between 10 and 12`, `10% to 12%`, or nothing. `i` is where the first end ends."""
    if i + 2 >= len(found) or found[i + 1].kind != PLAIN or not _is_number(token.key):
        return None
    link, other, length = found[i + 1], found[i + 2], 1
    first = i - len(token.surface.split(" ")) if not unit else -1
    if link.key not in _RANGE and not (link.key in _AND and first >= 0 and found[first].key in _BETWEEN):
        return None
    if other.kind == PLAIN and other.key in words.numbers and other.key not in _WEAK:
        value, length = _in_words(found, i + 2, words)
        other = Token(value, " ".join(one.surface for one in found[i + 2 : i + 2 + length]), FIGURE)
    end = i + 1 + length
    if other.kind != FIGURE or not _is_number(other.key):
        return None
    if unit and (end + 1 >= len(found) or found[end + 1].key != unit):
        return None
    return Token(f"{token.key}-{other.key}", f"{token.surface} {link.surface} {other.surface}", FIGURE), end


def _is_number(key: str) -> bool:
    return key.replace(".", "").isdigit()


def _measured(some: list[Token]) -> list[Token]:
    """Figures with a unit, without zeros at their end: `3.50 m` is `3.5 m`."""
    for at, one in enumerate(some[:-1]):
        unit = some[at + 1].key
        if one.kind == FIGURE and "." in one.key and unit.startswith("unit:") and unit[5:] in _MEASURED:
            ends = [end.rstrip("0").rstrip(".") if "." in end else end for end in one.key.split("-")]
            some[at] = Token("-".join(ends), one.surface, FIGURE, one.capital)
    return some


def _in_words(found: list[Token], start: int, words: Lexicon) -> tuple[str, int]:
    """`twenty five`, `two hundred and fifty`, `treinta y cinco`, `twenty first`: the value, and how many tokens."""
    total, last, i = words.numbers[found[start].key], words.numbers[found[start].key], start + 1
    while i < len(found):
        joined = i + 1 if found[i].key in ("and", "y") and i + 1 < len(found) else i
        key = found[joined].key
        if key == "hundred" and joined == i and 0 < total < 100:
            total, last = total * 100, 100
        elif key in _DOZEN and joined == i and 0 < total < 100:
            total, last = total * 12, 0
        elif (nth := _nth(key, words)) and nth < _room(last):
            total, last = total + nth, 0
        elif key in words.numbers and 0 < words.numbers[key] < last and _room(last) > words.numbers[key]:
            total, last = total + words.numbers[key], words.numbers[key]
        else:
            break
        i = joined + 1
    return str(total), i - start


def _nth(key: str, words: Lexicon) -> int:
    """What an ordinal counts after tens; "second" may be one of time."""
    values = (int(value) for name, value in words.classes.get(key, ()) if name == "ordinal" and key != "second")
    return next(values, 0)


def _room(last: int) -> int:
    """What may follow a number word: units after tens, anything under a hundred after hundreds."""
    return 100 if last >= 100 else 10 if last >= 20 and last % 10 == 0 else 0
