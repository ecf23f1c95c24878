"""Every option served once over a bank; its scores under any judgments after that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reparto.contract import Contract
from reparto.evaluation.bank import Bank, BankQuery
from reparto.evaluation.calibrate.options import Option
from reparto.evaluation.curve import Steps
from reparto.evaluation.delivery import Delivery
from reparto.evaluation.judgments import Judgments
from reparto.evaluation.measures import Measure
from reparto.evaluation.path import Outcomes, outcomes
from reparto.evaluation.systems import passage_of_seat
from reparto.model import Floats
from reparto.pipeline import select

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Table:
    """Scores per option and query. `fixed[j]` is (n,) or None for a path option, whose step functions are in
    `steps[j]`.

    Queries on which the measure is not defined for every option are left out; `ids` names those that stay.
    """

    options: tuple[Option, ...]
    ids: tuple[str, ...]
    fixed: tuple[Floats | None, ...]
    steps: tuple[tuple[Steps, ...] | None, ...]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Trials:
    """What each option delivers for each query; no label was looked at to make it."""

    bank: Bank
    options: tuple[Option, ...]
    served: tuple[Sequence[Delivery | Outcomes], ...]

    def table(self, measure: Measure, judgments: Mapping[str, Judgments] | None = None) -> Table:
        """Score everything under the bank's judgments, or others by query id."""
        queries = [one if judgments is None else replace(one, judgments=judgments[one.id]) for one in self.bank.queries]
        columns: list[list[float | Steps | None]] = []
        for served in self.served:
            column: list[float | Steps | None] = []
            for query, one in zip(queries, served, strict=True):
                if isinstance(one, Outcomes):
                    column.append(one.steps(measure, query))
                else:
                    column.append(measure.value(Delivery(one.passages, query.judgments, one.pool)))
            columns.append(column)
        kept = [i for i in range(len(queries)) if all(column[i] is not None for column in columns)]
        fixed: list[Floats | None] = []
        steps: list[tuple[Steps, ...] | None] = []
        for option, column in zip(self.options, columns, strict=True):
            values = [column[i] for i in kept]
            fixed.append(None if option.path else np.array(values, dtype=np.float64))
            steps.append(tuple(one for one in values if isinstance(one, Steps)) if option.path else None)
        return Table(self.options, tuple(queries[i].id for i in kept), tuple(fixed), tuple(steps))


def run_trials(bank: Bank, options: Sequence[Option], k: int, progress: Progress = lambda _: None) -> Trials:
    """Serve every query of the bank under every option with k seats.

    The cost is that of so many selections.
    """
    contract = Contract()
    served: list[Sequence[Delivery | Outcomes]] = []
    for option in options:
        progress(option.name)
        if option.path:
            policy = contract.resolve(contract.default_class, option.full()).policy
            served.append([outcomes(query, policy, k) for query in bank])
        else:
            served.append([_serve(query, option, k, contract) for query in bank])
    return Trials(bank, tuple(options), tuple(served))


def _serve(query: BankQuery, option: Option, k: int, contract: Contract) -> Delivery:
    request = replace(query.request, query_class=contract.default_class, k=k, policy=option.full())
    selection = select(request, contract=contract)
    passages = tuple(passage_of_seat(seat, query) for seat in selection.seats)
    return Delivery(passages, query.judgments, tuple(query.passages.values()))
