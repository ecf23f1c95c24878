"""llama-index, TEI postprocessor: `/rerank` with `texts`."""

import sys
from importlib.metadata import version

from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.postprocessor.tei_rerank import TextEmbeddingInference

url, documents, query = sys.argv[1], sys.stdin.read().split("\x1e"), sys.argv[2]
reranker = TextEmbeddingInference(base_url=url, model_name="survey", top_n=len(documents))
nodes = [NodeWithScore(node=TextNode(text=text, id_=str(place)), score=0.5) for place, text in enumerate(documents)]
found = reranker.postprocess_nodes(nodes, QueryBundle(query))
print(version("llama-index-postprocessor-tei-rerank"), *(f"{one.node.node_id}:{one.score}" for one in found))
