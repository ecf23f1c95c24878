"""Seats that resemble an earlier one, and whether the log says so: a revision is told, a copy never delivered."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.banks_serving import bank_of, peer, select
from bench.showing import show
from reparto.model import Relation
from reparto.resemblance import resemblance_matrix
from reparto.selection import Selection

NEWS = ("trec_ts", "realsumm", "ecbplus")
ALIKE = 0.6 - 1e-12


def logged(selection: Selection) -> set[tuple[str, str]]:
    """Pairs of ids that the log calls revisions of one another."""
    return {(one.id, one.by) for one in selection.decisions if one.relation is Relation.REVISION and one.by is not None}


def alike(texts: list[str]) -> list[tuple[int, int]]:
    """For each seat that resembles an earlier one, the pair (seat, the earlier one it resembles most)."""
    near = np.tril(resemblance_matrix(texts), -1)
    return [(i, int(row.argmax())) for i, row in enumerate(near) if row.max(initial=0.0) >= ALIKE]


def resembling() -> dict[str, Any]:
    """Share of seats like an earlier one: logged as revisions, and not (at most 0)."""
    rows, kept = [], {}
    for name in NEWS:
        seats = told = untold = before = first = 0
        for query in bank_of(name):
            chosen = select(query, 10)
            pairs = _told(chosen)
            seats += len(chosen.seats)
            told += sum(pairs.values())
            untold += len(pairs) - sum(pairs.values())
            texts = [one.text or "" for one in peer("top-k")(query, 10).passages]
            before, first = before + len(alike(texts)), first + len(texts)
        kept[name] = {"unlogged": untold / seats, "revisions": told / seats, "top-k": before / first}
        rows.append([name, untold / seats, told / seats, before / first])
    show("seats that resemble an earlier one", ["", "not logged (0)", "logged revisions", "top-k"], rows)
    return kept


def _told(selection: Selection) -> dict[tuple[str, str], bool]:
    """Each resembling pair of delivered seats, and whether the log calls it a revision: of that seat, or both
    of one leader."""
    links = logged(selection)
    root = dict(links)
    ids = [one.id for one in selection.seats]
    found = {}
    for i, j in alike([one.text for one in selection.seats]):
        families = {ids[i], root.get(ids[i], ids[i])} & {ids[j], root.get(ids[j], ids[j])}
        found[ids[i], ids[j]] = bool(families)
    return found


def revisions(count: int) -> None:
    """Print pairs of delivered revisions, spread over the banks, to be read by a person."""
    pairs = []
    for name in NEWS:
        for query in bank_of(name):
            chosen = select(query, 10)
            texts = {one.id: one.text for one in chosen.seats}
            pairs += [(name, texts[a], texts[b]) for a, b in sorted(logged(chosen)) if a in texts and b in texts]
    generator = np.random.default_rng(0)
    order = generator.permutation(len(pairs))[:count]
    print(f"{len(pairs)} pairs delivered, {len(order)} shown")
    for number, at in enumerate(sorted(order.tolist())):
        name, later, earlier = pairs[at]
        print(f"\n[{number + 1}] {name}\n  - {earlier}\n  - {later}")
