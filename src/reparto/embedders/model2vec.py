"""Static embeddings by model2vec, from a local folder or a hub name (extra `model2vec`): fast and coarse."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.encodable import encodable
from reparto.errors import CorpusError, MissingExtraError, Problem


class Model2Vec:
    """`model2vec:FOLDER`. The mean of the vectors of a text's tokens."""

    floor = 0.0

    def __init__(self, argument: str = "") -> None:
        if not argument:
            remedy = "name it: model2vec:FOLDER"
            raise CorpusError(Problem("embedder_model", "which model?", remedy, field="embedder"))
        try:
            from model2vec import StaticModel
        except ImportError as error:
            raise MissingExtraError("the embedder `model2vec`", "model2vec") from error
        self._model: Any = StaticModel.from_pretrained(argument)
        self.name = f"model2vec:{argument}"
        self.version = version("model2vec")
        self.dimension = int(self._model.dim)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, dimension)."""
        rows = np.asarray(self._model.encode([encodable(text) for text in texts]), dtype=np.float32)
        return rows.reshape(len(texts), self.dimension)

    def query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,)."""
        row: NDArray[np.float32] = self.passages([text])[0]
        return row
