"""Spark: `--option master=local[2]` (default) or a cluster's. Extra `spark`.

Other `--option spark.…` settings are handed on.

Steps run as `mapInArrow` and grouped `applyInArrow`; Java 17 or later must be there. The driver holds ids of pairs that
resemble one another, never texts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from reparto.corpus.engines.blocks import Row, Step
from reparto.corpus.job import Account, Job
from reparto.errors import MissingExtraError

SCHEMA = "shard long, kind string, block binary"
_DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "false",  # a shard must not be split, nor two be run as one
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",  # rows are blocks
    "spark.driver.memory": "2g",
}


class SparkEngine:
    """Name `spark`."""

    name = "spark"

    def run(self, job: Job) -> Account:
        """De-duplicate the inputs of a job."""
        from reparto.corpus.engines.plan import run

        return run(job, self.runner(job.options, job.partitions), self.name)

    @classmethod
    def runner(cls, options: dict[str, str], partitions: int | None) -> SparkRunner:
        """What brings steps to the workers."""
        return SparkRunner(options, partitions)


class SparkRunner:
    """Frames are Spark dataframes of columns shard, kind and block."""

    attempts = 1  # Spark runs a failed task again by itself
    room: int | None = None

    def __init__(self, options: dict[str, str], partitions: int | None) -> None:
        try:
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise MissingExtraError("the engine `spark`", "spark") from error
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.appName("reparto dedupe").master(options.get("master", "local[2]"))
        settings = {**_DEFAULTS, "spark.sql.shuffle.partitions": str(partitions or 16)}
        settings |= {name: value for name, value in options.items() if name.startswith("spark.")}
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.session: Any = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")

    def rows(self, rows: Sequence[Row]) -> Any:
        """A frame of rows that the driver has."""
        frame = self.session.createDataFrame([(int(one.shard), one.kind, bytearray(one.block)) for one in rows], SCHEMA)
        return frame.repartition(max(1, len(rows)), "shard") if rows else frame

    def together(self, frames: Sequence[Any], step: Step) -> Any:
        """Apply a step to all rows of each shard."""
        whole = frames[0]
        for other in frames[1:]:
            whole = whole.unionByName(other)
        return whole.groupBy("shard").applyInArrow(_applied(step), SCHEMA)

    def each(self, frame: Any, step: Step) -> Any:
        """Apply a step to rows as they lie."""
        return frame.mapInArrow(_one_by_one(step), SCHEMA)

    def collect(self, frame: Any) -> Iterable[Row]:
        """The rows of a frame, on the driver."""
        for one in frame.collect():
            yield Row(one["shard"], one["kind"], bytes(one["block"]))

    def stop(self) -> None:
        """End the session that was started here."""
        self.session.stop()


def _rows(table: Any) -> list[Row]:
    columns = [table.column(name).to_pylist() for name in ("shard", "kind", "block")]
    return [Row(*one) for one in zip(*columns, strict=True)]


def _table(rows: Sequence[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    kinds = (pa.int64(), pa.string(), pa.binary())
    arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
    return pa.table(arrays, names=["shard", "kind", "block"])


def _applied(step: Step) -> Any:
    def apply(table: pa.Table) -> pa.Table:
        return _table(step(_rows(table)))

    return apply


def _one_by_one(step: Step) -> Any:
    def apply(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in _rows(batch):
                yield from _table(step([row])).to_batches()

    return apply
