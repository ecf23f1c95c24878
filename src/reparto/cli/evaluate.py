"""`reparto evaluate`: contracts against baselines on a bank, or the measures of given rankings."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from reparto.contract import Contract
from reparto.errors import InputError, Problem
from reparto.evaluation.evaluate import default_baselines, default_measures, evaluate, of_query
from reparto.evaluation.load import load_bank
from reparto.evaluation.measures import parse_all
from reparto.evaluation.plots import FORMATS, plot
from reparto.evaluation.report import markdown
from reparto.evaluation.systems import ContractSystem, GivenRanking, Seats, System

CUTOFF = 10


@click.command(name="evaluate")
@click.argument("bank", type=click.Path())
@click.option(
    "--contract", "contracts", multiple=True, type=click.Path(), help="A contract; repeat to compare several."
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    help="What to compare with: top-k, pyversity-dpp, …; repeat for several.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    help="A measure as in ir-measures, such as StRecall@10; repeat for several.",
)
@click.option("--as-ranked", is_flag=True, help="Score the given rankings; select nothing.")
@click.option("--class", "query_class", help="Serve every query under this class.")
@click.option("-k", "k", type=click.IntRange(min=1), help="Seats of every query (default: the class's).")
@click.option("--qrels", type=click.Path(), help="TREC diversity qrels or a nugget file in place of the bank's facts.")
@click.option("--run", type=click.Path(), help="A TREC run in place of the bank's rankings; implies --as-ranked.")
@click.option("--vectors", type=click.Path(), help="The .npz file with the vectors, when it is not beside the bank.")
@click.option("--query", "query", help="Tell the facts won and lost of this query only.")
@click.option("--plots", type=click.Path(file_okay=False), help="Write plots into this folder.")
@click.option("--plot-format", type=click.Choice(FORMATS), default="svg", show_default=True)
@click.option("--format", "form", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Resamples of each interval.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def command(
    bank: str,
    contracts: Sequence[str],
    baselines: Sequence[str],
    measures: Sequence[str],
    as_ranked: bool,
    query_class: str | None,
    k: int | None,
    qrels: str | None,
    run: str | None,
    vectors: str | None,
    query: str | None,
    plots: str | None,
    plot_format: str,
    form: str,
    samples: int,
    seed: int,
) -> None:
    """Measure what a contract delivers on BANK (JSONL, or a TREC run with --qrels), beside the baselines."""
    wanted = parse_all(measures) if measures else default_measures(k or CUTOFF)
    found = load_bank(bank, qrels=qrels, run=run, vectors=vectors)
    if query is not None and query not in {one.id for one in found}:
        raise InputError(Problem("unknown_query", f"no query {query!r} in the bank", "name a query_id", field="query"))
    given = as_ranked or run is not None
    loaded = [] if given else [(name, Contract.load(name)) for name in contracts] or [("built-in", Contract())]
    seats = Seats(loaded[0][1], query_class, k) if loaded else Seats(Contract(), query_class, k or CUTOFF)
    systems: list[System] = (
        [GivenRanking()]
        if given
        else [ContractSystem(name, Seats(contract, query_class, k)) for name, contract in loaded]
    )
    named = list(baselines) or ([] if given else default_baselines())
    report = evaluate(found, systems, named, wanted, seats, samples, seed)
    if query is not None:
        report = of_query(report, query)
    for warning in report.warnings:
        click.echo(f"warning: {warning}", err=True)
    if plots is not None:
        for path in plot(report, plots, plot_format):
            click.echo(f"wrote {path}", err=True)
    if form == "json":
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        click.echo(markdown(report), nl=False)
