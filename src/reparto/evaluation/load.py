"""Whatever holds queries and judgments, as one bank: JSONL, a TREC run, diversity qrels, nuggets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from reparto.errors import BankError
from reparto.evaluation.bank import Bank, bank_of, read_bank
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.lines import problem, read_text
from reparto.evaluation.nuggets import read_nuggets
from reparto.evaluation.trec import Scored, has_ties, read_qrels, read_run


def load_bank(
    bank: str | Path,
    qrels: str | Path | None = None,
    run: str | Path | None = None,
    vectors: str | Path | None = None,
) -> Bank:
    """Read a bank, told apart by its first character: `{` is JSONL, anything else a TREC run, which needs
    `qrels`.

    `qrels` (TREC diversity qrels or a nugget file) replaces the bank's facts, `run` its rankings. Raises
    `BankError`.
    """
    judgments = load_judgments(qrels) if qrels is not None else None
    if str(bank) != "-" and not _is_json(bank):
        if judgments is None:
            message = f"{Path(bank).name!r} is no JSONL; read as a TREC run it needs judgments"
            raise BankError(problem("unjudged", message, "name them with --qrels", field="qrels"))
        ranked = read_run(bank)
        return _warned(bank_of(judgments, ranked, Path(bank).name), ranked)
    found = read_bank(bank, vectors)
    if judgments is not None:
        found = found.judged_by(judgments)
    if run is None:
        return found
    ranked = read_run(run)
    return _warned(found.ranked_by(ranked), ranked)


def load_judgments(path: str | Path) -> dict[str, Judgments]:
    """TREC diversity qrels, or a nugget file when the first character is `{`."""
    return read_nuggets(path) if _is_json(path) else read_qrels(path)


def _is_json(path: str | Path) -> bool:
    return read_text(path).lstrip()[:1] in ("{", "[", "")


def _warned(bank: Bank, run: Mapping[str, tuple[Scored, ...]]) -> Bank:
    warnings = []
    tied = sorted(topic for topic, scored in run.items() if has_ties(scored))
    if tied:
        warnings.append(f"equal scores in the run are ordered by document id in topics {tied[:5]}")
    missing = [one.id for one in bank if one.id not in run]
    if missing:
        warnings.append(f"topics that the run lacks count with an empty list: {missing[:5]}")
    return replace(bank, warnings=(*bank.warnings, *warnings))
