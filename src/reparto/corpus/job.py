"""A job of de-duplication: what is read, how, and where to; and the account that an engine gives of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from reparto.corpus.settings import Settings
from reparto.errors import Problem


def _silent(step: str, done: int) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Job:
    """`inputs` are files, folders, addresses or `-`; `out` ends in .parquet or .jsonl (else JSONL).

    `work` holds what a killed run leaves and what `state` keeps: with `keep` it stays, and a later run on more
    documents with the same `work` adds to it. `tick` hears of progress: a step's name and how many more are done.
    """

    inputs: tuple[str, ...]
    out: Path
    work: Path
    settings: Settings = field(default_factory=Settings)
    reader: str | None = None
    root: Path | None = None
    keep: bool = False
    engine: str = "local"
    partitions: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    tick: Callable[[str, int], None] = _silent


ENGINES_ALONE = ("largest_bucket", "skew", "shuffled")


@dataclass(slots=True)
class Account:
    """What a run did: printed as JSON at its end.

    Of a distributed engine alone: `largest_bucket` (documents with one band key), `shuffled` (bytes that the shards of
    a step took) and `skew` (those of the fullest shard, over the mean).
    """

    engine: str
    documents: int = 0
    texts: int = 0
    groups: int = 0
    copies: int = 0
    revisions: int = 0
    pairs: int = 0
    verified: int = 0
    bytes: int = 0
    largest_group: int = 0
    largest_bucket: int | None = None
    resumed: int = 0
    added: int = 0
    reopened: int = 0
    skipped: list[Problem] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    skew: dict[str, float] = field(default_factory=dict)
    shuffled: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """The seconds of a step, added to what it took before."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[step] = round(self.seconds.get(step, 0.0) + time.perf_counter() - start, 3)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        names = (
            "engine", "documents", "texts", "groups", "copies", "revisions", "pairs", "verified", "bytes",
            "largest_group", "largest_bucket", "resumed", "added", "reopened", "seconds", "skew", "shuffled",
        )  # fmt: skip
        wire: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.largest_bucket is None:  # one machine goes through its buckets and counts none
            wire = {name: value for name, value in wire.items() if name not in ENGINES_ALONE}
        return {**wire, "skipped": [one.to_dict() for one in self.skipped]}


class Engine(Protocol):
    """Runs the steps of de-duplication somewhere. Registered under `reparto.engines`."""

    name: str

    def run(self, job: Job) -> Account:
        """Read, group, write; every engine writes the same rows."""
        ...
