"""`reparto bank check`: is this bank readable, and what is in it?"""

from __future__ import annotations

import json

import click

from reparto.evaluation.bank import Bank
from reparto.evaluation.load import load_bank


@click.group(name="bank", help="Query banks: candidates with judged facts.")
def command() -> None:
    """Group of the bank commands."""


@command.command(name="check")
@click.argument("bank", type=click.Path())
@click.option("--qrels", type=click.Path(), help="TREC diversity qrels or a nugget file in place of the bank's facts.")
@click.option("--run", type=click.Path(), help="A TREC run in place of the bank's rankings.")
@click.option("--vectors", type=click.Path(), help="The .npz file with the vectors, when it is not beside the bank.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(bank: str, qrels: str | None, run: str | None, vectors: str | None, form: str) -> None:
    """Read BANK (JSONL, or a TREC run with --qrels); say what is in it, or every fault with line and
    field.
    """
    found = load_bank(bank, qrels=qrels, run=run, vectors=vectors)
    for warning in found.warnings:
        click.echo(f"warning: {warning}", err=True)
    facts = _counts(found)
    if form == "json":
        click.echo(json.dumps(facts, ensure_ascii=False))
    else:
        for name, value in facts.items():
            click.echo(f"{name.replace('_', ' '):<18} {value}")


def _counts(bank: Bank) -> dict[str, object]:
    levels = [one.judgments.level() for one in bank]
    classes = sorted({one.query_class or "none" for one in bank})
    return {
        "bank": bank.name,
        "queries": len(bank),
        "classes": ", ".join(classes),
        "candidates": sum(len(one.request.candidates) for one in bank),
        "with_vectors": sum(bool(one.vectors) for query in bank for one in query.request.candidates),
        "facts_listed": sum(len(one.names) for one in levels),
        "facts": sum(one.n for one in levels),
        "without_facts": sum(one.n == 0 for one in levels),
        "rankings": sum(one.ranking is not None for one in bank),
        "warnings": len(bank.warnings),
    }
