"""OpenTelemetry spans: emitted behind a flag, under both vocabularies, without texts unless asked for."""

from __future__ import annotations

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
    pytest.importorskip(module, reason="the service needs the extra `service`")
pytest.importorskip("opentelemetry.sdk", reason="spans need the extra `tracing`")

import httpx
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from reparto.service.examples import SELECT
from reparto.service.settings import Settings
from reparto.service.testing import in_thread


def spans(path, body, **settings):
    exporter = InMemorySpanExporter()
    with in_thread(Settings(trace=True, **settings), exporters=[exporter]) as running:
        assert httpx.post(f"{running.url}{path}", json=body, trust_env=False).status_code == 200
    return exporter.get_finished_spans()


def test_a_selection_is_a_reranker_span_without_texts():
    (span,) = spans("/v1/select", SELECT["one_request"])
    found = dict(span.attributes)
    assert span.name == "rerank reparto"
    assert found["openinference.span.kind"] == "RERANKER"
    assert found["gen_ai.operation.name"] == "rerank"
    assert (found["reranker.top_k"], found["reparto.seats"], found["reparto.candidates"]) == (3, 3, 4)
    assert found["reranker.output_documents.0.document.id"] == "wire-1"
    assert found["reparto.duplicate_rate_after"] == 0
    assert span.end_time > span.start_time
    assert "river" not in str(found)
    assert "flood" not in str(found)


def test_texts_on_demand():
    (span,) = spans("/v1/select", SELECT["one_request"], trace_texts=True)
    assert span.attributes["reranker.query"] == span.attributes["gen_ai.retrieval.query.text"] == "flood"
    assert "river" in span.attributes["reranker.output_documents.0.document.content"]


def test_a_rerank_span_names_the_model():
    (span,) = spans("/v2/rerank", {"query": "x", "documents": ["a b c", "d e f"], "model": "factual"})
    assert span.attributes["reranker.model_name"] == "factual"
    assert span.attributes["reparto.policy"] == "factual"


def test_off_is_off(monkeypatch):
    exporter = InMemorySpanExporter()
    with in_thread(Settings(), exporters=[exporter]) as running:
        httpx.post(f"{running.url}/v1/select", json=SELECT["one_request"], trust_env=False)
    assert exporter.get_finished_spans() == ()
