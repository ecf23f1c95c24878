"""The policy of one query class: what the keys are, their types, ranges and defaults.

These models are the single source of the contract's schema: validation, `reparto contract schema` and the reference
page in the docs are read from them. `false` switches a section or a threshold off and is held as None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

CANDIDATE_FIELDS = (
    "document", "source", "version", "published", "tier", "concept", "language", "url", "title", "id",
)  # fmt: skip


def _off(value: Any) -> Any:
    return None if value is False else value


def _field_path(value: Any) -> Any:
    """A candidate field or `metadata.NAME`."""
    if isinstance(value, str) and (
        value in CANDIDATE_FIELDS or (value.startswith("metadata.") and len(value) > len("metadata."))
    ):
        return value
    raise ValueError(f"is not a candidate field: use one of {', '.join(CANDIDATE_FIELDS)} or metadata.NAME")


MOST, MOST_DAYS = 2**31 - 1, 1_000_000  # beyond any use, within what is counted with
Share = Annotated[float, Field(ge=0, le=1)]
Threshold = Annotated[Annotated[float, Field(gt=0, le=1)] | None, BeforeValidator(_off)]
FieldPath = Annotated[str, BeforeValidator(_field_path)]


class Section(BaseModel):
    """Base of all tables: frozen, strict, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Scores(Section):
    """How the ranker's numbers become a relevance in 0..1."""

    kind: Literal["relevance", "distance"] = "relevance"
    scale: Literal["auto", "identity", "logistic", "minmax", "rank"] = "auto"
    midpoint: float = 0.0
    slope: Annotated[float, Field(gt=0)] = 1.0
    minimum: Annotated[Share | None, BeforeValidator(_off)] = None


class Merge(Section):
    """Overlapping or touching chunks of one document become one span."""

    gap: Annotated[int, Field(ge=0)] = 1
    max_tokens: Annotated[int, Field(ge=1)] = 1000


class Collapse(Section):
    """Copies take one seat that counts them."""

    exact: bool = True
    resemblance: Threshold = 0.6
    containment: Threshold = 0.8
    cosine: Threshold = 0.95
    confirm: Annotated[Share, BeforeValidator(lambda v: 0.0 if v is False else v)] = 0.2
    revisions: Literal["keep", "latest", "collapse"] = "keep"
    revision_seats: Annotated[Annotated[int, Field(ge=1, le=MOST)] | None, BeforeValidator(_off)] = 2
    container: Literal["rank", "longest"] = "rank"
    language: Annotated[str | None, BeforeValidator(_off)] = None
    representative: Literal["score", "earliest", "latest", "longest", "supported"] = "score"
    window_days: Annotated[Annotated[float, Field(gt=0, le=MOST_DAYS)] | None, BeforeValidator(_off)] = None


class Canonical(Section):
    """A gold synthesis takes the seat of the concept it covers."""


class Quota(Section):
    """At most `max` seats for one value of a field. `fill = false` makes it a hard cap."""

    max: Annotated[int, Field(ge=1, le=MOST)]
    fill: bool = True


def nested_metadata(value: Any) -> Any:
    """`{metadata: {topic: 2}}` is `{"metadata.topic": 2}`, in quotas and in `where`."""
    if not isinstance(value, Mapping):
        return value
    flat: dict[str, Any] = {}
    for key, one in value.items():
        if key == "metadata" and isinstance(one, Mapping):
            flat |= {f"metadata.{name}": inner for name, inner in one.items()}
        else:
            flat[key] = one
    return flat


class Reserve(Section):
    """Seats kept for what the set must hold: distinct values, a condition, or a spread over time."""

    field: FieldPath | None = None
    distinct: Annotated[int | None, Field(ge=1)] = None
    buckets: Annotated[int | None, Field(ge=2)] = None
    where: Annotated[dict[str, Any] | None, BeforeValidator(nested_metadata)] = None
    at_least: Annotated[int | None, Field(ge=1)] = None
    within: Annotated[int | None, Field(ge=1)] = None

    @model_validator(mode="after")
    def _one_form(self) -> Reserve:
        forms = (
            self.field is not None and self.distinct is not None,
            self.where is not None and self.at_least is not None,
            self.field is not None and self.buckets is not None,
        )
        if sum(forms) != 1 or (self.where is not None and self.field is not None):
            raise ValueError(
                "is {field, distinct}, {where, at_least} or {field = 'published', buckets}, with or without `within`"
            )
        if self.buckets is not None and self.field != "published":
            raise ValueError("buckets need field = 'published'")
        for path in self.where or ():
            _field_path(path)
        return self

    @property
    def wanted(self) -> int:
        """Number of seats, values or buckets asked for."""
        return self.distinct or self.at_least or self.buckets or 0

    def declared(self) -> dict[str, Any]:
        """The reserve as it was written."""
        return self.model_dump(exclude_none=True)


class Budget(Section):
    """A hard limit on the delivered text. `counter` may be a function of a text in Python."""

    tokens: Annotated[int, Field(ge=0)]
    counter: Literal["estimate", "characters", "words"] | Callable[[str], int] = "estimate"


def _quotas(value: Any) -> Any:
    if value is False:
        return None
    value = nested_metadata(value)
    if not isinstance(value, Mapping):
        return value
    return {
        key: {"max": one} if isinstance(one, int) and not isinstance(one, bool) else one
        for key, one in value.items()
        if one is not False
    }


class Policy(Section):
    """All that one query class declares, layers merged. A section that no layer names is off (None)."""

    k: Annotated[int, Field(ge=1)] = 8
    order: Literal["selection", "score", "edges"] = "selection"
    on_invalid: Literal["drop", "error"] = "drop"
    scores: Annotated[Scores, BeforeValidator(lambda v: {} if v is False else v)] = Scores()
    merge: Annotated[Merge | None, BeforeValidator(_off)] = None
    collapse: Annotated[Collapse | None, BeforeValidator(_off)] = None
    canonical: Annotated[Canonical | None, BeforeValidator(_off)] = None
    quotas: Annotated[dict[FieldPath, Quota] | None, BeforeValidator(_quotas)] = None
    reserve: Annotated[list[Reserve] | None, BeforeValidator(_off)] = None
    diversity: Annotated[dict[str, Any] | None, BeforeValidator(_off)] = None
    budget: Annotated[Budget | None, BeforeValidator(_off)] = None
