"""An embedder for tests and benches, and the conformance of embedders.

    from reparto.testing.embedders import check_embedder
    check_embedder(MyEmbedder())

Raises `AssertionError` with the broken rule in its message.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xxhash
from numpy.typing import NDArray

from reparto.embedders import Embedder
from reparto.terms import tokens


class HashedWords:
    """Every word a fixed random direction, a text their sum: texts that share words are near. No meaning in it."""

    name = "hashed-words"
    version = "1"
    floor = 0.0

    def __init__(self, argument: str = "64") -> None:
        self.dimension = int(argument or 64)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, dimension), unit rows; a text without words is zero."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in tokens(text):
                seed = xxhash.xxh3_64_intdigest(word.encode("utf-8"))
                row += np.random.default_rng(seed).standard_normal(self.dimension, dtype=np.float32)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: NDArray[np.float32] = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
        return unit

    def query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,)."""
        row: NDArray[np.float32] = self.passages([text])[0]
        return row


def check_embedder(embedder: Embedder) -> None:
    """Shapes, determinism, and that the same text is nearer to itself than to another."""
    assert embedder.name, "an embedder has a name"
    assert str(embedder.version), "an embedder has a version"
    assert -1 <= embedder.floor < 1, "`floor` is a cosine"
    texts = ["The harbour bridge is closed to traffic.", "Interest rates rose.", "", "北京大学", "x " * 3000]
    rows = embedder.passages(texts)
    assert rows.shape == (len(texts), embedder.dimension), "one row a text"
    assert rows.dtype == np.float32, "float32"
    assert np.isfinite(rows).all(), "no NaN, whatever the text"
    assert np.allclose(rows[:1], embedder.passages(texts[:1]), atol=1e-4), "alone or in a batch, the same vector"
    assert embedder.passages([]).shape == (0, embedder.dimension), "no texts, no rows"
    query = embedder.query("closed harbour bridge")
    assert query.shape == (embedder.dimension,), "a query is one row"
    cosine = rows[:2] @ query / np.maximum(np.linalg.norm(rows[:2], axis=1), 1e-9)
    assert cosine[0] > cosine[1], "nearer to what it is about"
