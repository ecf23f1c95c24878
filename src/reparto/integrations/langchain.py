"""LangChain: a document compressor for any retriever, and a retriever that wraps one. Extra `langchain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reparto.contract import Contract
from reparto.errors import MissingExtraError
from reparto.integrations.accounts import account
from reparto.integrations.mapping import by_rank, candidate
from reparto.pipeline import select
from reparto.selection import Selection

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun, Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict, Field
except ImportError as error:
    raise MissingExtraError("the LangChain adapter", "langchain") from error


class RepartoCompressor(BaseDocumentCompressor):
    """Shares k seats out over the documents that a retriever found.

    Scores are read from `metadata[score_key]`; without any the order counts. Vectors are read from
    `metadata[vector_key]` where a retriever leaves them. Delivered documents keep their id and metadata, and get
    `metadata["reparto"]`: seat, relevance, copies, depth, why.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    contract: Contract | None = None
    query_class: str | None = None
    k: int | None = None
    policy: dict[str, Any] | None = None
    score_key: str = "relevance_score"
    vector_key: str = "vector"
    fields: dict[str, str] = Field(default_factory=dict)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The documents that got a seat, in the order of delivery; a span has the merged text."""
        if not documents:
            return []
        selection = self.select(documents, query)
        by_id = dict(zip(_ids(documents), documents, strict=True))
        return [
            by_id[seat.id].model_copy(
                update={"page_content": seat.text, "metadata": {**by_id[seat.id].metadata, "reparto": account(seat)}}
            )
            for seat in selection
        ]

    def select(self, documents: Sequence[Document], query: str) -> Selection:
        """The whole selection, with decisions and report."""
        scores = [document.metadata.get(self.score_key) for document in documents]
        if any(score is None for score in scores):
            scores = list(by_rank(len(documents)))
        candidates = [
            candidate(
                id,
                document.page_content,
                score,
                {name: value for name, value in document.metadata.items() if name != self.vector_key},
                document.metadata.get(self.vector_key),
                self.fields,
            )
            for id, document, score in zip(_ids(documents), documents, scores, strict=True)
        ]
        return select(
            candidates, self.contract, query=query, query_class=self.query_class, k=self.k, policy=self.policy
        )


class RepartoRetriever(BaseRetriever):
    """Any retriever, with the seats shared out over what it found. Let it find at least five times k."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    retriever: BaseRetriever
    compressor: RepartoCompressor = Field(default_factory=RepartoCompressor)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.retriever.invoke(query, config={"callbacks": run_manager.get_child()})
        return list(self.compressor.compress_documents(found, query))


def _ids(documents: Sequence[Document]) -> list[str]:
    """The documents' own ids where all have one and they differ; else their places."""
    own = [document.id for document in documents]
    if all(own) and len(set(own)) == len(own):
        return [str(id) for id in own]
    return [str(place) for place in range(len(documents))]
