"""What a person asked of the page: the fields of its one form, however they came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from reparto import registry
from reparto.errors import Problem, RequestError

MOST_FIELDS = 40
SOURCES = ("pick", "paste", "search")


@dataclass(frozen=True, slots=True)
class Asked:
    """The form, checked only as far as its own fields go. Empty strings mean "as the contract says"."""

    source: str = "pick"  # which of the three below the person looks at
    pick: str = ""
    request: str = ""
    search: str = ""
    query_class: str = ""
    k: str = ""
    objective: str = ""
    quota_document: str = ""
    quota_source: str = ""
    lam: str = ""  # a lambda chosen before, and kept while other settings change
    step: str = ""  # where the slider stands now,
    at: str = ""  # where it stood when the page was made,
    key: str = ""  # and the stretches it stood on
    lang: str = ""

    def policy(self) -> dict[str, Any]:
        """The settings as a policy over the contract's; empty where nothing was changed."""
        found: dict[str, Any] = {}
        diversity: dict[str, Any] = {}
        if self.objective:
            diversity["objective"] = self.objective
        if self.lam:
            diversity["lambda"] = number(self.lam, "lambda")
        if diversity:
            found["diversity"] = diversity
        quotas = {
            field: False if value == "off" else whole(value, f"quotas.{field}")
            for field, value in (("document", self.quota_document), ("source", self.quota_source))
            if value
        }
        if quotas:
            found["quotas"] = quotas
        return found

    @property
    def seats(self) -> int | None:
        """The k asked for, or None."""
        return whole(self.k, "k") if self.k else None


NAMES = {"lambda": "lam", "class": "query_class"}


def read_form(raw: bytes) -> Asked:
    """From an URL-encoded body or query string. Unknown fields are left out; of a field given twice the last counts.

    Raises `RequestError` for too many fields or what is not UTF-8.
    """
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=MOST_FIELDS
        )
    except (ValueError, UnicodeDecodeError) as error:
        raise RequestError(Problem("bad_form", "the form cannot be read", "send it from the page, as UTF-8")) from error
    known = set(Asked.__dataclass_fields__)
    given: Mapping[str, str] = {NAMES.get(name, name): value for name, value in pairs}
    taken = {name: value.strip() if name != "request" else value for name, value in given.items() if name in known}
    if taken.get("source", "") not in SOURCES:
        taken["source"] = "pick"
    return Asked(**taken)


def whole(value: str, field: str) -> int:
    """A whole number from 1. Raises `RequestError` naming the field."""
    if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) >= 1):
        raise RequestError(
            Problem("wrong_type", f"{field} is {value!r:.40}", "give a whole number from 1", field=field)
        )
    return int(value)


def number(value: str, field: str) -> float:
    """A number in 0..1. Raises `RequestError` naming the field."""
    try:
        found = float(value.replace(",", "."))
    except ValueError:
        found = -1.0
    if not 0.0 <= found <= 1.0:
        raise RequestError(Problem("out_of_range", f"{field} is {value!r:.40}", "give a number in 0..1", field=field))
    return found


def objectives(aspects: bool) -> tuple[str, ...]:
    """Names that may be chosen; `aspects` needs a request that has some."""
    return tuple(name for name in registry.names("objectives") if aspects or name != "aspects")
