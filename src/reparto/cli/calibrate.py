"""`reparto calibrate`: a contract from judged queries, labelled pairs or both; or the advice to leave it
off.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from reparto.contract import Contract
from reparto.errors import InputError, Problem
from reparto.evaluation.calibrate.calibration import Calibration, Wishes, calibrate
from reparto.evaluation.calibrate.contract import toml
from reparto.evaluation.load import load_bank
from reparto.evaluation.measures import parse
from reparto.evaluation.pairs import read_pairs


@click.command(name="calibrate")
@click.argument("bank", type=click.Path(), required=False)
@click.option("--pairs", type=click.Path(), help="Labelled pairs, for the thresholds of collapse.")
@click.option(
    "--precision", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
    help="Least share of right pairs among those that collapse.",
)  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False), required=True, help="The contract to write; `-` prints it.")
@click.option("--measure", default="StRecall", show_default=True, help="What to gain in; without a cutoff, at k.")
@click.option("--class", "query_class", help="Only this query class.")
@click.option("-k", "k", type=click.IntRange(min=1), help="Seats (default: the class's).")
@click.option("--qrels", type=click.Path(), help="TREC diversity qrels or a nugget file in place of the bank's facts.")
@click.option("--vectors", type=click.Path(), help="The .npz file with the vectors, when it is not beside the bank.")
@click.option(
    "--max-loss",
    type=float,
    default=0.03,
    show_default=True,
    help="Without judgments: the most relevance to give up.",
)
@click.option("--score-map", is_flag=True, help="Choose on scores mapped by the fitted logistic curve, and write it.")
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    bank: str | None,
    pairs: str | None,
    precision: float,
    out: str,
    measure: str,
    query_class: str | None,
    k: int | None,
    qrels: str | None,
    vectors: str | None,
    max_loss: float,
    score_map: bool,
    folds: int,
    seed: int,
    form: str,
) -> None:
    """Choose a contract's numbers on BANK and PAIRS; write them to OUT with where each came from."""
    if bank is None and pairs is None:
        raise InputError(Problem("usage", "nothing to calibrate on", "name a BANK, --pairs, or both", field="BANK"))
    if out != "-" and not Path(out).absolute().parent.is_dir():  # said before the work is done, not after it
        raise InputError(
            Problem("unwritable", f"no folder for {out!r}", "name a file in a folder that exists", field="out")
        )
    parse(measure)
    found = load_bank(bank, qrels=qrels, vectors=vectors) if bank is not None else None
    labelled = read_pairs(pairs) if pairs is not None else ()
    wishes = Wishes(measure, query_class, k, precision, max_loss, score_map, folds, seed)
    result = calibrate(found, labelled, wishes, _progress)
    text = toml(result)
    if out == "-":
        click.echo(text, nl=False)
        return
    try:
        Path(out).write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"cannot write {out!r}: {error.strerror}"
        raise InputError(Problem("unwritable", message, "name a file that can be written", field="out")) from None
    Contract.load(out)  # what was written must be readable as a contract
    if form == "json":
        click.echo(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        click.echo("\n".join(_told(result)))
    click.echo(f"wrote {out}", err=True)


def _told(result: Calibration) -> list[str]:
    thresholds = [one.because for one in result.thresholds]
    return thresholds + [f"{one.name} (k = {one.k}): {one.sentence}" for one in result.classes]


def _progress(option: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"serving: {option}", err=True)
