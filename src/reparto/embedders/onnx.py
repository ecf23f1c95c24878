"""A transformer in ONNX with its `tokenizer.json`, mean pooled (extra `onnx`). No network, no framework."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from reparto.embedders.batching import in_batches
from reparto.encodable import encodable
from reparto.errors import CorpusError, MissingExtraError, Problem

BATCH, LONGEST = 16, 512


class ONNX:
    """`onnx:FOLDER`, a folder with one `*.onnx` and `tokenizer.json`; the version is the hash of the model
    file.

    Token vectors are averaged over the attention mask and scaled to length one, as sentence-transformers does
    (Reimers & Gurevych 2019). A model whose first output is already a vector a text is taken as it is.
    """

    floor = 0.0

    def __init__(self, argument: str = "") -> None:
        models = sorted(Path(argument).glob("*.onnx")) if argument else []
        tokenizer = Path(argument) / "tokenizer.json"
        if len(models) != 1 or not tokenizer.is_file():
            message = f"{argument or 'no folder'}: needs one *.onnx and a tokenizer.json"
            raise CorpusError(Problem("embedder_model", message, "name it: onnx:FOLDER", field="embedder"))
        try:
            from onnxruntime import InferenceSession
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError("the embedder `onnx`", "onnx") from error
        self._session: Any = InferenceSession(str(models[0]), providers=["CPUExecutionProvider"])
        self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()
        self._inputs = [one.name for one in self._session.get_inputs()]
        self.name = f"onnx:{argument}"
        self.version = xxhash.xxh3_64_hexdigest(models[0].read_bytes())
        self.dimension = len(self.query("."))

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, dimension), unit rows."""
        return in_batches(self._rows, texts, BATCH, self.dimension)

    def query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,)."""
        row: NDArray[np.float32] = self._rows([text])[0]
        return row

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch([encodable(text) for text in texts])
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        known = {
            "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([one.type_ids for one in encoded], dtype=np.int64),
        }
        output = self._session.run(None, {name: known[name] for name in self._inputs})[0]
        if output.ndim == 3:
            weight = mask[:, :, None].astype(np.float32)
            output = (output * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9)
        length = np.linalg.norm(output, axis=1, keepdims=True)
        return np.asarray(output / np.maximum(length, 1e-12), dtype=np.float32)
