"""Daft: the native runner of one machine, or Ray (`--option runner=ray`, `--option address=ray://…`). Extra `daft`.

Telemetry is switched off before the engine is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from reparto.corpus.engines.blocks import Row, Step
from reparto.corpus.job import Account, Job
from reparto.errors import MissingExtraError

ROOM = 192 << 20  # bytes of texts under way, where one process runs everything: all are read again for as many more
ATTEMPTS = 4  # of a step on Ray, where a worker that dies takes the query with it


class DaftEngine:
    """Name `daft`."""

    name = "daft"

    def run(self, job: Job) -> Account:
        """De-duplicate the inputs of a job."""
        from reparto.corpus.engines.plan import run

        return run(job, self.runner(job.options, job.partitions), self.name)

    @classmethod
    def runner(cls, options: dict[str, str], partitions: int | None) -> DaftRunner:
        """What brings steps to the workers."""
        return DaftRunner(options, partitions)


class DaftRunner:
    """Frames are Daft dataframes of columns shard, kind and block."""

    def __init__(self, options: dict[str, str], partitions: int | None) -> None:
        for name, value in (("DO_NOT_TRACK", "1"), ("DAFT_ANALYTICS_ENABLED", "0"), ("RAY_USAGE_STATS_ENABLED", "0")):
            os.environ.setdefault(name, value)
        os.environ.setdefault("DAFT_PROGRESS_BAR", "0")
        os.environ.setdefault("DAFT_RUNNER", options.get("runner", "native"))
        try:
            import daft
        except ImportError as error:
            raise MissingExtraError("the engine `daft`", "daft") from error
        self.daft: Any = daft
        self.partitions = partitions
        self.room: int | None
        self._ray = options.get("runner") == "ray"
        self.attempts, self.room = (ATTEMPTS, None) if self._ray else (1, ROOM)
        if self._ray:
            daft.set_runner_ray(address=options.get("address"), noop_if_initialized=True)
        kinds = daft.DataType
        self.row: Any = kinds.struct({"shard": kinds.int64(), "kind": kinds.string(), "block": kinds.binary()})

    def rows(self, rows: Sequence[Row]) -> Any:
        """A frame of rows that the driver has."""
        import pyarrow as pa

        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        kinds = (pa.int64(), pa.string(), pa.large_binary())
        arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
        frame = self.daft.from_arrow(pa.table(arrays, names=["shard", "kind", "block"]))
        return frame.into_partitions(max(1, min(len(rows), 64))) if self._ray and rows else frame

    def together(self, frames: Sequence[Any], step: Step) -> Any:
        """Apply a step to all rows of each shard."""
        whole = frames[0]
        for other in frames[1:]:
            whole = whole.concat(other)
        if self._ray and self.partitions:
            whole = whole.repartition(self.partitions, "shard")
        apply = self.daft.func.batch(return_dtype=self.row)(_applied(step))
        made = whole.groupby("shard").map_groups(apply(whole["shard"], whole["kind"], whole["block"]).alias("row"))
        return self._spread(made)

    def each(self, frame: Any, step: Step) -> Any:
        """Apply a step to rows as they lie, one at a time: what a row brings may be large."""
        listed = self.daft.DataType.list(self.row)
        apply = self.daft.func.batch(return_dtype=listed, batch_size=1)(_one_by_one(step))
        made = frame.select(apply(frame["shard"], frame["kind"], frame["block"]).alias("row")).explode("row")
        return self._spread(made.where(self.daft.col("row").not_null()))

    def _spread(self, frame: Any) -> Any:
        fields = [self.daft.col("row").get(name).alias(name) for name in ("shard", "kind", "block")]
        return frame.select(*fields)

    def collect(self, frame: Any) -> Iterable[Row]:
        """The rows of a frame, on the driver."""
        for batch in frame.to_arrow_iter():
            for one in batch.to_pylist():
                yield Row(one["shard"], one["kind"], one["block"])

    def stop(self) -> None:
        """Nothing runs on: the native runner lives in the process, a Ray cluster is its owner's."""


def _applied(step: Step) -> Any:
    def apply(shard: Any, kind: Any, block: Any) -> list[dict[str, Any]]:
        rows = [Row(*one) for one in zip(shard.to_pylist(), kind.to_pylist(), block.to_pylist(), strict=True)]
        return [one._asdict() for one in step(rows)]

    return apply


def _one_by_one(step: Step) -> Any:
    def apply(shard: Any, kind: Any, block: Any) -> list[list[dict[str, Any]]]:
        rows = [Row(*one) for one in zip(shard.to_pylist(), kind.to_pylist(), block.to_pylist(), strict=True)]
        return [[made._asdict() for made in step([one])] for one in rows]

    return apply
