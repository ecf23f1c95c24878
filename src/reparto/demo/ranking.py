"""The ranker behind the feed's scores: Okapi BM25 over title, source and text, on four kinds of scale.

Rankers differ in what their scores mean; the feed shows selection on each: raw BM25, a share of the highest
possible score, a probability, a log-odds that may be negative. The order is the same under all of them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

K1: Final = 1.2
B: Final = 0.75

# The highest possible score is the second argument.
SCALES: Final[Mapping[str, Callable[[float, float], float]]] = {
    "raw": lambda score, best: score,
    "share": lambda score, best: score / best,
    "probability": lambda score, best: 1.0 / (1.0 + math.exp(-(score - 4.0) / 1.5)),
    "logit": lambda score, best: score - 6.0,
}


def bm25(query: str, texts: Sequence[str], stopwords: Collection[str] = ()) -> tuple[list[float], float]:
    """Score of each text and the highest score that any text could reach.

    Robertson & Zaragoza, The Probabilistic Relevance Framework (2009),
    with idf = ln(1 + (N - n + .5) / (n + .5)).
    Words of the query that are `stopwords` count nothing. Linear in the length of the texts.
    """
    bags = [Counter(_words(text)) for text in texts]
    wanted = [word for word in dict.fromkeys(_words(query)) if word not in stopwords]
    mean = sum(bag.total() for bag in bags) / len(bags)
    scores = [0.0] * len(bags)
    best = 0.0
    for word in wanted:
        holding = sum(word in bag for bag in bags)
        idf = math.log(1.0 + (len(bags) - holding + 0.5) / (holding + 0.5))
        best += idf * (K1 + 1.0)
        for number, bag in enumerate(bags):
            if count := bag[word]:
                norm = K1 * (1.0 - B + B * bag.total() / mean)
                scores[number] += idf * count * (K1 + 1.0) / (count + norm)
    return scores, best


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    return re.findall(r"[a-z0-9]+", plain)
