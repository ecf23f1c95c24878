"""From JSON, dicts and tables to checked requests."""

from reparto.intake.request import Request, read_request

__all__ = ["Request", "read_request"]
