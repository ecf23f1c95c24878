"""Set-aware selection for retrieval: ranked candidates in, shared-out seats with proof out.

`reparto.select(candidates, query="what happened?", query_class="survey", k=8).to_context()` is the whole of it.
"""

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
