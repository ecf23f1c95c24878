"""Haystack: a component between retriever and prompt, serialisable in pipelines. Extra `haystack`."""

from __future__ import annotations

import dataclasses
from typing import Any

from reparto.contract import Contract
from reparto.errors import MissingExtraError
from reparto.integrations.accounts import account
from reparto.integrations.mapping import by_rank, candidate
from reparto.pipeline import select
from reparto.selection import Selection

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as error:
    raise MissingExtraError("the Haystack adapter", "haystack") from error


@component
class RepartoSelector:
    """Shares k seats out over documents.

    A document's own score and embedding are used; without scores the order counts. Delivered documents keep id, score
    and meta, and get `meta["reparto"]`; of a merged span the document has the merged text. `contract` is a path.
    """

    def __init__(
        self,
        contract: str | None = None,
        query_class: str | None = None,
        k: int | None = None,
        policy: dict[str, Any] | None = None,
        fields: dict[str, str] | None = None,
    ) -> None:
        self.contract, self.query_class, self.k, self.policy, self.fields = contract, query_class, k, policy, fields
        self._loaded = Contract.load(contract) if contract is not None else None

    @component.output_types(documents=list[Document], report=dict[str, Any])
    def run(self, documents: list[Document], query: str = "", k: int | None = None) -> dict[str, Any]:
        """Documents that got a seat, in the order of delivery, and the report."""
        if not documents:
            return {"documents": [], "report": {}}
        selection = self.select(documents, query, k)
        by_id = {document.id: document for document in documents}
        return {"documents": [_delivered(by_id[seat.id], seat) for seat in selection], "report": dict(selection.report)}

    def select(self, documents: list[Document], query: str = "", k: int | None = None) -> Selection:
        """The whole selection, with decisions and report."""
        scores = [document.score for document in documents]
        if any(score is None for score in scores):
            scores = list(by_rank(len(documents)))
        candidates = [
            candidate(document.id, document.content or "", score, document.meta, document.embedding, self.fields)
            for document, score in zip(documents, scores, strict=True)
        ]
        return select(
            candidates, self._loaded, query=query, query_class=self.query_class, k=k or self.k, policy=self.policy
        )

    def to_dict(self) -> dict[str, Any]:
        """For a serialised pipeline."""
        saved: dict[str, Any] = default_to_dict(
            self,
            contract=self.contract,
            query_class=self.query_class,
            k=self.k,
            policy=self.policy,
            fields=self.fields,
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RepartoSelector:
        """From a serialised pipeline."""
        loaded: RepartoSelector = default_from_dict(cls, data)
        return loaded


def _delivered(document: Document, seat: Any) -> Document:
    return dataclasses.replace(document, content=seat.text, meta={**document.meta, "reparto": dict(account(seat))})
