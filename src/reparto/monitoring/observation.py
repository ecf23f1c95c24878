"""Reading selection logs: one compact observation a record."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reparto.errors import LogError, Problem

FATES = ("copy", "merged")
STREAMS = ("duplicate_rate_before", "duplicate_rate_after", "copies", "merged", "revisions")
# What may name the origin of a duplicate; every scalar under `metadata` is looked at too.
ORIGINS = ("document", "source", "version", "language", "tier")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A candidate that came to nothing because another says the same: its fate or relation, and where
    it came from.
    """

    kind: str
    origin: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Observation:
    """One selection. `values` maps each stream to a share in 0..1; `measures` are the report's own numbers.

    `population` counts the valid candidates by source, `copies` those of them that were copies.
    """

    at: datetime
    query_class: str
    values: Mapping[str, float]
    measures: Mapping[str, float]
    duplicates: tuple[Duplicate, ...]
    population: Mapping[str, int]
    copies: Mapping[str, int]


def read_logs(paths: Iterable[str | Path]) -> list[Observation]:
    """Observations of all logs in order of time.

    Raises `LogError` with every unreadable record: file, line, field.
    """
    problems: list[Problem] = []
    found = [one for path in paths for one in _read(path, problems)]
    if problems:
        raise LogError(problems)
    return sorted(found, key=lambda one: one.at)


def observe(record: Mapping[str, Any]) -> Observation:
    """One log record as an observation.

    Raises `KeyError`, `TypeError` or `ValueError` for what is no record.
    """
    selection = record["selection"]
    report, decisions = selection["report"], selection["decisions"]
    candidates = {str(one["id"]): one for one in record.get("request", {}).get("candidates", ())}
    valid = [one for one in decisions if one["fate"] != "invalid"]
    duplicates = tuple(_duplicate(one, candidates.get(one["id"], {})) for one in valid if _kind(one) is not None)
    share = 1.0 / len(valid) if valid else 0.0
    kinds = [one.kind for one in duplicates]
    population: dict[str, int] = {}
    copies: dict[str, int] = {}
    for one in valid:
        source = str(candidates.get(one["id"], {}).get("source") or "")
        population[source] = population.get(source, 0) + 1
        if one["fate"] == "copy":
            copies[source] = copies.get(source, 0) + 1
    return Observation(
        at=_instant(record["at"]),
        query_class=str(selection["query_class"]),
        values={
            "duplicate_rate_before": _share(report["duplicate_rate_before"]),
            "duplicate_rate_after": _share(report["duplicate_rate_after"]),
            "copies": kinds.count("copy") * share,
            "merged": kinds.count("merged") * share,
            "revisions": kinds.count("revision") * share,
        },
        measures={
            name: float(value)
            for name, value in report.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        },
        duplicates=duplicates,
        population=population,
        copies=copies,
    )


def _read(path: str | Path, problems: list[Problem]) -> Iterator[Observation]:
    name = Path(path).name
    number = 0
    try:
        with _open(path) as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    yield observe(json.loads(line))
                except (KeyError, TypeError, ValueError, AttributeError) as error:
                    what = f"lacks {error}" if isinstance(error, KeyError) else str(error)
                    message = f"{name}: the line is no selection record: {what}"
                    remedy = "give logs written by `reparto select --log`"
                    problems.append(Problem("record", message, remedy, line=number))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        message = f"cannot read {name!r} after line {number}: {getattr(error, 'strerror', None) or error}"
        problems.append(Problem("unreadable", message, "name a readable log", field="LOG"))


def _open(path: str | Path) -> Any:
    with Path(path).open("rb") as head:
        packed = head.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rt", encoding="utf-8") if packed else Path(path).open(encoding="utf-8")


def _kind(decision: Mapping[str, Any]) -> str | None:
    """What kind of duplicate a decision records: copy, merged, revision; None for none."""
    if decision["fate"] in FATES:
        return str(decision["fate"])
    return "revision" if decision.get("relation") == "revision" else None


def _duplicate(decision: Mapping[str, Any], candidate: Mapping[str, Any]) -> Duplicate:
    origin = {name: str(candidate[name]) for name in ORIGINS if candidate.get(name) is not None}
    for name, value in (candidate.get("metadata") or {}).items():
        if isinstance(value, str | int | float) and len(str(value)) <= 100:
            origin[f"metadata.{name}"] = str(value)
    if decision.get("relation"):
        origin["relation"] = str(decision["relation"])
    return Duplicate(str(_kind(decision)), origin)


def _instant(value: str) -> datetime:
    moment = datetime.fromisoformat(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _share(value: Any) -> float:
    number = float(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"a duplicate rate of {number}")
    return number
