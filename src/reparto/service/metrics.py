"""What Prometheus sees: counters of what was delivered, histograms of how long it took. Never a text as a label.

Rates come from counters in PromQL: `rate(reparto_delivered_duplicates_total) / rate(reparto_delivered_passages_total)`.
"""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector, generate_latest

from reparto.selection import Selection

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
NUMBERS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


class Metrics:
    """The service's metrics, in a registry of their own. `policy` is the query class: one of the contract's names."""

    def __init__(self, info: Mapping[str, str]) -> None:
        self.registry = one = CollectorRegistry()
        ProcessCollector(registry=one)
        Info("reparto", "What runs here.", registry=one).info(dict(info))
        self.requests = Counter("reparto_http_requests", "HTTP requests.", ("route", "method", "status"), registry=one)
        self.http_seconds = Histogram(
            "reparto_http_request_seconds", "Time to answer.", ("route",), buckets=SECONDS, registry=one
        )
        self.in_flight = Gauge("reparto_http_in_flight", "Requests being answered.", registry=one)
        self.shed = Counter("reparto_shed", "Requests turned away, by code of the error.", ("code",), registry=one)
        self.selections = Counter("reparto_selections", "Selections made.", ("policy", "door"), registry=one)
        self.seconds = Histogram(
            "reparto_selection_seconds", "Time of one selection.", ("policy",), buckets=SECONDS, registry=one
        )
        self.candidates = Histogram(
            "reparto_candidates", "Candidates a request.", ("policy",), buckets=NUMBERS, registry=one
        )
        self.sources = Histogram(
            "reparto_sources", "Distinct sources an answer.", ("policy",), buckets=NUMBERS, registry=one
        )
        self.delivered = Counter("reparto_delivered_passages", "Passages seated.", ("policy",), registry=one)
        self.duplicates = Counter(
            "reparto_delivered_duplicates",
            "Seated passages that resemble another seated one.",
            ("policy", "method"),
            registry=one,
        )
        self.ranked = Counter("reparto_ranked_passages", "First k candidates, as ranked.", ("policy",), registry=one)
        self.ranked_duplicates = Counter(
            "reparto_ranked_duplicates",
            "First k candidates that resemble another of them.",
            ("policy", "method"),
            registry=one,
        )
        self.empty = Counter(
            "reparto_empty_seats", "Seats asked for that stayed empty.", ("policy", "because"), registry=one
        )
        self.fates = Counter("reparto_fates", "Candidates by what became of them.", ("policy", "fate"), registry=one)
        self.unmet = Counter(
            "reparto_unmet_reserves", "Reserves that the pool could not meet.", ("policy",), registry=one
        )
        self.upstream = Counter("reparto_upstream_calls", "Calls to the upstream reranker.", ("outcome",), registry=one)
        self.degraded = Counter("reparto_degraded", "Answers scored without the upstream reranker.", registry=one)
        self.log_failures = Counter(
            "reparto_log_failures", "Selection records that could not be written.", registry=one
        )

    def selected(self, selection: Selection, door: str, seconds: float) -> None:
        """Count one selection."""
        policy, report = selection.query_class, selection.report
        seats = len(selection.seats)
        ranked = min(
            seats + int(report["empty_seats"]), sum(report["fates"].values()) - report["fates"].get("invalid", 0)
        )
        self.selections.labels(policy, door).inc()
        self.seconds.labels(policy).observe(seconds)
        self.candidates.labels(policy).observe(report["candidates"])
        self.sources.labels(policy).observe(report["sources"])
        self.delivered.labels(policy).inc(seats)
        self.duplicates.labels(policy, "lexical").inc(round(report["duplicate_rate_after"] * seats))
        self.ranked.labels(policy).inc(ranked)
        self.ranked_duplicates.labels(policy, "lexical").inc(round(report["duplicate_rate_before"] * ranked))
        if report["empty_seats"]:
            self.empty.labels(policy, str(report["empty_because"])).inc(report["empty_seats"])
        if report["unmet"]:
            self.unmet.labels(policy).inc(len(report["unmet"]))
        for fate, number in report["fates"].items():
            self.fates.labels(policy, fate).inc(number)

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)
