"""OpenTelemetry spans, and every attribute name that may change with the conventions.

Two vocabularies at once: the GenAI conventions for retrieval (open-telemetry/semantic-conventions-genai, in
development) and OpenInference's kinds RETRIEVER and RERANKER. Texts stay out unless asked for. Extra `tracing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from reparto.errors import MissingExtraError
from reparto.selection import Selection

OPERATIONS = {"select": "rerank", "rerank": "rerank", "search": "retrieval"}
KINDS = {"select": "RERANKER", "rerank": "RERANKER", "search": "RETRIEVER"}


class Span:
    """A span under way; without tracing, nothing."""

    def __init__(self, span: Any = None, door: str = "", texts: bool = False) -> None:
        self._span, self._door, self._texts = span, door, texts

    def answered(self, selection: Selection, model: str | None = None) -> None:
        """Put what was selected on the span."""
        if self._span is None:
            return
        report, reranking = selection.report, KINDS[self._door] == "RERANKER"
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": OPERATIONS[self._door],
            "gen_ai.retrieval.top_k": len(selection.seats) + report["empty_seats"],
            "openinference.span.kind": KINDS[self._door],
            "reparto.policy": selection.query_class,
            "reparto.contract.digest": selection.contract["digest"],
            "reparto.candidates": report["candidates"],
            "reparto.seats": len(selection.seats),
            "reparto.duplicate_rate_before": report["duplicate_rate_before"],
            "reparto.duplicate_rate_after": report["duplicate_rate_after"],
        }
        if reranking:
            attributes["reranker.top_k"] = attributes["gen_ai.retrieval.top_k"]
            attributes["reranker.model_name"] = model or f"reparto/{selection.query_class}"
        prefix = "reranker.output_documents" if reranking else "retrieval.documents"
        for place, seat in enumerate(selection.seats):
            attributes[f"{prefix}.{place}.document.id"] = seat.id
            attributes[f"{prefix}.{place}.document.score"] = seat.score
            if self._texts:
                attributes[f"{prefix}.{place}.document.content"] = seat.text
        if self._texts:
            attributes["gen_ai.retrieval.query.text"] = selection.query
            attributes["reranker.query" if reranking else "input.value"] = selection.query
        for name, value in attributes.items():
            self._span.set_attribute(name, value)


class Tracing:
    """Starts spans. `tracer` None is off: no import, no cost."""

    def __init__(self, tracer: Any = None, texts: bool = False) -> None:
        self._tracer, self._texts = tracer, texts

    @contextmanager
    def span(self, door: str) -> Iterator[Span]:
        """A span around one selection, a child of whatever span is current."""
        if self._tracer is None:
            yield Span()
            return
        with self._tracer.start_as_current_span(f"{OPERATIONS[door]} reparto") as span:
            yield Span(span, door, self._texts)


def tracing(on: bool, texts: bool, exporters: Sequence[Any] = ()) -> Tracing:
    """Tracing through the process's tracer provider.

    Where none is set yet, one is made that exports by OTLP over HTTP to where `OTEL_EXPORTER_OTLP_ENDPOINT` says, or
    to the `exporters` given. Raises `MissingExtraError` without the extra.
    """
    if not on:
        return Tracing()
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

        provider = TracerProvider(resource=Resource.create({"service.name": "reparto"}))
        if exporters:
            for exporter in exporters:
                provider.add_span_processor(SimpleSpanProcessor(exporter))
        else:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    except ImportError as error:
        raise MissingExtraError("tracing", "tracing") from error
    return Tracing(provider.get_tracer("reparto"), texts)
