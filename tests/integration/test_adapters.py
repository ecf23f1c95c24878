"""Adapters in the frameworks' own pipelines: ids, scores and metadata survive, copies are counted, spans merged."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest

from reparto.resemblance import resemblance_matrix

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

WHOLE = "The dam was finished in 1931. It feeds two towns. The spillway was rebuilt in 1978."
CHUNKS = [("c1", WHOLE[:49], 0), ("c2", WHOLE[30:], 30)]
COPY = "The ferry to the island is cancelled until further notice because of the storm."


def outage() -> dict[str, Any]:
    """The first query of the shipped feed."""
    line = files("reparto.demo").joinpath("feed.jsonl").read_text(encoding="utf-8").splitlines()[0]
    query: dict[str, Any] = json.loads(line)
    return query


def duplicate_rate(texts: list[str]) -> float:
    alike = resemblance_matrix(texts) >= 0.6
    return float((alike.sum(axis=1) > 1).mean())


def test_langchain_in_a_chain_with_an_in_memory_store() -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    from reparto.integrations.langchain import RepartoCompressor, RepartoRetriever

    class Held(BaseRetriever):
        documents: list[Document]

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return self.documents

    asked = outage()
    documents = [
        Document(
            id=one["id"],
            page_content=one["text"],
            metadata={"relevance_score": one["score"], "source": one.get("source"), "mine": place},
        )
        for place, one in enumerate(asked["candidates"])
    ]
    before = duplicate_rate([document.page_content for document in documents[:8]])
    found = RepartoRetriever(
        retriever=Held(documents=documents), compressor=RepartoCompressor(query_class="survey", k=8)
    ).invoke(asked["query"])
    after = duplicate_rate([document.page_content for document in found])
    assert len(found) == 8
    assert after < before  # what is left is the correction beside the story: they disagree in a figure
    by_id = {document.id: document for document in documents}
    for document in found:
        assert document.metadata["mine"] == by_id[document.id].metadata["mine"]
        assert document.metadata["relevance_score"] == by_id[document.id].metadata["relevance_score"]
    assert max(document.metadata["reparto"]["copies"]["count"] for document in found) > 1


def test_langchain_uses_held_vectors_offsets_and_order() -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.documents import Document

    from reparto.integrations.langchain import RepartoCompressor

    documents = [
        Document(page_content=text, metadata={"doc_id": "dam", "start_index": start}) for _, text, start in CHUNKS
    ]
    documents.append(Document(page_content=COPY, metadata={"vector": [1.0, 0.0]}))
    compressor = RepartoCompressor(k=5)
    found = compressor.compress_documents(documents, "dam")
    assert [document.page_content for document in found if "dam" in document.page_content] == [WHOLE]
    assert compressor.select(documents, "dam").report["candidates"] == 3
    assert compressor.compress_documents([], "dam") == []


def test_llama_index_postprocessor() -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

    from reparto.integrations.llama_index import RepartoPostprocessor

    nodes = []
    for id, text, start in CHUNKS:
        node = TextNode(id_=id, text=text, start_char_idx=start, end_char_idx=start + len(text), embedding=[1.0, 0.0])
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="dam")
        nodes.append(NodeWithScore(node=node, score=0.9 if id == "c2" else 0.8))
    nodes += [
        NodeWithScore(node=TextNode(id_=f"f{n}", text=COPY, metadata={"source": f"S{n}"}), score=0.5 - n / 100)
        for n in range(3)
    ]
    found = RepartoPostprocessor(k=5, query_class="survey").postprocess_nodes(nodes, query_bundle=QueryBundle("dam"))
    assert [(node.node.node_id, node.score) for node in found] == [("c2", 0.9), ("f0", 0.5)]
    assert found[0].node.get_content() == WHOLE
    assert found[1].node.metadata["reparto"]["copies"]["count"] == 3
    assert nodes[0].node.get_content() == CHUNKS[0][1], "the caller's node is as it was"
    assert "reparto" not in found[1].node.get_content(metadata_mode="llm")


def test_llama_index_lowers_the_duplicate_rate_on_the_feed() -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    from reparto.integrations.llama_index import RepartoPostprocessor

    asked = outage()
    nodes = [
        NodeWithScore(node=TextNode(id_=one["id"], text=one["text"]), score=one["score"]) for one in asked["candidates"]
    ]
    found = RepartoPostprocessor(k=8, query_class="survey").postprocess_nodes(
        nodes, query_bundle=QueryBundle(asked["query"])
    )
    assert (
        duplicate_rate([node.node.text for node in found])
        == 0.0
        < duplicate_rate([node.node.text for node in nodes[:8]])
    )


def test_haystack_pipeline_is_serialisable_and_runs() -> None:
    pytest.importorskip("haystack", reason="haystack-ai is not installed")
    from haystack import Document, Pipeline

    from reparto.integrations.haystack import RepartoSelector

    pipeline = Pipeline()
    pipeline.add_component("seats", RepartoSelector(query_class="survey", k=8))
    from haystack.core import serialization

    if hasattr(serialization, "allow_deserialization_module"):  # newer versions ask which modules are trusted
        serialization.allow_deserialization_module("reparto.integrations.haystack")
    again = Pipeline.loads(pipeline.dumps())
    asked = outage()
    documents = [
        Document(id=one["id"], content=one["text"], score=one["score"], meta={"mine": place})
        for place, one in enumerate(asked["candidates"])
    ]
    result = again.run({"seats": {"documents": documents, "query": asked["query"]}})["seats"]
    assert duplicate_rate([document.content for document in result["documents"]]) < duplicate_rate(
        [document.content for document in documents[:8]]
    )
    assert result["report"]["duplicate_rate_after"] == 0.0, "what is left is logged as a revision"
    assert result["report"]["seats"] == len(result["documents"]) == 8
    by_id = {document.id: document for document in documents}
    assert all(
        one.score == by_id[one.id].score and one.meta["mine"] == by_id[one.id].meta["mine"]
        for one in result["documents"]
    )


@pytest.mark.parametrize("http", [False, True], ids=["in memory", "with a store"])
def test_mcp_tools(http: bool, tmp_path: Any) -> None:
    pytest.importorskip("mcp", reason="mcp is not installed")
    import asyncio

    from mcp import Client

    from reparto.integrations.mcp import server

    candidates = [{"id": f"f{n}", "score": 0.9 - n / 10, "text": COPY, "source": f"S{n}"} for n in range(3)]
    store = None
    if http:
        from click.testing import CliRunner

        from reparto.cli import group

        documents = tmp_path / "docs.jsonl"
        documents.write_text(
            "".join(json.dumps({"id": f"d{n}", "text": COPY, "source": f"S{n}"}) + "\n" for n in range(3)),
            encoding="utf-8",
        )
        store = str(tmp_path / "store")
        CliRunner().invoke(
            group, ["index", str(documents), "--store", store], standalone_mode=False, catch_exceptions=False
        )

    async def talk() -> tuple[Any, Any, Any]:
        async with Client(server(store=store)) as client:
            selected = await client.call_tool("select", {"candidates": candidates, "k": 3})
            bad = await client.call_tool("select", {"candidates": [{"id": "x"}]})
            found = await client.call_tool("search", {"query": "ferry", "k": 2}) if store else None
            return selected, bad, found

    selected, bad, found = asyncio.run(talk())
    assert selected.structured_content["seats"][0]["copies"]["count"] == 3
    assert bad.structured_content["errors"][0]["code"] == "missing_score"
    if found is not None:
        assert found.structured_content["seats"][0]["copies"]["count"] == 3


def test_qdrant_in_local_mode() -> None:
    qdrant = pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    import reparto
    from reparto.integrations.pools.qdrant import pool

    client = qdrant.QdrantClient(":memory:")
    models = qdrant.models
    client.create_collection("news", vectors_config=models.VectorParams(size=2, distance=models.Distance.COSINE))
    points = [
        models.PointStruct(
            id=n,
            vector=[1.0, n / 10],
            payload={"text": COPY if n < 3 else f"Other news number {n}", "source": f"S{n}", "date": "2024-05-01"},
        )
        for n in range(5)
    ]
    client.upsert("news", points)
    found = pool(client, "news", [1.0, 0.0], limit=5)
    assert [one["id"] for one in found] == ["0", "1", "2", "3", "4"]
    assert all(len(one["vector"]) == 2 and one["published"] == "2024-05-01" for one in found)
    selection = reparto.select(found, k=3, policy={"diversity": {"objective": "relevance"}})
    assert (selection.ids, selection[0].copies.count) == (["0", "3", "4"], 3)
    client.close()


def test_lancedb_table(tmp_path: Any) -> None:
    lancedb = pytest.importorskip("lancedb", reason="lancedb is not installed")
    import reparto
    from reparto.integrations.pools.lancedb import pool

    rows = [
        {"id": f"r{n}", "text": COPY if n < 2 else f"Other news number {n}", "vector": [1.0, n / 10], "source": f"S{n}"}
        for n in range(4)
    ]
    table = lancedb.connect(str(tmp_path)).create_table("news", rows)
    found = pool(table, [1.0, 0.0], limit=4, where="source != 'S3'")
    assert [one["id"] for one in found] == ["r0", "r1", "r2"]
    assert found[0]["score"] == pytest.approx(1.0, abs=1e-6)
    assert reparto.select(found, k=2)[0].copies.sources == ("S0", "S1")


def test_pgvector(postgres: Any) -> None:
    import reparto
    from reparto.integrations.pools.pgvector import pool

    with postgres.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE news (id text PRIMARY KEY, text text, embedding vector(2), source text, published date)"
        )
        rows = [
            (f"r{n}", COPY if n < 2 else f"Other news number {n}", f"[1,{n / 10}]", f"S{n}", "2024-05-01")
            for n in range(4)
        ]
        cursor.executemany("INSERT INTO news VALUES (%s, %s, %s, %s, %s)", rows)
    found = pool(postgres, "news", [1.0, 0.0], limit=4)
    assert [one["id"] for one in found] == ["r0", "r1", "r2", "r3"]
    assert found[0]["published"] == "2024-05-01"
    selection = reparto.select(found, k=3, policy={"diversity": {"objective": "relevance"}})
    assert (selection.ids, selection[0].copies.count) == (["r0", "r2", "r3"], 2)
    assert [one["id"] for one in pool(postgres, "news", [1.0, 0.0], where={"source": "S3"})] == ["r3"]
    assert pool(postgres, "news", [1.0, 0.0], where={"source": "'; DROP TABLE news; --"}) == []
