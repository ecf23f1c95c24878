"""The page's settings as a contract file."""

from __future__ import annotations

from typing import Any

import tomli_w

from reparto.service.inspector.inspection import Inspection

HEAD = "# Settings of the inspector, laid over the contract with digest {digest}.\n"


def contract_toml(seen: Inspection) -> str:
    """TOML that gives the inspected query class the policy in force, whatever the built-in layers say.

    `Contract.load` of it resolves the class to the same table. Where the service has a contract file of its own, what
    that says of other classes is not repeated.
    """
    selection = seen.selection
    table: dict[str, Any] = {
        "version": selection.contract["version"],
        "classes": {selection.query_class: _plain(selection.policy)},
    }
    return HEAD.format(digest=selection.contract["digest"]) + tomli_w.dumps(table)


def _plain(value: Any) -> Any:
    if hasattr(value, "items"):
        return {str(name): _plain(one) for name, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
