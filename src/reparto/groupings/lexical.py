"""Lexical: texts that share their shingles, by resemblance (both ways) or containment (one way)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reparto.contract.policy import Collapse
from reparto.groupings import Compared, Links
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

    def links(self, compared: Compared) -> Links:
        """Pairs over a threshold. Equal compared texts resemble wholly."""
        pairs = overlaps(compared.own, self.resemblance, self.containment)
        nothing = np.zeros(len(pairs), dtype=bool)
        near = nothing if self.resemblance is None else pairs.resemblance >= self.resemblance
        inside = nothing if self.containment is None else pairs.containing >= self.containment
        rest = inside & ~near
        first = compared.own.leaders()
        again = np.flatnonzero(first != np.arange(len(compared)))
        whole = np.ones(len(again))
        parts = [
            Links.columns(Relation.NEAR, pairs.i[near], pairs.j[near], pairs.resemblance[near], pairs.containing[near]),
            Links.columns(
                Relation.CONTAINED, pairs.i[rest], pairs.j[rest], pairs.resemblance[rest], pairs.containing[rest]
            ),
            Links.columns(Relation.NEAR, first[again], again, whole, whole),
        ]
        if self.upward and self.containment is not None:
            up = pairs.contained >= np.maximum(self.containment, pairs.containing)
            parts.append(
                Links.columns(Relation.CONTAINED, pairs.j[up], pairs.i[up], pairs.resemblance[up], pairs.contained[up])
            )
        return Links.joined(parts)
