"""All rules over one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reparto.verification.view import View


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule, the ids it concerns, and what is wrong."""

    rule: str
    message: str
    ids: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {"rule": self.rule, "message": self.message, "ids": list(self.ids)}

    def __str__(self) -> str:
        """One line."""
        return f"{self.rule}: {self.message}" + (f" [{', '.join(self.ids)}]" if self.ids else "")


Rule = Callable[[View], Iterator[Violation]]


def rules() -> Mapping[str, Rule]:
    """The rules by name, in the order in which they are checked."""
    from reparto.verification import accounting, copies, figures, limits, ranking, reserves, seal

    return {
        "seal": seal.check,
        "accounting": accounting.check,
        "seats": accounting.check_seats,
        "relevance": ranking.check_relevance,
        "limits": limits.check,
        "copies": copies.check,
        "reserves": reserves.check,
        "order": ranking.check_order,
        "report": figures.check,
    }


def verify_record(record: Any) -> list[Violation]:
    """Broken rules of one record; none when it holds. Raises `LogError` when it is no record.

    A rule that cannot be computed on what the record says (an unknown key, a missing number) is broken too.
    """
    view = View(record)
    found: list[Violation] = []
    for name, rule in rules().items():
        try:
            found += rule(view)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
            found.append(Violation(name, f"the record does not hold together ({type(error).__name__}: {error})"))
    return found
