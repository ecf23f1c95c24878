"""Conformance suites that the built-in members pass and third parties can run on theirs.

One file a kind of plug-in: `check_objective` for diversity objectives, and so on. `strategies` needs
hypothesis (`pip install 'reparto[testing]'`) and is imported by its own name.
"""

from __future__ import annotations

from reparto.testing.objectives import check_declaration, check_objective, make_ground, sample_grounds

__all__ = ["check_declaration", "check_objective", "make_ground", "sample_grounds"]
