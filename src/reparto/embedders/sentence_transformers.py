"""Any sentence-transformers model, by name or folder (extra `sentence-transformers`)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.encodable import encodable
from reparto.errors import CorpusError, MissingExtraError, Problem


class SentenceTransformers:
    """`sentence-transformers:NAME`. Queries get the model's own query prompt, where it has one."""

    floor = 0.0

    def __init__(self, argument: str = "") -> None:
        if not argument:
            remedy = "name it: sentence-transformers:all-MiniLM-L6-v2, or a folder"
            raise CorpusError(Problem("embedder_model", "which model?", remedy, field="embedder"))
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError("the embedder `sentence-transformers`", "sentence-transformers") from error
        self._model: Any = SentenceTransformer(argument)
        self.name = f"sentence-transformers:{argument}"
        self.version = version("sentence-transformers")
        self.dimension = len(self.query("."))

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, dimension), unit rows."""
        return np.asarray(
            self._model.encode([encodable(text) for text in texts], normalize_embeddings=True), dtype=np.float32
        )

    def query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,)."""
        prompt = "query" if "query" in getattr(self._model, "prompts", {}) else None
        row = self._model.encode([encodable(text)], normalize_embeddings=True, prompt_name=prompt)[0]
        return np.asarray(row, dtype=np.float32)
