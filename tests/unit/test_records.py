"""Records: frozen as dataclasses are, whatever way they were made."""

import copy
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from reparto.records import record, value


@value
class Point:
    """Compared by its fields."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)


@record
class Thing:
    """Compared by identity."""

    x: int
    y: int = 2


def test_fields_and_defaults():
    point, other = Point(1), Point(1)
    assert (point.x, point.y, point.names) == (1, 2, [])
    assert point.names is not other.names
    assert Point(x=1, y=3, names=["a"]) == Point(1, 3, ["a"])
    assert [one.name for one in fields(Point)] == ["x", "y", "names"]
    assert repr(point) == "Point(x=1, y=2, names=[])"
    assert Thing(1) != Thing(1)


@pytest.mark.parametrize(
    "one", [Point(1), Thing(1), replace(Point(1), y=5), copy.copy(Point(1)), copy.deepcopy(Point(1))]
)
def test_nothing_can_be_changed(one):
    assert type(one) in (Point, Thing)
    with pytest.raises(FrozenInstanceError):
        one.x = 3
    with pytest.raises(FrozenInstanceError):
        del one.x
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        one.z = 3


@pytest.mark.parametrize(("args", "given"), [((), {}), ((1,), {"x": 1}), ((1, 2, [], 4), {}), ((1,), {"z": 3})])
def test_wrong_arguments_are_refused(args, given):
    with pytest.raises(TypeError, match="__init__"):
        Point(*args, **given)
