"""The JSON Schema of a contract, drawn from the policy models and the registered objectives."""

from __future__ import annotations

import dataclasses
from typing import Any

from reparto import registry
from reparto.contract.alerts import Alert
from reparto.contract.diversity import objective_keys
from reparto.contract.policy import Policy


def contract_schema() -> dict[str, Any]:
    """Draft 2020-12. Sections and thresholds also take `false`; a policy table is the same in a request."""
    policy = Policy.model_json_schema(ref_template="#/$defs/{model}")
    defs = policy.pop("$defs", {})
    sections = ("merge", "collapse", "canonical", "reserve", "budget")
    for name in sections:
        policy["properties"][name] = {"anyOf": [policy["properties"][name], {"const": False}]}
    quota = {
        "anyOf": [{"type": "integer", "minimum": 1}, {"const": False}, {"$ref": "#/$defs/Quota"}, {"type": "object"}]
    }
    policy["properties"]["quotas"] = {"anyOf": [{"const": False}, {"type": "object", "additionalProperties": quota}]}
    policy["properties"]["diversity"] = {
        "anyOf": [{"const": False}, *map(_objective_schema, registry.names("objectives"))]
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "reparto contract",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "version": {"const": 1},
            "default_class": {"type": "string"},
            "defaults": {"$ref": "#/$defs/Policy"},
            "classes": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Policy"}},
            "alerts": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Alert"}},
        },
        "$defs": {**defs, "Policy": policy, "Alert": Alert.model_json_schema()},
    }


def _objective_schema(name: str) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "objective": {"const": name},
        "floor": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.0},
    }
    for key, field in objective_keys(name).items():
        one: dict[str, Any] = {"description": field.metadata.get("doc", "")}
        if field.default is not dataclasses.MISSING:
            one["default"] = field.default
        if (bounds := field.metadata.get("range")) is not None:
            one |= {"type": "number", "minimum": bounds[0], "maximum": bounds[1]}
        if (choices := field.metadata.get("choices")) is not None:
            one["enum"] = list(choices)
        properties[key] = one
    return {"title": name, "type": "object", "additionalProperties": False, "properties": properties}
