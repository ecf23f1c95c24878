"""What de-duplication is told: thresholds, the shape of the bands, and the bounds that keep its cost linear."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from reparto.errors import InputError, Problem
from reparto.kernels import Spec

SIGNATURE = 2  # raised whenever equal texts would get other keys: earlier results then cannot be extended

_SHAPES = ((0.6, (40, 4)), (0.5, (72, 4)), (0.35, (72, 3)), (0.25, (72, 2)), (0.15, (120, 2)), (0.0, (128, 1)))


@dataclass(frozen=True, slots=True)
class Settings:
    """Thresholds in 0..1 (None = off), and how candidates are found.

    `bands` x `rows` MinHash slots propose pairs; at resemblance s a pair is proposed with probability
    1 - (1 - s^rows)^bands. A bucket proposes its first `bucket` documents in order of priority; a shared sentence
    proposes while at most `sentences` documents have it. `seed` is mixed into every hash: keep it secret where authors
    of texts might aim at buckets. `revisions`: `keep` texts that disagree in a fact apart, or `collapse` them.
    """

    resemblance: float | None = 0.6
    containment: float | None = 0.8
    revisions: str = "keep"
    bands: int = 40
    rows: int = 4
    bucket: int = 16
    sentences: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot work, all at once."""
        problems = [
            Problem(
                "threshold", f"{name} is {value}", "give a number above 0 and at most 1, or switch it off", field=name
            )
            for name, value in (("resemblance", self.resemblance), ("containment", self.containment))
            if value is not None and not 0 < value <= 1
        ]
        problems += [
            Problem("bands", f"{name} is {value}", f"give a whole number from 1 to {most}", field=name)
            for name, value, most in (
                ("bands", self.bands, 256), ("rows", self.rows, 16), ("bucket", self.bucket, 4096),
                ("sentences", self.sentences, 65536),
            )
            if not 1 <= value <= most
        ]  # fmt: skip
        if self.revisions not in ("keep", "collapse"):
            problems.append(
                Problem("revisions", f"revisions is {self.revisions!r}", "give keep or collapse", field="revisions")
            )
        if problems:
            raise InputError(problems)

    @classmethod
    def at(cls, resemblance: float | None, **others: Any) -> Settings:
        """Settings with bands that find pairs at that resemblance: 99 % of them at .5 and above, 95 % below."""
        least = 0.6 if resemblance is None else resemblance
        bands, rows = next((shape for floor, shape in _SHAPES if least >= floor), _SHAPES[-1][1])
        return cls(resemblance, **{"bands": bands, "rows": rows, **others})

    @property
    def spec(self) -> Spec:
        """How texts are sketched: whole shingle sets, so that what is reported is exact."""
        return Spec(scale=1, least=1, seed=self.seed)

    @property
    def slots(self) -> int:
        """MinHash slots a document has."""
        return self.bands * self.rows

    def to_dict(self) -> dict[str, Any]:
        """The settings with the version of the signatures, as results name them."""
        return {**asdict(self), "signature": SIGNATURE}
