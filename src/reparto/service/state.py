"""The service's parts, put together once from its settings and reached by every route through `service_of`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from starlette.requests import Request as HTTPRequest

from reparto import kernels
from reparto.contract import Contract
from reparto.errors import InputError, LogError, Problem
from reparto.intake import Request
from reparto.pipeline import select
from reparto.selection import Selection
from reparto.service import logs
from reparto.service.body import Flight
from reparto.service.faults import unavailable
from reparto.service.keys import Keys, hosts_of
from reparto.service.metrics import Metrics
from reparto.service.recorder import Recorder
from reparto.service.scorer import Scorer, make_scorer
from reparto.service.settings import Settings, secret
from reparto.service.tracing import Tracing, tracing
from reparto.service.upstream import Upstream, upstream_of
from reparto.service.work import Work

if TYPE_CHECKING:
    from reparto.retrieval.searching import Search


@dataclass(eq=False)
class Service:
    """Everything that outlives a request."""

    settings: Settings
    contract: Contract
    keys: Keys
    hosts: tuple[str, ...]
    metrics: Metrics
    work: Work
    tracing: Tracing
    scorer: Scorer
    recorder: Recorder | None = None
    upstream: Upstream | None = None
    flight: Flight = field(default_factory=Flight)
    ready: bool = False
    not_ready: list[str] = field(default_factory=list)
    settle: Callable[[], object] = lambda: None  # run once when all is loaded, before the first request is taken
    _searches: threading.local = field(default_factory=threading.local)

    def select(self, request: Request, door: str, model: str | None = None, **given: Any) -> Selection:
        """Select, record, count. Blocks: to be run in a thread."""
        started = time.perf_counter()
        with self.tracing.span(door) as span:
            selection = select(request, self.contract, **given)
            span.answered(selection, model)
        self.observe(request, selection, door, time.perf_counter() - started)
        return selection

    def observe(self, request: Request, selection: Selection, door: str, seconds: float) -> None:
        """Record and count a selection. Where the record cannot be written, a 503: no log, no delivery."""
        if self.recorder is not None:
            try:
                self.recorder.write(request, selection)
            except LogError as error:
                self.metrics.log_failures.inc()
                logs.event("log_unwritable", 40, error)
                remedy = "the operator must make room for the selection log"
                raise unavailable("log_unwritable", "the selection could not be recorded", remedy) from error
        self.metrics.selected(selection, door, seconds)

    def search(self) -> Search | None:
        """The search of the store, opened once a thread; None without a store."""
        if self.settings.store is None:
            return None
        found: Search | None = getattr(self._searches, "search", None)
        if found is None:
            from reparto import embedders
            from reparto.retrieval.searching import Search
            from reparto.stores.opening import open_store

            store = open_store(self.settings.store)
            found = Search(store, embedders.again(store.manifest.embedder), self.contract)
            self._searches.search = found
        return found

    def start(self) -> None:
        """Whatever may fail or be slow the first time: the log, the store, a first selection."""
        if self.recorder is not None and (cut := self.recorder.open()):
            logs.event("log_mended", 30, bytes_cut=cut)
        self.search()
        self.scorer("a first question", ["a first document"])
        select(
            {"candidates": [{"id": "a", "score": 1.0, "text": "a first selection, so that all is loaded"}]},
            self.contract,
        )
        self.settle()
        self.ready = True


def build(settings: Settings, exporters: Sequence[Any] = ()) -> Service:
    """Put the parts together. Raises `InputError` for settings that cannot be used."""
    contract = Contract.load(settings.contract) if settings.contract else Contract()
    _check_answering(settings)
    keys = Keys(secret(settings.api_keys, "REPARTO_API_KEYS"))
    active = kernels.active()
    info = {"version": version("reparto"), "kernels": active.name, "contract": contract.digest}
    metrics = Metrics(info)
    return Service(
        settings,
        contract,
        keys,
        hosts_of(settings, keys),
        metrics,
        Work(settings.threads, settings.queue),
        tracing(settings.trace, settings.trace_texts, exporters),
        make_scorer(settings.scorer),
        Recorder(settings.log, settings.log_texts) if settings.log else None,
        upstream_of(settings, metrics),
    )


def _check_answering(settings: Settings) -> None:
    """Half an endpoint would be none without a word."""
    url, model = settings.answer_url, settings.answer_model
    if bool(url) != bool(model):
        given, missing = ("answer_url", "answer_model") if url else ("answer_model", "answer_url")
        remedy = "give --answer-url and --answer-model, or neither"
        raise InputError(Problem("half_an_endpoint", f"{given} is given without {missing}", remedy, field=missing))
    if url and not url.startswith(("http://", "https://")):
        remedy = "give its full URL, such as http://host/v1"
        raise InputError(Problem("no_url", "the answering endpoint is no http(s) URL", remedy, field="answer_url"))


def service_of(request: HTTPRequest) -> Service:
    """The service behind a request."""
    service: Service = request.app.state.service
    return service
