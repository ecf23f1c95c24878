"""Tokens of a sentence as the fact guard compares them.

A figure is brought to one spelling (`1,000`, `1000`, `1.000` and `one thousand` are one; `1,5` is `1.5`), its unit is
a token of its own (`$5`, `5 dollars`; `5km`, `5 kilometres`), a contracted negation is written out, and each token
remembers whether it was capitalised.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reparto.kernels.reference.folding import folding
from reparto.kernels.reference.lexicon import Lexicon, lexicon
from reparto.kernels.reference.shingles import spans
from reparto.kernels.reference.spelling import respelled

FIGURE, WEAK_FIGURE, IDENTIFIER, PLAIN = "figure", "weak figure", "identifier", "plain"
_NUMBER = re.compile(r"([^0-9a-z+-]*)([+-]?)([^0-9a-z+-]*)([0-9]+(?:[.,/:'-][0-9]+)*)([^0-9]*)")
_ORDINALS = ("st", "nd", "rd", "th", "o", "a")
# Words that count in one sentence and only point in the next.
_WEAK = ("one", "uno", "un", "una", "once")


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
        stated.append(_counted(found, words))
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


def plain_number(number: str) -> str:
    """One spelling of a number: no thousands separators, a decimal point, no leading zeros.

    A separator before groups of exactly three digits is a thousands separator, whichever sign it is, unless the number
    begins with 0; of two signs the last is the decimal one. What is no plain number (a time, a date, a range) stays.
    """
    pieces = re.split(r"([.,/:'-])", number)
    groups, signs = pieces[::2], pieces[1::2]
    if any(sign in "/:-" for sign in signs):
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
        return value
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
            weak = length == 1 and token.key in _WEAK
            token = Token(
                value, " ".join(one.surface for one in found[i : i + length]), WEAK_FIGURE if weak else FIGURE
            )
            i += length - 1
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


def _in_words(found: list[Token], start: int, words: Lexicon) -> tuple[str, int] | None:
    """`twenty five`, `two hundred and fifty`, `treinta y cinco`: the value, and how many tokens it took."""
    total, last, i = words.numbers[found[start].key], words.numbers[found[start].key], start + 1
    while i < len(found):
        joined = i + 1 if found[i].key in ("and", "y") and i + 1 < len(found) else i
        key = found[joined].key
        if key == "hundred" and joined == i and 0 < total < 100:
            total, last = total * 100, 100
        elif key in words.numbers and 0 < words.numbers[key] < last and _room(last) > words.numbers[key]:
            total, last = total + words.numbers[key], words.numbers[key]
        else:
            break
        i = joined + 1
    return str(total), i - start


def _room(last: int) -> int:
    """What may follow a number word: units after tens, anything under a hundred after hundreds."""
    return 100 if last >= 100 else 10 if last >= 20 and last % 10 == 0 else 0
