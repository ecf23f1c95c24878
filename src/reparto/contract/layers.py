"""Layers of a policy: tables merge key by key, lists replace, `{}` switches on, `false` off, null means absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.contract.diversity import merge_diversity
from reparto.contract.policy import _nested_metadata

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
            value, old = _nested_metadata(value), _nested_metadata(old)
        if not isinstance(value, Mapping):
            merged[key] = value
        elif key == "diversity":
            merged[key] = merge_diversity(old if isinstance(old, Mapping) else {}, value)
        else:
            merged[key] = {**(old if isinstance(old, Mapping) else {}), **value}
    return merged
