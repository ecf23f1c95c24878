"""Coverage's numbers chosen on five banks and held against the sixth: `python -m bench.banks_left_out`.

The shipped setting and its neighbours, a key or a constant of the head at a time, are run on every bank (10 seats,
collapse and merge as shipped). For each bank the setting with the best mean of StRecall@10 and alpha_nDCG@10 over the
other five is taken, among those that keep alpha_nDCG@10 within .02 of top-k on each of the five; what it reaches on the
bank left out is what a choice made without that bank is worth. Writes bench/results/banks_left_out.json.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from unittest import mock

import numpy as np

from bench.banks_serving import CONTRACT, GAIN, RECALL, SURVEY, bank_of, peer, served, values
from bench.showing import keep, show
from reparto.evaluation.bank import BankQuery
from reparto.evaluation.delivery import Delivery, Passage
from reparto.evaluation.path import entries_before_seating
from reparto.model import Entry
from reparto.objectives import Ground, _head
from reparto.objectives.coverage import Coverage
from reparto.similarity import Similarity, similarity_of
from reparto.stages.constraints import constraints_of
from reparto.stages.reserves import reserves_of
from reparto.stages.seat import seat

SHIPPED = Coverage()
NEIGHBOURS = {
    "lam": (0.0, 0.1, 0.3, 0.4),
    "breadth": (0.1, 0.2, 0.4, 0.6),
    "band": (0.7, 0.8, 0.9, 1.0),
    "decay": (0.3, 0.5, 0.85),
    "mass": (0.2, 0.3, 0.5, 0.6),
}
CONSTANTS = {"HEAD": (4.0, 5.0, 6.0), "SLOPE": (1.2, 1.5, 1.75), "KIN_HEAD": (1.0, 1.25, 2.0)}
HARM = -0.02

Ready = tuple[BankQuery, tuple[Entry, ...], Similarity]


Setting = tuple[Coverage, Mapping[str, float]]
"""An objective, and constants of the head other than the shipped ones."""


def settings() -> list[Setting]:
    """The shipped setting and its neighbours, a key or a constant at a time."""
    keys = [dataclasses.replace(SHIPPED, **{key: value}) for key, tried in NEIGHBOURS.items() for value in tried]
    heads = [{name: value} for name, tried in CONSTANTS.items() for value in tried]
    return [(SHIPPED, {}), *((one, {}) for one in keys), *((SHIPPED, one) for one in heads)]


def ready(name: str) -> list[Ready]:
    """Entries before seating, and their similarity, once for all settings."""
    policy = CONTRACT.resolve("survey").policy
    found = []
    for query in bank_of(name):
        entries = tuple(entries_before_seating(query.request, policy))
        found.append((query, entries, similarity_of(entries)))
    return found


def deliver(objective: Coverage, one: Ready, k: int = 10) -> Delivery:
    """Ten seats under the survey class's constraints."""
    query, entries, similarity = one
    policy = CONTRACT.resolve("survey").policy
    relevance = np.array([entry.relevance for entry in entries])
    ground = Ground(
        [entry.id for entry in entries], [entry.text for entry in entries], relevance, similarity, query.request.query
    )
    reserves = reserves_of(policy.reserve, entries, query.pool, k)
    places = seat(entries, ground, objective, constraints_of(policy, entries, relevance, 0.0), reserves, k).places
    passages = tuple(_passage(entries[one.entry]) for one in places)
    return Delivery(passages, query.judgments, tuple(query.passages.values()))


def _passage(entry: Entry) -> Passage:
    return Passage(entry.id, entry.span.members if entry.span else (entry.id,), entry.text, entry.tokens)


def main() -> int:
    """Print, for each bank, the setting chosen without it and what that reaches."""
    tried = settings()
    table = np.zeros((len(tried), len(SURVEY), 2))
    for b, name in enumerate(SURVEY):
        pools = ready(name)
        for s, (objective, constants) in enumerate(tried):
            with mock.patch.dict(vars(_head), constants):
                found = [deliver(objective, one) for one in pools]
            table[s, b] = [float(values(found, one).mean()) for one in (RECALL, GAIN)]
    top = [float(values(served("top-k", peer("top-k"), name), GAIN).mean()) for name in SURVEY]
    rows, kept = [], {}
    for b, name in enumerate(SURVEY):
        others = [i for i in range(len(SURVEY)) if i != b]
        safe = (table[:, others, 1] - np.array(top)[others] >= HARM).all(axis=1)
        score = np.where(safe, table[:, others].mean(axis=(1, 2)), -1.0)
        chosen = int(score.argmax())
        rows.append([name, _told(tried[chosen]), *table[chosen, b].tolist(), *table[0, b].tolist()])
        kept[name] = {
            "chosen": _told(tried[chosen]),
            "held out": table[chosen, b].tolist(),
            "shipped": table[0, b].tolist(),
        }
    mean = np.mean([[row[2], row[3], row[4], row[5]] for row in rows], axis=0).tolist()
    rows.append(["mean", "", *mean])
    kept["mean"] = {"held out": mean[:2], "shipped": mean[2:]}
    kept["all"] = {_told(one): table[s].tolist() for s, one in enumerate(tried)}
    heads = [
        "left out",
        "chosen on the other five",
        "StRecall@10",
        "alpha_nDCG@10",
        "shipped StRecall",
        "shipped alpha_nDCG",
    ]
    show("keys chosen without the bank", heads, rows)
    keep("banks_left_out", kept)
    return 0


def _told(setting: Setting) -> str:
    objective, constants = setting
    moved = [
        f"{one.name} {getattr(objective, one.name):g}"
        for one in dataclasses.fields(objective)
        if getattr(objective, one.name) != one.default
    ]
    return ", ".join([*moved, *(f"{name} {value:g}" for name, value in constants.items())]) or "as shipped"


if __name__ == "__main__":
    sys.exit(main())
