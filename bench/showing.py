"""What the tables of evaluation, calibration and monitoring share: where data lie, how a row is shown and
kept."""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
BANKS = DATA / "banks"
RESULTS = ROOT / "bench" / "results"


def need(path: Path) -> Path:
    """The path, or the end of the run with a reason: labelled data are not part of the project."""
    if not path.exists():
        sys.exit(f"skipped: {path.name} is not present beside the project")
    return path


def show(title: str, heads: list[str], rows: list[list[Any]]) -> None:
    table = Table(title=title)
    for head in heads:
        table.add_column(head)
    for row in rows:
        table.add_row(*(f"{one:.4f}" if isinstance(one, float) else str(one) for one in row))
    Console(width=160).print(table)


def keep(name: str, result: dict[str, Any], *packages: str) -> Path:
    """Write the result with the versions it was measured with."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    record = {
        "versions": {
            "python": platform.python_version(),
            **{one: _version(one) for one in ("numpy", *packages)},
        },
        **result,
    }
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
