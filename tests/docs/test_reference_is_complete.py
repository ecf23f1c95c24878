"""Everything a user can write stands in docs/reference.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from reparto import registry
from reparto.cli import COMMANDS
from reparto.contract.diversity import objective_keys
from reparto.contract.policy import Budget, Collapse, Merge, Policy, Scores
from reparto.intake.candidates import APART, COPIES, FIELDS
from reparto.intake.request import CARRIED, KEYS
from reparto.model import Fate, Relation

REFERENCE = (Path(__file__).resolve().parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")
SECTIONS = {"scores": Scores, "merge": Merge, "collapse": Collapse, "budget": Budget}

NAMES = [
    *KEYS, *CARRIED, *FIELDS, *COPIES, *(name for name in APART if name != "signature"), *map(str, Fate), *map(str, Relation),
    *(name for name in Policy.model_fields if name not in {*SECTIONS, "quotas", "diversity"}),
    *(f"{section}.{key}" for section, model in SECTIONS.items() for key in model.model_fields),
    *registry.names("objectives"),
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_the_name_is_documented(name: str) -> None:
    assert f"`{name}`" in REFERENCE


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_is_documented(command: str) -> None:
    assert f"`reparto {command}`" in REFERENCE


@pytest.mark.parametrize("objective", [name for name in registry.names("objectives") if name != "dpp"])
def test_the_objective_names_its_keys(objective: str) -> None:
    row = next(line for line in REFERENCE.splitlines() if line.startswith(f"| `{objective}` |"))
    assert all(f"`{key}`" in row for key in objective_keys(objective))
