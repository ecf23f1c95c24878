"""The runner, not the stages, sees to it that every candidate survives a stage or leaves it with one decision."""

from dataclasses import replace

import pytest

from reparto.errors import ConservationError
from reparto.model import Candidate, Decision, Entry, Fate, Pool, Step
from reparto.pipeline import run_stage


def entry(id, *copies):
    return Entry(Candidate(id, 1.0, f"text of {id}"), 1.0, f"text of {id}", 3, copies=copies)


POOL = Pool((entry("a"), entry("b"), entry("c")))


@pytest.mark.parametrize(
    ("stage", "named"),
    [
        (lambda pool: Step(Pool(pool.entries[:2])), "c"),
        (lambda pool: Step(Pool((*pool.entries, entry("d")))), "d"),
        (lambda pool: Step(Pool((*pool.entries, pool.entries[0]))), "a"),
        (lambda pool: Step(pool, (Decision("b", Fate.OUTRANKED),)), "b"),
        (lambda pool: Step(Pool(pool.entries[1:]), (Decision("a", Fate.COPY, "b"),)), "a"),
    ],
    ids=["lost", "invented", "twice", "kept and decided", "a copy of which nobody has the candidate"],
)
def test_what_a_stage_loses_or_invents_is_named(stage, named):
    with pytest.raises(ConservationError, match=f"lost or invented candidates: {named}$"):
        run_stage(stage, POOL)


def test_a_copy_that_another_entry_holds_is_not_lost():
    a, b, c = POOL.entries
    step = Step(Pool((replace(a, copies=(b,)), c)), (Decision("b", Fate.COPY, "a"),))
    assert run_stage(lambda pool: step, POOL) is step
