"""Quoted: a message that another candidate quotes whole is a contained copy of that one, whichever ranks higher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.contract.policy import Collapse
from reparto.groupings import Compared, Link, Links
from reparto.groupings.mail import whole_quotations
from reparto.model import Relation


@dataclass(frozen=True, slots=True)
class Quoted:
    """On wherever containment is. Only messages that quote something are looked into."""

    name: ClassVar[str] = "quoted"

    @classmethod
    def of(cls, policy: Collapse) -> Quoted | None:
        """Off without a containment threshold."""
        return None if policy.containment is None else cls()

    def links(self, compared: Compared) -> Links:
        """Links from each message to those that quote it."""
        texts = [entry.text for entry in compared.entries]
        return Links.of(
            Link(i, j, Relation.CONTAINED, None, 1.0) for i, j in whole_quotations(texts, compared.messages)
        )
