"""The one data flow: scale scores, merge spans, collapse copies, canonical, seat, order.

The runner, not the stages, checks conservation: every candidate survives a stage or leaves it with one decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reparto.contract import Contract, Policy, Resolved
from reparto.errors import ConservationError, Problem, RequestError, UnknownNameError
from reparto.intake import Request, read_request
from reparto.model import Candidate, Decision, Entry, Fate, Notice, Pool, Stage, Step
from reparto.objectives import Ground
from reparto.outcome import build_selection
from reparto.routing import route
from reparto.scores import scale_scores
from reparto.selection import Selection
from reparto.similarity import similarity_of
from reparto.stages import ranked
from reparto.stages.canonical import Canonical
from reparto.stages.collapse import Collapse
from reparto.stages.constraints import constraints_of
from reparto.stages.merge import Merge
from reparto.stages.reserves import reserves_of
from reparto.stages.seat import seat
from reparto.tokens import counter_of, length

Router = Callable[[str], str | None]


def select(
    request: Any,
    contract: Contract | None = None,
    *,
    query: str | None = None,
    query_class: str | None = None,
    k: int | None = None,
    policy: Mapping[str, Any] | None = None,
    router: Router = route,
) -> Selection:
    """Share k seats out over ranked candidates.

    `request` is a request object (docs/reference.md), or just candidates: a list of dicts or
    dataclasses, a pandas or polars frame, an Arrow table; numpy vectors are not copied. The keyword arguments set or
    override the request's keys of the same name. The input is not changed. Safe to call from many threads.

    Raises `RequestError` or `ContractError` with every problem found at once.
    """
    checked = _with_overrides(read_request(request), query=query, query_class=query_class, k=k, policy=policy)
    contract = contract or _BUILTIN
    name, came_from = _class_of(checked, contract, router)
    resolved = contract.resolve(name, checked.policy)
    if checked.k is not None:
        policy_k = resolved.policy.model_copy(update={"k": checked.k})
        resolved = replace(resolved, policy=policy_k, layers={**resolved.layers, "k": checked.k})
    return run(checked, resolved, contract, name, came_from)


def run(request: Request, resolved: Resolved, contract: Contract, name: str, came_from: str) -> Selection:
    """Select under a policy already resolved."""
    if request.fused and resolved.policy.scores.kind == "distance":  # a fused value is a relevance, whatever it is of
        layers = {**resolved.layers, "scores": {**resolved.layers["scores"], "kind": "relevance"}}
        scores = resolved.policy.scores.model_copy(update={"kind": "relevance"})
        resolved = replace(resolved, policy=resolved.policy.model_copy(update={"scores": scores}), layers=layers)
    policy = resolved.policy
    if policy.on_invalid == "error" and request.faults:
        raise RequestError(request.faults)
    notices = [_warning(problem) for problem in request.faults]
    candidates, found = _one_per_id(request.candidates, policy)
    notices += found
    valid = [one for one in candidates if one.valid]
    decisions = [Decision(one.id, Fate.INVALID) for one in candidates if not one.valid]
    pool, found = _pool(valid, policy, request.query)
    notices += found
    for stage in stages_of(policy, request):
        step = run_stage(stage, pool)
        pool, notices = step.pool, notices + list(step.notices)
        decisions += step.decisions
    entries = pool.entries
    ground = ground_of(entries, policy, request)
    constraints = constraints_of(policy, entries, ground.relevance, resolved.diversity.floor)
    reserves = reserves_of(policy.reserve, entries, valid, policy.k)
    seating = seat(entries, ground, resolved.diversity.objective, constraints, reserves, policy.k)
    return build_selection(
        request=request, resolved=resolved, contract=contract, query_class=name, class_from=came_from,
        candidates=candidates, entries=entries, seating=seating, reserves=reserves, decisions=decisions,
        notices=notices,
    )  # fmt: skip


def ground_of(entries: Sequence[Entry], policy: Policy, request: Request) -> Ground:
    """What an objective may look at of the entries that compete for seats, in rank order."""
    return Ground(
        [entry.id for entry in entries], [entry.text for entry in entries],
        np.array([entry.relevance for entry in entries], dtype=np.float64), similarity_of(entries),
        request.query, request.aspects, policy.k, _affordable(entries, policy),
        [_carriers(entry) for entry in entries],
    )  # fmt: skip


def _affordable(entries: Sequence[Entry], policy: Policy) -> float:
    """The share of the first k entries' length that the budget pays for; 1 without a budget."""
    wanted = sum(entry.tokens for entry in entries[: policy.k])
    return min(1.0, policy.budget.tokens / wanted) if policy.budget is not None and wanted else 1.0


