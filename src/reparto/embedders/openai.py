"""Any endpoint that speaks OpenAI's `/embeddings` (OpenAI, vLLM, TEI, Ollama, LocalAI…). No SDK is needed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto.embedders.batching import in_batches
from reparto.endpoint import Endpoint
from reparto.errors import CorpusError, Problem

BATCH = 64


class OpenAI:
    """`openai:MODEL` at `--embedder-url` (or `OPENAI_BASE_URL`), with the key in `OPENAI_API_KEY`, if one is
    needed.

    The dimension is what the endpoint gives; the model's name stands for its version.
    """

    floor = 0.0

    def __init__(self, argument: str = "", url: str | None = None) -> None:
        base = url or os.environ.get("OPENAI_BASE_URL")
        if not argument or not base:
            message = "an endpoint needs a model and an address"
            remedy = "for example --embedder openai:bge-m3 --embedder-url http://localhost:8080/v1"
            raise CorpusError(Problem("embedder_model", message, remedy, field="embedder"))
        self._model = argument
        self._endpoint = Endpoint(f"{base.rstrip('/')}/embeddings", os.environ.get("OPENAI_API_KEY"))
        self.name = f"openai:{argument}"
        self.version = argument
        self.dimension = len(self.query("."))

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, dimension)."""
        return in_batches(self._rows, texts, BATCH, self.dimension)

    def query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,)."""
        row: NDArray[np.float32] = self._rows([text])[0]
        return row

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # The protocol refuses empty input; a blank passage is sent as a full stop and is near to nothing.
        body = {"model": self._model, "input": [text if text.strip() else "." for text in texts]}
        reply = self._endpoint.post(body)
        data = reply.get("data") if isinstance(reply, Mapping) else None
        rows = self._read(data, len(texts))
        if rows is None:
            message = f"{self._endpoint.url} did not return {len(texts)} vectors of one length"
            raise CorpusError(Problem("endpoint", message, "check that the model makes embeddings"))
        return rows

    def _read(self, data: Any, number: int) -> NDArray[np.float32] | None:
        if not isinstance(data, list) or len(data) != number:
            return None
        try:
            placed = {int(one["index"]): one["embedding"] for one in data}
            rows = np.array([placed[index] for index in range(number)], dtype=np.float32)
        except (KeyError, TypeError, ValueError):
            return None
        wanted = getattr(self, "dimension", rows.shape[-1])
        return rows if rows.ndim == 2 and rows.shape[1] == wanted and np.isfinite(rows).all() else None
