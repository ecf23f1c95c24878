"""Vectors beside a bank: `NAME.vectors.npz` next to `NAME.jsonl`."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from reparto.errors import BankError, Problem
from reparto.evaluation.lines import problem
from reparto.model import Candidate, Vector


@dataclass(frozen=True, eq=False)
class BankVectors:
    """Vectors by candidate id and by query id, rows of float32 (d,)."""

    candidates: Mapping[str, Vector] = field(default_factory=dict)
    queries: Mapping[str, Vector] = field(default_factory=dict)

    def attach(self, candidate: Candidate) -> Candidate:
        """The candidate with its vector, unless it brought one itself."""
        vector = None if candidate.vectors else self.candidates.get(candidate.id)
        if vector is None:
            return candidate
        blank = not candidate.valid and np.isfinite(candidate.score)
        return replace(candidate, vectors={"vector": vector}, valid=candidate.valid or blank)


def vectors_beside(bank: str | Path, given: str | Path | None = None) -> BankVectors:
    """Read `given`, or the file beside the bank; no such file is no vectors. Raises `BankError` for a
    faulty one.
    """
    path = Path(given) if given is not None else _beside(Path(str(bank)))
    if given is None and not path.is_file():
        return BankVectors()
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, zipfile.BadZipFile, EOFError):
        raise BankError(
            problem(
                "vectors",
                f"cannot read {path.name!r} as an .npz file",
                "write it with numpy.savez",
                field="vectors",
            )
        ) from None
    problems: list[Problem] = []
    candidates = _table(arrays, "ids", "vectors", path.name, problems, required=True)
    queries = _table(arrays, "query_ids", "query_vectors", path.name, problems, required=False)
    if problems:
        raise BankError(problems)
    return BankVectors(candidates, queries)


def _beside(bank: Path) -> Path:
    name = bank.name.removesuffix(".gz").removesuffix(".jsonl")
    return bank.with_name(f"{name}.vectors.npz")


def _table(
    arrays: Mapping[str, np.ndarray], ids: str, rows: str, name: str, problems: list[Problem], required: bool
) -> dict[str, Vector]:
    missing = [one for one in (ids, rows) if one not in arrays]
    if missing:
        if required or len(missing) == 1:
            problems.append(problem("vectors", f"{name!r} has no array {missing[0]!r}", "add it", field=missing[0]))
        return {}
    matrix = arrays[rows]
    if matrix.ndim != 2 or matrix.dtype.kind != "f" or len(matrix) != len(arrays[ids]):
        message = f"{rows!r} of {name!r} is {matrix.dtype} of shape {matrix.shape} for {len(arrays[ids])} ids"
        problems.append(problem("vectors", message, "give one row of floats an id", field=rows))
        return {}
    wide = matrix.astype(np.float32)
    return {str(id): wide[row] for row, id in enumerate(arrays[ids].tolist())}
