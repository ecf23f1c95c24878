"""Relevance alone: the ranking, under the constraints. Redundancy is reported all the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reparto.model import Floats
from reparto.objectives import Ground
from reparto.objectives._seated import SeatedRun


@dataclass(frozen=True, slots=True)
class Relevance:
    """Value = relevance. No keys."""

    name: ClassVar[str] = "relevance"
    falling: ClassVar[bool] = True

    def start(self, ground: Ground) -> RelevanceRun:
        """Open a run over a ground of n entries."""
        return RelevanceRun(ground)


class RelevanceRun(SeatedRun):
    """A run whose gains never change."""

    def gains(self) -> Floats:
        """Return the relevance, (n,) in 0..1."""
        return self._ground.relevance
