"""Layers of a policy: tables merge key by key, lists replace, `{}` switches on, `false` off, null means absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.contract.diversity import merge_diversity
from reparto.contract.policy import nested_metadata

Table = Mapping[str, Any]


def without_nulls(value: Any) -> Any:
    """A copy in which keys that hold null are absent."""
    if isinstance(value, Mapping):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [without_nulls(one) for one in value]
    return value


def merge_policies(below: Table, above: Table) -> dict[str, Any]:
    """`above` over `below`. Neither is changed."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if key == "quotas":
            old = nested_metadata(old)
            value = _quotas_over(old, nested_metadata(value))
        if not isinstance(value, Mapping):
            merged[key] = value
        elif key == "diversity":
            merged[key] = merge_diversity(old if isinstance(old, Mapping) else {}, value)
        else:
            merged[key] = {**(old if isinstance(old, Mapping) else {}), **value}
    return merged


def _quotas_over(old: Any, above: Any) -> Any:
    """A quota that is a table (`{fill = false}`) goes key by key over the one below, where a number is its `max`."""
    if not isinstance(above, Mapping) or not isinstance(old, Mapping):
        return above
    merged: dict[str, Any] = {}
    for path, quota in above.items():
        below = old.get(path)
        if isinstance(quota, Mapping):
            table = below if isinstance(below, Mapping) else {"max": below} if type(below) is int else {}
            merged[path] = {**table, **quota}
        else:
            merged[path] = quota
    return merged
