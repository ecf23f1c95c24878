"""The contract: a policy per query class, declared in a file, with a digest that the log carries."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import xxhash
from pydantic import ValidationError

from reparto.contract.alerts import check_alerts
from reparto.contract.diversity import Diversity, build, check_diversity
from reparto.contract.layers import merge_policies, without_nulls
from reparto.contract.policy import Policy, nested_metadata
from reparto.contract.problems import problems_of
from reparto.errors import ContractError, Problem, UnknownNameError, unknown_name

TOP_KEYS = ("version", "default_class", "defaults", "classes", "alerts")


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """A policy with all layers merged, checked, its objective built. `layers` is the merged table, for the log."""

    policy: Policy
    diversity: Diversity
    layers: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Contract:
    """Policies by query class.

    `Contract.load(path)` reads a TOML file over the built-in contract; `Contract()` is the built-in one. Order of
    layers, later wins: built-in defaults, built-in class, the file's `[defaults]`, the file's class, the request.
    """

    tables: Mapping[str, Any] = field(default_factory=dict)
    name: str = "built-in"

    def __post_init__(self) -> None:
        problems = _check(self.tables)
        if problems:
            raise ContractError(problems)

    @classmethod
    def load(cls, path: str | Path) -> Contract:
        """Read a contract from a TOML file (or the `[tool.reparto]` table of a pyproject.toml).

        Raises `ContractError` with every problem found, each with the path of its key.
        """
        path = Path(path)
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            reason = error.strerror or str(error)
            raise ContractError(Problem("unreadable", f"{path}: {reason}", "name a TOML file")) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ContractError(
                Problem("not_toml", f"{path}: {error}", "mend the TOML; `reparto contract init` writes a valid one")
            ) from error
        if path.name == "pyproject.toml":
            tool = tables.get("tool", {})
            tables = tool.get("reparto", {}) if isinstance(tool, Mapping) else {}
        return cls(tables, name=str(path))

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the query classes, built-in ones and the file's."""
        return tuple(sorted({*builtin_tables()["classes"], *self.tables.get("classes", {})}))

    @property
    def default_class(self) -> str:
        """The class of a request that names none and that the router cannot tell."""
        return str(self.tables.get("default_class", builtin_tables()["default_class"]))

    @property
    def version(self) -> int:
        """The contract format's version."""
        return int(self.tables.get("version", builtin_tables()["version"]))

    @property
    def alerts(self) -> dict[str, dict[str, Any]]:
        """Alert rules by name: the file's over the built-in ones."""
        return {**builtin_tables()["alerts"], **self.tables.get("alerts", {})}

    @cached_property
    def digest(self) -> str:
        """A hash of what the contract says, with the built-in layers: equal digests, equal policies."""
        return _digest({"builtin": builtin_tables(), "tables": self.tables})

    def layers(self, query_class: str, override: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The merged table of a class, with a request's `policy` on top."""
        if query_class not in self.classes:
            raise UnknownNameError("query_class", query_class, self.classes, "query_class")
        builtin = builtin_tables()
        merged: dict[str, Any] = {}
        for layer in (
            builtin["defaults"],
            builtin["classes"].get(query_class, {}),
            self.tables.get("defaults", {}),
            self.tables.get("classes", {}).get(query_class, {}),
            override or {},
        ):
            merged = merge_policies(merged, without_nulls(layer))
        return merged

    def resolve(self, query_class: str, override: Mapping[str, Any] | None = None) -> Resolved:
        """The policy of a class, with a request's `policy` on top; `ContractError` lists every problem."""
        if not override:
            return _resolve_plain(self, query_class)
        return _resolve(self, query_class, override)

    def __repr__(self) -> str:
        """Name, digest and classes."""
        return f"Contract({self.name!r}, digest={self.digest!r}, classes={', '.join(self.classes)})"


@lru_cache(maxsize=1)
def builtin_tables() -> Mapping[str, Any]:
    """The built-in contract as tables. Not to be changed by callers."""
    text = files("reparto.contract").joinpath("builtin.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@lru_cache(maxsize=256)
def _resolve_plain(contract: Contract, query_class: str) -> Resolved:
    return _resolve(contract, query_class, {})


def _resolve(contract: Contract, query_class: str, override: Mapping[str, Any]) -> Resolved:
    below = contract.layers(query_class).get("diversity")
    in_force = below.get("objective") if isinstance(below, Mapping) else None
    problems = check_policy(override, "policy", in_force)
    if problems:
        raise ContractError(problems)
    merged = contract.layers(query_class, override)
    try:
        policy = Policy.model_validate(merged)
    except ValidationError as error:  # each layer is right alone, together they are not
        raise ContractError([_placed(one, query_class, override) for one in problems_of(error, Policy, "")]) from error
    return Resolved(policy, build(policy.diversity), merged)


def _placed(problem: Problem, query_class: str, override: Mapping[str, Any]) -> Problem:
    """The problem under the layer that names its section last."""
    section = str(problem.field).partition(".")[0]
    layer = "policy" if section in override else f"classes.{query_class}"
    return replace(problem, field=f"{layer}.{problem.field}")


def check_policy(table: Any, path: str, objective: str | None = None) -> list[Problem]:
    """Problems of one layer: unknown keys, wrong types, values out of range."""
    if not isinstance(table, Mapping):
        return [
            Problem(
                "wrong_type", f"should be a table, not {type(table).__name__}", "give key = value pairs", field=path
            )
        ]
    table = without_nulls(table)
    problems: list[Problem] = []
    try:
        Policy.model_validate(_completed(table))
    except ValidationError as error:
        problems += problems_of(error, Policy, path)
    diversity = table.get("diversity")
    if isinstance(diversity, Mapping):
        problems += check_diversity(diversity, f"{path}.diversity", objective)
    return problems


def _completed(table: Mapping[str, Any]) -> dict[str, Any]:
    """The layer as if those below had said the rest: it may set a budget's counter, or a quota's `fill`, alone."""
    whole = dict(table)
    if isinstance(budget := table.get("budget"), Mapping):
        whole["budget"] = {"tokens": 0, **budget}
    if isinstance(quotas := nested_metadata(table.get("quotas")), Mapping):
        whole["quotas"] = {name: {"max": 1, **one} if isinstance(one, Mapping) else one for name, one in quotas.items()}
    return whole


def _check(tables: Any) -> list[Problem]:
    """Problems of a whole contract file."""
    if not isinstance(tables, Mapping):
        return [Problem("wrong_type", "a contract is a table", "give key = value pairs")]
    problems = [unknown_name("key", key, TOP_KEYS, key) for key in tables if key not in TOP_KEYS]
    version = tables.get("version", 1)
    if version != 1 or isinstance(version, bool):
        problems.append(
            Problem("version", f"contract version {version!r} is not known", "use version = 1", field="version")
        )
    defaults, classes = tables.get("defaults", {}), tables.get("classes", {})
    problems += check_policy(defaults, "defaults")
    if not isinstance(classes, Mapping):
        problems.append(Problem("wrong_type", "should be a table of classes", "write [classes.NAME]", field="classes"))
        classes = {}
    builtin = builtin_tables()
    for name, table in classes.items():
        base: dict[str, Any] = {"diversity": {}}
        for layer in (builtin["classes"].get(name, {}), defaults):
            if isinstance(layer, Mapping):
                base = merge_policies(base, layer)
        below = base["diversity"]
        problems += check_policy(
            table, f"classes.{name}", below.get("objective") if isinstance(below, Mapping) else None
        )
    known = sorted({*builtin["classes"], *classes})
    default = tables.get("default_class", builtin["default_class"])
    if default not in known:
        problems.append(unknown_name("query_class", str(default), known, "default_class"))
    return problems + check_alerts(tables.get("alerts", {}), known)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=_callable_name)
    return xxhash.xxh3_128_hexdigest(text.encode())


def _callable_name(value: Callable[..., Any]) -> str:
    return f"{getattr(value, '__module__', '?')}:{getattr(value, '__qualname__', repr(type(value)))}"
