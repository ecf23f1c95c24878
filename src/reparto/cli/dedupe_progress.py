"""Progress of a long run, step by step: on standard error, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress() -> Iterator[Callable[[str, int], None]]:
    """A counter for each step. The value is called with a step's name and how many more are done."""
    if not sys.stderr.isatty():
        yield lambda step, done: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def tick(step: str, done: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=None)
            bar.advance(tasks[step], done)

        yield tick
