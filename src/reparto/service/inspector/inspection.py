"""One look at one request: the selection under the page's settings, and all that the figures are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import xxhash

from reparto.contract import Resolved
from reparto.contract.diversity import build
from reparto.contract.layers import merge_policies
from reparto.contract.policy import Policy
from reparto.errors import Problem, RequestError
from reparto.evaluation.path import entries_before_seating
from reparto.model import Candidate
from reparto.pipeline import select
from reparto.selection import Selection
from reparto.service.inspector.form import Asked
from reparto.service.inspector.sources import Given, given
from reparto.service.inspector.steps import Seated, Steps, find_steps
from reparto.service.limits import seats_problem
from reparto.service.settings import Settings
from reparto.service.state import Service


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """The selection beside its request. `lam` and `steps` are None where the objective has no lambda.

    `ranking` is the valid candidates as the ranker has them, best first. `override` is what the person changed.
    """

    given: Given
    selection: Selection
    policy: Policy
    seated: Seated
    ranking: tuple[Candidate, ...]
    override: Mapping[str, Any]
    lam: float | None = None
    steps: Steps | None = None

    @property
    def first(self) -> tuple[Candidate, ...]:
        """What a reader would get by rank alone: the first k."""
        return self.ranking[: self.policy.k]

    @property
    def objective(self) -> str:
        """Name of the objective in force."""
        return str((self.policy.diversity or {}).get("objective", "relevance"))

    @property
    def at(self) -> int:
        """The stretch of lambda that the selection stands on."""
        return 0 if self.steps is None or self.lam is None else self.steps.index(self.lam)

    @property
    def key(self) -> str:
        """A name for these stretches, so that a slider is never read against others."""
        return "" if self.steps is None else _key(self.steps)


def inspect(service: Service, asked: Asked) -> Inspection:
    """Select as the form says. Blocks; raises `InputError` or a `Refusal` as the service's own doors do.

    Nothing is written to the selection log and nothing is counted: a look is no delivery.
    """
    override = asked.policy()
    _check(asked, override, service.settings)
    found = given(service, asked)
    selection, resolved = _select(service, found, asked, override)
    entries = entries_before_seating(found.request, resolved.policy)
    seated = Seated.of(found.request, resolved, entries)
    steps = find_steps(seated)
    moved = None if steps is None else _moved(asked, steps)
    if moved is not None:
        override = merge_policies(override, {"diversity": {"lambda": moved}})
        _check(asked, override, service.settings)
        selection, resolved = _select(service, found, asked, override)
        seated = replace(seated, policy=resolved.policy, objective=resolved.diversity.objective)
    ranking = _ranking(found, resolved.policy)
    return Inspection(found, selection, resolved.policy, seated, ranking, override, seated.lam, steps)


def _select(service: Service, found: Given, asked: Asked, override: Mapping[str, Any]) -> tuple[Selection, Resolved]:
    selection = select(
        found.request,
        service.contract,
        query_class=asked.query_class or None,
        k=asked.seats,
        policy=override or None,
    )
    layers = dict(selection.policy)
    policy = Policy.model_validate(layers)
    return selection, Resolved(policy, build(policy.diversity), layers)


def _check(asked: Asked, override: Mapping[str, Any], settings: Settings) -> None:
    problems = seats_problem(asked.seats, "k", settings)
    if override and not settings.allow_policy:
        message, remedy = "this service takes no inline policy", "choose a query class; the contract says what it means"
        problems.append(Problem("policy_forbidden", message, remedy, field="policy"))
    if problems:
        raise RequestError(problems)


def _moved(asked: Asked, steps: Steps) -> float | None:
    """The lambda that the slider was moved to, or None when it was left alone or belongs to another request."""
    if asked.key != _key(steps) or asked.step == asked.at or not (asked.step.isascii() and asked.step.isdigit()):
        return None
    place = int(asked.step[:6])
    return steps.steps[min(place, len(steps.steps) - 1)].lam


def _key(steps: Steps) -> str:
    return xxhash.xxh3_64_hexdigest(repr([(one.low, one.picks) for one in steps.steps]).encode())


def _ranking(found: Given, policy: Policy) -> tuple[Candidate, ...]:
    sign = -1.0 if policy.scores.kind == "relevance" else 1.0
    best: dict[str, Candidate] = {}
    for one in sorted(found.request.candidates, key=lambda one: (sign * one.score if one.valid else 0.0, one.id)):
        if one.valid:
            best.setdefault(one.id, one)
    return tuple(best.values())


def distinct(values: Sequence[str | None]) -> int:
    """Distinct values; a missing one is its own."""
    return len({value for value in values if value is not None}) + sum(value is None for value in values)
