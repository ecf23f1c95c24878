"""`POST /v1/search`: a question to the store, answered by a selection."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from reparto.errors import Problem, RequestError, unknown_name
from reparto.service.examples import SEARCH
from reparto.service.faults import Refusal
from reparto.service.limits import seats_problem, text_problem
from reparto.service.reading import read_json
from reparto.service.schemas import BUSY, answers, body, ref
from reparto.service.settings import Settings
from reparto.service.state import Service, service_of
from reparto.service.writing import json_bytes

router = APIRouter(tags=["selection"])
KEYS: Mapping[str, tuple[type, ...]] = {
    "query": (str,),
    "query_class": (str,),
    "k": (int,),
    "pool": (int,),
    "where": (dict,),
    "since": (str,),
    "until": (str,),
    "policy": (dict,),
}
WORDS = {str: "a string", int: "a whole number", dict: "an object"}


@router.post(
    "/v1/search",
    summary="Search the store, then select",
    responses=answers(ref("Selection"), *BUSY, 404, 501),
    openapi_extra=body(ref("SearchBody"), SEARCH),
)
async def search(request: Request) -> Response:
    """Hybrid retrieval of a pool, then selection by the contract: what `reparto search` prints.

    `where` maps a field or `metadata.NAME` to a value or a list of values; `pool` is at least k. 404 without a store.
    """
    service, raw = service_of(request), await request.body()
    if service.settings.store is None:
        raise Refusal(
            404,
            Problem("no_store", "this service has no store", "start it with --store, or send candidates to /v1/select"),
        )
    async with service.work.turn(service.settings.request_seconds) as turn:
        answer, about = await turn.run(_answer, service, raw)
    request.scope["reparto"] = about
    return Response(answer, media_type="application/json")


def _answer(service: Service, raw: bytes) -> tuple[bytes, dict[str, Any]]:
    asked = read_search(read_json(raw, service.settings), service.settings)
    selection = search_with(service, asked).to_dict()
    report = selection["report"]
    return json_bytes(selection), {
        "candidates": report["candidates"],
        "seats": report["seats"],
        "policies": [selection["query_class"]],
    }


def search_with(service: Service, asked: Mapping[str, Any]) -> Any:
    """The selection for a question that `read_search` has checked. Blocks."""
    from reparto.stores.filters import filters_from

    found = service.search()
    if found is None:
        raise Refusal(404, Problem("no_store", "this service has no store", "start it with --store"))
    filters = filters_from(asked.get("where", {}), asked.get("since"), asked.get("until"))
    started = time.perf_counter()
    with service.tracing.span("search") as span:
        given = {name: asked[name] for name in ("query_class", "k", "pool", "policy") if name in asked}
        answer = found(asked["query"], filters=filters, **given)
        span.answered(answer.selection)
    service.observe(answer.request, answer.selection, "search", time.perf_counter() - started)
    return answer.selection


def read_search(value: Any, settings: Settings) -> dict[str, Any]:
    """A checked question; `null` is absent. Raises `RequestError` with every problem."""
    if not isinstance(value, Mapping):
        raise RequestError(Problem("wrong_type", "a search is an object", 'send {"query": "…"}'))
    problems = [unknown_name("key", str(key), list(KEYS), str(key)) for key in value if key not in KEYS]
    asked = {key: one for key, one in value.items() if one is not None and key in KEYS}
    for key, one in asked.items():
        if isinstance(one, float) and one.is_integer():  # 8.0 is 8 in JSON
            one = asked[key] = int(one)
        if not isinstance(one, KEYS[key]) or isinstance(one, bool):
            word = WORDS[KEYS[key][0]]
            problems.append(Problem("wrong_type", f"{key} should be {word}", f"give {word}", field=key))
    if "query" not in asked:
        problems.append(Problem("missing_query", "there is no query", "give the question as `query`", field="query"))
    for name, most in (("k", settings.seats), ("pool", settings.candidates)):
        number = asked.get(name)
        if isinstance(number, int) and not 1 <= number <= most:
            problems.append(
                Problem("out_of_range", f"{name} is not in 1..{most}", f"give a number in 1..{most}", field=name)
            )
    policy = asked.get("policy")
    if policy is not None and not settings.allow_policy:
        problems.append(
            Problem("policy_forbidden", "this service takes no inline policy", "name a `query_class`", field="policy")
        )
    elif isinstance(policy, Mapping):
        problems += seats_problem(policy.get("k"), "policy.k", settings)
    problems += text_problem(asked.get("query"), "query", settings)
    if problems:
        raise RequestError(problems)
    return asked
