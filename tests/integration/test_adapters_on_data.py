"""Pipelines of three frameworks over their in-memory stores, on real news: how many delivered passages repeat another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reparto.resemblance import resemblance_matrix

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
K, POOL, QUERIES = 8, 50, 24


@dataclass(frozen=True)
class News:
    """Passages on 24 events in one corpus, with the vectors they come with, and some of the questions."""

    passages: dict[str, dict[str, Any]]
    vectors: dict[str, list[float]]
    questions: dict[str, list[float]]


@pytest.fixture(scope="module")
def news(shared_data: Path) -> Iterator[News]:
    folder = shared_data / "banks"
    held = np.load(folder / "trec_ts.vectors.npz")
    vectors = {str(id): row.astype(float).tolist() for id, row in zip(held["ids"], held["vectors"], strict=True)}
    asked = dict(zip(map(str, held["query_ids"]), held["query_vectors"].astype(float).tolist(), strict=True))
    lines = [json.loads(line) for line in (folder / "trec_ts.jsonl").read_text(encoding="utf-8").splitlines()]
    passages = {one["id"]: one for line in lines for one in line["candidates"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")  # no word to anyone about a test
        yield News(passages, vectors, {line["query"]: asked[line["query_id"]] for line in lines[:QUERIES]})


def duplicate_rate(texts: list[str]) -> float:
    alike = resemblance_matrix(texts) >= 0.6
    return float((alike.sum(axis=1) > 1).mean())


def check(name: str, news: News, ask: Callable[[str], tuple[list[tuple[str, str]], list[tuple[str, str]]]]) -> None:
    """`ask` gives (id, text) of the first k found, and of what the pipeline with the adapter delivers."""
    before, after = [], []
    for question in news.questions:
        first, delivered = ask(question)
        assert len(first) == len(delivered) == K
        assert len({id for id, _ in delivered}) == K
        assert all(news.passages[id]["text"] == text for id, text in delivered)  # ids and texts are the store's own
        before.append(duplicate_rate([text for _, text in first]))
        after.append(duplicate_rate([text for _, text in delivered]))
    print(f"{name}: duplicate rate {np.mean(before):.3f} before, {np.mean(after):.3f} after, {len(before)} questions")
    assert np.mean(before) > 0.1
    assert np.mean(after) < np.mean(before) / 4
    # Versions of one text that disagree are kept, and may resemble each other: that is no copy.
    assert sum(late > early for early, late in zip(before, after, strict=True)) <= 1


def test_langchain(news: News) -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    from reparto.integrations.langchain import RepartoCompressor, RepartoRetriever

    by_text = {one["text"]: news.vectors[id] for id, one in news.passages.items()}

    class Held(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [by_text[text] for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return news.questions[text]

    store = InMemoryVectorStore(Held())
    store.add_documents(
        [
            Document(id=id, page_content=one["text"], metadata={"document": one["document"]})
            for id, one in news.passages.items()
        ]
    )
    found = store.as_retriever(search_kwargs={"k": POOL})
    chain = RepartoRetriever(retriever=found, compressor=RepartoCompressor(query_class="survey", k=K))

    def ask(question: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        first = [(str(one.id), one.page_content) for one in found.invoke(question)[:K]]
        return first, [(str(one.id), one.page_content) for one in chain.invoke(question)]

    check("LangChain", news, ask)


def test_llama_index(news: News, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core import MockEmbedding, Settings, VectorStoreIndex
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    from reparto.integrations.llama_index import RepartoPostprocessor

    nodes = [TextNode(id_=id, text=one["text"], embedding=news.vectors[id]) for id, one in news.passages.items()]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(512))

    monkeypatch.setattr(Settings, "_llm", MockLLM())  # the engine asks for one, though it is to write nothing
    synthesizer = get_response_synthesizer(llm=MockLLM(), response_mode=ResponseMode.NO_TEXT)

    def engine(size: int, **more: Any) -> RetrieverQueryEngine:
        return RetrieverQueryEngine(index.as_retriever(similarity_top_k=size), response_synthesizer=synthesizer, **more)

    plain = engine(K)
    with_seats = engine(POOL, node_postprocessors=[RepartoPostprocessor(k=K, query_class="survey")])

    def pairs(found: list[NodeWithScore]) -> list[tuple[str, str]]:
        return [(one.node.node_id, one.node.get_content()) for one in found]

    def ask(question: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        bundle = QueryBundle(question, embedding=news.questions[question])
        return pairs(plain.query(bundle).source_nodes), pairs(with_seats.query(bundle).source_nodes)

    check("LlamaIndex", news, ask)


def test_haystack(news: News) -> None:
    pytest.importorskip("haystack", reason="haystack-ai is not installed")
    from haystack import Document, Pipeline
    from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    from reparto.integrations.haystack import RepartoSelector

    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(
        [Document(id=id, content=one["text"], embedding=news.vectors[id]) for id, one in news.passages.items()]
    )
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryEmbeddingRetriever(store, top_k=POOL, return_embedding=True))
    pipeline.add_component("seats", RepartoSelector(query_class="survey", k=K))
    pipeline.connect("retriever.documents", "seats.documents")

    def ask(question: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        given = {"retriever": {"query_embedding": news.questions[question]}, "seats": {"query": question}}
        found = pipeline.run(given, include_outputs_from={"retriever"})
        return pairs(found["retriever"]["documents"][:K]), pairs(found["seats"]["documents"])

    def pairs(found: list[Document]) -> list[tuple[str, str]]:
        return [(one.id, str(one.content)) for one in found]

    check("Haystack", news, ask)
