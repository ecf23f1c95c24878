"""What a framework's metadata says of a seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.selection import Seat


def account(seat: Seat) -> Mapping[str, Any]:
    """Seat, relevance, copies, depth, and why."""
    return {
        "seat": seat.seat,
        "relevance": seat.relevance,
        "copies": seat.copies.to_dict(),
        "depth": list(seat.depth),
        "filled": seat.filled,
        "because": seat.because,
    }
