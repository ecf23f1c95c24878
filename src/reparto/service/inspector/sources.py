"""Where the page's request comes from: the shipped example, a pasted text, or a search of the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reparto.demo import feed
from reparto.errors import Problem, RequestError, unknown_name
from reparto.evaluation.facts import read_facts
from reparto.evaluation.judgments import Judgments
from reparto.intake import Request
from reparto.service.faults import Refusal
from reparto.service.inspector.form import Asked
from reparto.service.limits import read_within
from reparto.service.reading import read_json
from reparto.service.search_routes import read_search
from reparto.service.settings import Settings
from reparto.service.state import Service


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A request to look at, and the facts its candidates carry where it says so."""

    request: Request
    judgments: Judgments | None = None


def given(service: Service, asked: Asked) -> Given:
    """The request that the form names. Raises `InputError` or a `Refusal` as the service's own doors do."""
    return SOURCES[asked.source](service, asked)


def examples() -> list[dict[str, Any]]:
    """The shipped queries, in order."""
    return feed()


def _picked(service: Service, asked: Asked) -> Given:
    lines = {line["query_id"]: line for line in feed()}
    name = asked.pick or next(iter(lines))
    if name not in lines:
        raise RequestError(unknown_name("example", name, list(lines), "pick"))
    return _from_value(lines[name], service.settings)


def _pasted(service: Service, asked: Asked) -> Given:
    if not asked.request.strip():
        problem = Problem("missing_request", "nothing was pasted", "paste a request in JSON", field="request")
        raise RequestError(problem)
    return _from_value(read_json(asked.request.encode("utf-8", "replace"), service.settings), service.settings)


def _searched(service: Service, asked: Asked) -> Given:
    if service.settings.store is None:
        raise Refusal(404, Problem("no_store", "this service has no store", "start it with --store", field="search"))
    if not asked.search:
        raise RequestError(Problem("missing_query", "there is no query", "write a question", field="search"))
    wanted: dict[str, Any] = {"query": asked.search, "query_class": asked.query_class or None, "k": asked.seats}
    question = read_search(wanted, service.settings)
    search = service.search()
    if search is None:
        raise Refusal(404, Problem("no_store", "this service has no store", "start it with --store", field="search"))
    options = {name: question[name] for name in ("query_class", "k") if name in question}
    return Given(search(question["query"], **options).request)


def _from_value(value: Any, settings: Settings) -> Given:
    request = read_within(value, settings)
    judged = read_facts(value) if isinstance(value, Mapping) and value.get("facts") else None
    return Given(request, judged if judged is not None and judged.facts else None)


SOURCES: Mapping[str, Callable[[Service, Asked], Given]] = {
    "pick": _picked,
    "paste": _pasted,
    "search": _searched,
}
