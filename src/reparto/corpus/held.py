"""The vectors that a store holds already, so that nothing is embedded twice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from reparto.stores.base import Matrix, Store


def vectors_held(store: Store, documents: Sequence[str]) -> dict[str, Matrix]:
    """Vectors of the chunks of each document, shape (chunks, dimension), in the order of the text; none: left
    out.
    """
    if not store.manifest.embedder:
        return {}
    rows = [row for row in store.of(documents) if row.vector is not None]
    rows.sort(key=lambda row: (row.chunk.document, row.chunk.start, row.chunk.end))
    grouped = groupby(rows, key=lambda row: row.chunk.document)
    return {document: np.stack([row.vector for row in group if row.vector is not None]) for document, group in grouped}
