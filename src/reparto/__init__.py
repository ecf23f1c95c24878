"""Set-aware selection for retrieval: ranked candidates in, shared-out seats with proof out.

`reparto.select(candidates, query="what happened?", query_class="survey", k=8).to_context()` is the whole of it.
Names are loaded when they are first used: a command that selects nothing does not wait for what selects.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reparto.batch import select_many
    from reparto.contract import Contract
    from reparto.errors import (
        ContractError,
        InputError,
        MissingExtraError,
        Problem,
        RepartoError,
        RequestError,
        UnknownNameError,
    )
    from reparto.intake import Request, read_request
    from reparto.model import Candidate, Decision, Fate, Relation
    from reparto.pipeline import select
    from reparto.selection import Copies, Seat, Selection

__version__ = "0.1.0"

__all__ = [
    "Candidate",
    "Contract",
    "ContractError",
    "Copies",
    "Decision",
    "Fate",
    "InputError",
    "MissingExtraError",
    "Problem",
    "Relation",
    "RepartoError",
    "Request",
    "RequestError",
    "Seat",
    "Selection",
    "UnknownNameError",
    "read_request",
    "select",
    "select_many",
]

_HOMES = {
    "batch": ("select_many",),
    "contract": ("Contract",),
    "errors": (
        "ContractError",
        "InputError",
        "MissingExtraError",
        "Problem",
        "RepartoError",
        "RequestError",
        "UnknownNameError",
    ),
    "intake": ("Request", "read_request"),
    "model": ("Candidate", "Decision", "Fate", "Relation"),
    "pipeline": ("select",),
    "selection": ("Copies", "Seat", "Selection"),
}


def __getattr__(name: str) -> Any:
    """A public name, from where it is defined."""
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """All public names, loaded or not."""
    return sorted({*globals(), *__all__})