def _carriers(entry: Entry) -> int:
    """How many outlets (documents, where none is known) carry an entry in this pool, at least 1; and its variants."""
    known = {one.candidate.source or one.candidate.document for one in (entry, *entry.copies)} - {None}
    return max(1, len(known)) + len(entry.depth)


def stages_of(policy: Policy, request: Request) -> list[Stage]:
    """The stages that a policy switches on, in order."""
    counter = policy.budget.counter if policy.budget else "estimate"
    stages: list[Stage] = []
    if policy.merge is not None:
        stages.append(Merge(policy.merge.gap, policy.merge.max_tokens, request.offset_unit, counter_of(counter)))
    if policy.collapse is not None:
        stages.append(Collapse(policy.collapse, prefer_gold=policy.canonical is not None))
    if policy.canonical is not None:
        stages.append(Canonical())
    return stages


def run_stage(stage: Stage, pool: Pool) -> Step:
    """Run one stage and check that it accounts for every entry exactly once; `ConservationError` otherwise."""
    step = stage(pool)
    if step.pool.entries == pool.entries and not step.decisions:
        return step
    _conserved(
        stage,
        [entry.candidate.id for entry in pool.entries],
        [*(entry.candidate.id for entry in step.pool.entries), *(one.id for one in step.decisions)],
    )
    _conserved(
        stage,
        [one.id for entry in pool.entries for one in entry.all_candidates()],
        [one.id for entry in step.pool.entries for one in entry.all_candidates()],
    )
    return step


def _conserved(stage: Stage, before: Sequence[str], after: Sequence[str]) -> None:
    """The same ids, each once: `before` holds no id twice, since the pool held one entry an id."""
    known = set(before)
    if len(before) == len(after) and known == set(after):
        return
    odd = sorted(known ^ set(after)) or sorted(id for id, times in Counter(after).items() if times > 1)
    raise ConservationError(f"{type(stage).__name__} lost or invented candidates: {', '.join(odd[:10])}")


def _with_overrides(request: Request, **given: Any) -> Request:
    changes = {name: value for name, value in given.items() if value is not None}
    if "k" in changes and (isinstance(changes["k"], bool) or not isinstance(changes["k"], int) or changes["k"] < 1):
        raise RequestError(Problem("out_of_range", f"k is {changes['k']!r}", "ask for at least one seat", field="k"))
    if "policy" in changes and request.policy:
        from reparto.contract.layers import merge_policies

        changes["policy"] = merge_policies(request.policy, changes["policy"])
    return replace(request, **changes) if changes else request


def _class_of(request: Request, contract: Contract, router: Router) -> tuple[str, str]:
    """The query class and where it came from: the request wins, then the router, then the default."""
    if request.query_class is not None:
        if request.query_class not in contract.classes:
            raise UnknownNameError("query_class", request.query_class, contract.classes, "query_class")
        return request.query_class, "request"
    routed = route_safely(router, request.query, contract)
    return (routed, "router") if routed is not None else (contract.default_class, "default")


def route_safely(router: Router, query: str, contract: Contract) -> str | None:
    """The router's answer, if it is a class that the contract knows."""
    name = router(query) if query else None
    return name if name in contract.classes else None


def _one_per_id(candidates: Sequence[Candidate], policy: Policy) -> tuple[list[Candidate], list[Notice]]:
    """The same passage twice is one candidate with the best score; ids ascending."""
    sign = 1 if policy.scores.kind == "relevance" else -1
    best: dict[str, Candidate] = {}
    twice: set[str] = set()
    for one in candidates:
        known = best.get(one.id)
        if known is not None:
            twice.add(one.id)
        if known is None or (one.valid, sign * one.score) > (known.valid, sign * known.score):
            best[one.id] = one
    ids = tuple(sorted(twice))
    notices = (
        [Notice("same_id_twice", f"given more than once, taken once with the best score: {', '.join(ids)}", ids)]
        if ids
        else []
    )
    return [best[id] for id in sorted(best)], notices


def _pool(valid: Sequence[Candidate], policy: Policy, query: str) -> tuple[Pool, list[Notice]]:
    scores = policy.scores
    relevance, notices = scale_scores(
        np.array([one.score for one in valid], dtype=np.float64),
        kind=scores.kind, scale=scores.scale, midpoint=scores.midpoint, slope=scores.slope,
        ids=[one.id for one in valid],
    )  # fmt: skip
    counter = policy.budget.counter if policy.budget else "estimate"
    entries = [
        Entry(one, value, one.text, length(one, counter)) for one, value in zip(valid, relevance.tolist(), strict=True)
    ]
    return ranked(entries, query), notices


def _warning(problem: Problem) -> Notice:
    return Notice(problem.code, f"{problem.id}: {problem.message}", (problem.id,) if problem.id is not None else ())


_BUILTIN = Contract()
