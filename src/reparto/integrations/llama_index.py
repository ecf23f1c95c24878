"""LlamaIndex: a node postprocessor. Extra `llama-index`."""

from __future__ import annotations

from typing import Any

from reparto.contract import Contract
from reparto.errors import MissingExtraError
from reparto.integrations.accounts import account
from reparto.integrations.mapping import by_rank, candidate
from reparto.pipeline import select
from reparto.selection import Selection

try:
    from llama_index.core.bridge.pydantic import ConfigDict, Field
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
except ImportError as error:
    raise MissingExtraError("the LlamaIndex adapter", "llama-index") from error


class RepartoPostprocessor(BaseNodePostprocessor):
    """Shares k seats out over the nodes that a retriever found.

    A node's own embedding, offsets (`start_char_idx`) and source document are used. Delivered nodes keep id, score and
    metadata, and get `metadata["reparto"]`; of a merged span the node has the merged text.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    contract: Contract | None = None
    query_class: str | None = None
    k: int | None = None
    policy: dict[str, Any] | None = None
    fields: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised pipelines."""
        return "RepartoPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        selection = self.select(nodes, query_bundle.query_str if query_bundle else "")
        by_id = {node.node.node_id: node for node in nodes}
        return [_delivered(by_id[seat.id], seat) for seat in selection]

    def select(self, nodes: list[NodeWithScore], query: str = "") -> Selection:
        """The whole selection, with decisions and report."""
        scores = [node.score for node in nodes]
        if any(score is None for score in scores):
            scores = list(by_rank(len(nodes)))
        candidates = [self._candidate(node, score) for node, score in zip(nodes, scores, strict=True)]
        return select(
            candidates, self.contract, query=query, query_class=self.query_class, k=self.k, policy=self.policy
        )

    def _candidate(self, scored: NodeWithScore, score: float | None) -> dict[str, Any]:
        node = scored.node
        found = candidate(
            node.node_id,
            node.get_content(metadata_mode=MetadataMode.NONE),
            score,
            node.metadata,
            node.embedding,
            self.fields,
        )
        if node.ref_doc_id is not None:
            found.setdefault("document", node.ref_doc_id)
            start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
            if start is not None and end is not None:
                found |= {"start": start, "end": end}
        return found


def _delivered(scored: NodeWithScore, seat: Any) -> NodeWithScore:
    node = scored.node.model_copy(deep=True)
    if seat.span is not None:
        node.set_content(seat.text)
    node.metadata = {**node.metadata, "reparto": account(seat)}
    # What selection says of a node is for the caller, not for the prompt or the embedding.
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, "reparto"]
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, "reparto"]
    return NodeWithScore(node=node, score=scored.score)
