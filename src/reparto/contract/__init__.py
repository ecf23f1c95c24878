"""The contract: what each query class is promised, declared in a file and checkable afterwards."""

from reparto.contract.contract import Contract, Resolved
from reparto.contract.policy import Policy

__all__ = ["Contract", "Policy", "Resolved"]
