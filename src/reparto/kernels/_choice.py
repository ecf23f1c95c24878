"""Which implementation of the kernels runs: decided once, from `REPARTO_KERNELS` and what can be imported."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from reparto.errors import InputError, Problem

CHOICES = ("auto", "native", "numpy")


@dataclass(frozen=True, slots=True)
class Active:
    """What runs: `name` is `native` or `numpy`, `because` says why, `isa` names the instruction set."""

    name: str
    because: str
    isa: str | None = None


@cache
def _choose() -> tuple[Active, Any]:
    wanted = os.environ.get("REPARTO_KERNELS", "auto").strip().lower() or "auto"
    if wanted not in CHOICES:
        raise InputError(
            Problem(
                code="unknown_kernels",
                message=f"REPARTO_KERNELS is {wanted!r}",
                remedy=f"set it to one of {', '.join(CHOICES)}, or leave it unset",
                field="REPARTO_KERNELS",
            )
        )
    if wanted == "numpy":
        return Active("numpy", "REPARTO_KERNELS=numpy asks for the reference"), None
    try:
        module = importlib.import_module("reparto.kernels._native")
    except ImportError as error:
        if wanted == "native":
            raise InputError(
                Problem(
                    code="native_kernels_missing",
                    message=f"REPARTO_KERNELS=native, but the native module does not import: {error}",
                    remedy="reinstall where cargo is available, or from a wheel, or set REPARTO_KERNELS=auto",
                    field="REPARTO_KERNELS",
                )
            ) from error
        return Active("numpy", f"the native module does not import ({error})"), None
    isa = module.instruction_sets()[0]
    why = "REPARTO_KERNELS=native asks for it" if wanted == "native" else "the native module imports"
    return Active("native", why, isa), module


def active() -> Active:
    """Which kernels run here, and why. Raises `InputError` for an impossible `REPARTO_KERNELS`."""
    return _choose()[0]


def native() -> Any:
    """Return the native module when it is the one that runs, else None."""
    return _choose()[1]
