"""Alert rules: which measure, of which class, above what, over how many queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from reparto.contract.policy import Section
from reparto.contract.problems import problems_of
from reparto.errors import Problem, unknown_name


class Alert(Section):
    """Fires when the mean of `measure` over the last `over` queries of `class` is above (or below) a bound."""

    measure: Literal["duplicate_rate_before", "duplicate_rate_after", "empty_seats", "tokens", "independent_texts"]
    class_: Annotated[str | None, Field(alias="class")] = None
    above: float | None = None
    below: float | None = None
    over: Annotated[int, Field(ge=1)] = 200


def check_alerts(tables: Any, classes: Sequence[str]) -> list[Problem]:
    """Problems of an `[alerts]` table."""
    if not isinstance(tables, Mapping):
        return [Problem("wrong_type", "should be a table of rules", "write [alerts.NAME]", field="alerts")]
    problems: list[Problem] = []
    for name, table in tables.items():
        path = f"alerts.{name}"
        try:
            alert = Alert.model_validate(table)
        except ValidationError as error:
            problems += problems_of(error, Alert, path)
            continue
        if alert.class_ is not None and alert.class_ not in classes:
            problems.append(unknown_name("query_class", alert.class_, classes, f"{path}.class"))
        if (alert.above is None) == (alert.below is None):
            problems.append(Problem("invalid_value", "needs one bound", "give `above` or `below`", field=path))
    return problems
