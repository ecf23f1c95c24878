"""Writing a calibrated contract: TOML with a comment beside every number that says where it came from."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reparto.evaluation.calibrate.calibration import Calibration, ClassResult
from reparto.evaluation.calibrate.thresholds import Threshold

WIDTH = 108


def toml(calibration: Calibration) -> str:
    """The contract as TOML text.

    It holds what was found and nothing else: all other numbers stay the built-in ones.
    """
    return "\n".join(_lines(calibration)) + "\n"


def _lines(calibration: Calibration) -> Iterator[str]:
    yield from _comment(f"Calibrated on {calibration.about}; seed {calibration.seed}.")
    yield "version = 1"
    if calibration.thresholds:
        yield from _thresholds(calibration.thresholds)
    for one in calibration.classes:
        yield from _class(one)


def _thresholds(thresholds: Sequence[Threshold]) -> Iterator[str]:
    yield ""
    yield "[defaults.collapse]"
    for one in thresholds:
        yield from _comment(one.because)
        if one.value is not None:
            yield f"{one.measure} = {one.value:g}"
        elif one.pairs:
            yield f"# {one.measure} is left as it was"


def _class(one: ClassResult) -> Iterator[str]:
    name = f"classes.{_key(one.name)}"
    yield ""
    yield from _comment(one.sentence)
    for note in one.notes:
        yield from _comment(note)
    yield f"[{name}]"
    if one.k is not None:
        yield f"k = {one.k}"
    policy = one.policy
    for section in ("collapse", "quotas", "reserve", "scores", "diversity"):
        value = policy.get(section)
        if value is None:
            continue
        yield from _comment(one.sources.get(section, ""))
        yield f"{section} = {_value(value)}"
    if one.score_map is not None and "scores" not in policy:
        yield from _comment(f"score map: {one.score_map.because}")
        if one.score_map.slope is not None:
            scores = {"scale": "logistic", "midpoint": one.score_map.midpoint, "slope": one.score_map.slope}
            yield "# lambda was chosen on the scores as they are; calibrate with --score-map to choose it on this one"
            yield f"# scores = {_value(scores)}"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, WIDTH, break_long_words=False)]


def _value(value: Any) -> str:
    """A TOML value; strings in JSON's escapes, which TOML's basic strings share."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(name)} = {_value(one)}" for name, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value)


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else json.dumps(name)
