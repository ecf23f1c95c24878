"""Every registered objective passes the conformance suite; the suite catches what it is there to catch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings

from reparto import registry
from reparto.testing import check_declaration, check_objective
from reparto.testing.strategies import grounds

NAMES = registry.names("objectives")


@pytest.mark.parametrize("name", NAMES)
def test_registered_objective_conforms(name):
    check_objective(registry.load("objectives", name)())


@pytest.mark.parametrize("name", NAMES)
@given(ground=grounds())
@settings(max_examples=100)
def test_registered_objective_conforms_on_any_ground(name, ground):
    check_objective(registry.load("objectives", name)(), [ground])


@pytest.mark.parametrize("name", NAMES)
def test_name_is_the_registered_one(name):
    assert registry.load("objectives", name).name == name


@dataclass(frozen=True)
class Faulty:
    """Relevance with one fault at a time."""

    name: ClassVar[str] = "faulty"
    falling: ClassVar[bool] = True
    fault: str = field(default="", metadata={"key": "fault", "doc": "which"})

    def start(self, ground):
        return FaultyRun(ground, self.fault)


class FaultyRun:
    shared: ClassVar[list[int]] = []

    def __init__(self, ground, fault):
        self.ground, self.fault, self.seats = ground, fault, []
        self.shared.clear()

    def gains(self):
        gains = self.ground.relevance.copy()
        if self.fault == "shape":
            return gains[:, None]
        if self.fault == "nan" and len(gains):
            gains[0] = np.nan
        if self.fault == "rises":
            gains += len(self.seats)
        if self.fault == "shared":
            gains -= len(self.shared)
        return gains

    def redundancy(self):
        if self.fault == "redundancy" or not self.seats:
            return np.zeros(len(self.ground.ids))
        return np.max([self.ground.similarity.row(i) for i in self.seats], axis=0)

    def take(self, i):
        self.seats.append(i)
        self.shared.append(i)
        if self.fault == "mutates":
            self.ground.ids[0] = "changed"


def test_faultless_relevance_passes():
    check_objective(Faulty())


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("shape", "shape"),
        ("nan", "finite"),
        ("rises", "rose"),
        ("redundancy", "largest"),
        ("mutates", "changed"),
        ("shared", "share state"),
    ],
)
def test_suite_catches(fault, message):
    with pytest.raises(AssertionError, match=message):
        check_objective(Faulty(fault))


def test_declarations_are_demanded():
    @dataclass(frozen=True)
    class Keyless:
        name: ClassVar[str] = "keyless"
        weight: float = 1.0

    @dataclass(frozen=True)
    class Rangeless:
        name: ClassVar[str] = "rangeless"
        weight: float = field(default=1.0, metadata={"key": "weight", "doc": "a weight"})

    @dataclass
    class Thawed:
        name: ClassVar[str] = "thawed"

    for kind, message in ((Keyless, "contract key"), (Rangeless, "range"), (Thawed, "frozen")):
        with pytest.raises(AssertionError, match=message):
            check_declaration(kind)
