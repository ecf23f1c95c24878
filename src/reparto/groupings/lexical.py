"""Lexical: texts that share their shingles, by resemblance (both ways) or containment (one way)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.contract.policy import Collapse
from reparto.groupings import Compared, Link
from reparto.kernels import overlaps
from reparto.model import Relation


@dataclass(frozen=True, slots=True)
class Lexical:
    """Thresholds in 0..1, None = off. `upward`: a text may also be contained in one that ranks lower.

    Containment counts in the lower-ranked of two by default: a short brief that ranks above the full story does not
    swallow it. O(shared shingles). A. Broder, "On the resemblance and containment of documents", 1997.
    """

    name: ClassVar[str] = "lexical"
    resemblance: float | None
    containment: float | None
    upward: bool = False

    @classmethod
    def of(cls, policy: Collapse) -> Lexical | None:
        """Off when both thresholds are."""
        if policy.resemblance is None and policy.containment is None:
            return None
        return cls(policy.resemblance, policy.containment, policy.container == "longest")

    def links(self, compared: Compared) -> list[Link]:
        """Pairs over a threshold. Equal compared texts resemble wholly."""
        found: list[Link] = []
        pairs = overlaps(compared.own, self.resemblance, self.containment)
        rows = zip(
            pairs.i.tolist(), pairs.j.tolist(), pairs.resemblance.tolist(),
            pairs.contained.tolist(), pairs.containing.tolist(), strict=True,
        )  # fmt: skip
        for i, j, resemblance, i_in_j, j_in_i in rows:
            if self.resemblance is not None and resemblance >= self.resemblance:
                found.append(Link(i, j, Relation.NEAR, resemblance, j_in_i))
            elif self.containment is not None and j_in_i >= self.containment:
                found.append(Link(i, j, Relation.CONTAINED, resemblance, j_in_i))
            if self.upward and self.containment is not None and i_in_j >= max(self.containment, j_in_i):
                found.append(Link(j, i, Relation.CONTAINED, resemblance, i_in_j))
        found += [
            Link(first, i, Relation.NEAR, 1.0, 1.0)
            for i, first in enumerate(compared.own.leaders().tolist())
            if first != i
        ]
        return found
