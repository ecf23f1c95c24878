"""Texts for the tables of text kernels: words drawn by Zipf's law, so that short ones repeat as in any language."""

from __future__ import annotations

import random
from itertools import accumulate

ONSETS = {"en": [*"bcdfghlmnprstw", "st", "tr", "ch"], "es": [*"bcdfglmnprstvjñ", "ll"]}
NUCLEI = {"en": [*"aeiou", "ea", "oo"], "es": [*"aeiouáéíóú", "ie"]}
CODAS = {"en": ["", "", "n", "s", "t", "r", "ng"], "es": ["", "", "", "n", "s", "r"]}
KANA = "のはがをにでともなし、。いるたかられりすこ"


def texts(language: str, count: int, size: int = 1000, seed: int = 1) -> list[str]:
    """`count` texts of about `size` bytes of UTF-8 in a language's letters: en, es or ja."""
    rng = random.Random(f"{language}{seed}")
    if language == "ja":
        han = [chr(code) for code in range(0x4E00, 0x5600)]
        weights = list(accumulate(1 / (n + 3) for n in range(len(han))))
        return [
            "".join(
                rng.choice(KANA) if rng.random() < 0.45 else rng.choices(han, cum_weights=weights)[0]
                for _ in range(size // 3)
            )
            for _ in range(count)
        ]
    words = [
        "".join(
            rng.choice(ONSETS[language]) + rng.choice(NUCLEI[language]) + rng.choice(CODAS[language])
            for _ in range(rng.choice([1, 1, 2, 2, 3]))
        )
        for _ in range(30_000)
    ]
    weights = list(accumulate(1 / (n + 2.7) for n in range(len(words))))
    found = []
    for _ in range(count):
        drawn = rng.choices(words, cum_weights=weights, k=size // 3)
        found.append(" ".join(drawn).encode()[:size].decode(errors="ignore"))
    return found


def with_copies(some: list[str], share: int = 10) -> list[str]:
    """One text in `share` is another one with a longer end."""
    out = list(some)
    for at in range(0, len(out) - 1, share):
        out[at] = out[at + 1] + " and so on to the end"
    return out
