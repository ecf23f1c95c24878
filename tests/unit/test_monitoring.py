"""Monitoring: rates with intervals, rules, a detector with a stated rate of false alarms, and who is to blame."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reparto
from reparto.errors import ContractError, LogError
from reparto.log import LogWriter, record_of
from reparto.monitoring.attribution import origins
from reparto.monitoring.detector import Baseline, Detector
from reparto.monitoring.monitor import monitor
from reparto.monitoring.observation import STREAMS, Duplicate, Observation, observe, read_logs
from reparto.monitoring.rates import rates
from reparto.monitoring.render import prometheus, text
from reparto.monitoring.rules import hold, read_rules, rules_of

START = datetime(2024, 3, 1, tzinfo=UTC)
STORY = "The night ferry between the two islands stops running at nine from Monday on, the harbour said."


def seen(
    place: int, before: float = 0.0, after: float = 0.0, name: str = "survey", duplicates: Any = (), **more: float
) -> Observation:
    values = {**dict.fromkeys(STREAMS, 0.0), "duplicate_rate_before": before, "duplicate_rate_after": after, **more}
    return Observation(
        START + timedelta(hours=place), name, values, values, tuple(duplicates), {"s": 10}, {"s": len(duplicates)}
    )


def copy_of(**origin: str) -> Duplicate:
    return Duplicate("copy", origin)


# --- reading ---------------------------------------------------------------------------------------------------------


def request(**more: Any) -> Any:
    rows = [
        {
            "id": "a",
            "text": STORY,
            "score": 0.9,
            "source": "North",
            "document": "d1",
            "metadata": {"chunker": "v1", "deep": {"x": 1}},
        },
        {
            "id": "b",
            "text": STORY + " ",
            "score": 0.8,
            "source": "South",
            "document": "d2",
            "metadata": {"chunker": "v2"},
        },
        {"id": "c", "text": "Trams run all night.", "score": 0.7},
        {"id": "bad", "text": "x", "score": float("nan")},
    ]
    return reparto.read_request({"query": "ferry", "query_class": "survey", "k": 2, "candidates": rows, **more})


def test_a_log_of_select_is_read_back_with_who_the_copies_were(tmp_path: Path) -> None:
    asked, path = request(), tmp_path / "log"
    LogWriter(path).write(asked, reparto.select(asked))
    (one,) = read_logs([path])
    assert one.values["duplicate_rate_before"] == 1.0
    assert one.values["duplicate_rate_after"] == 0.0
    assert one.values["copies"] == pytest.approx(1 / 3), "the invalid candidate does not count"
    assert [dup.kind for dup in one.duplicates] == ["copy"]
    origin = one.duplicates[0].origin
    assert (origin["source"], origin["document"], origin["metadata.chunker"]) == ("South", "d2", "v2")
    assert one.population == {"North": 1, "South": 1, "": 1}


def test_a_log_without_texts_is_read_as_well() -> None:
    asked = request()
    record = json.loads(json.dumps(record_of(asked, reparto.select(asked), texts=False)))
    assert observe(record).duplicates[0].origin["source"] == "South"


def test_logs_are_put_in_order_of_time(tmp_path: Path) -> None:
    asked = request()
    chosen = reparto.select(asked)
    for name, day in (("late", 9), ("early", 2)):
        record = record_of(asked, chosen, at=datetime(2024, 3, day, tzinfo=UTC))
        (tmp_path / name).write_text(json.dumps(record) + "\n\n", encoding="utf-8")
    assert [one.at.day for one in read_logs([tmp_path / "late", tmp_path / "early"])] == [2, 9]


@pytest.mark.parametrize(
    "line", ["{}", "[]", "no", '{"at": "2024-01-01", "selection": {"report": {}, "decisions": []}}']
)
def test_what_is_no_record_is_named_by_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(LogError) as caught:
        read_logs([path, tmp_path / "absent"])
    assert [one.line for one in caught.value.problems] == [2, None]


# --- detector --------------------------------------------------------------------------------------------------------


def noise(seed: int, n: int, mean: float) -> list[float]:
    """Shares of eight, as a duplicate rate over eight seats has them."""
    return (np.random.default_rng(seed).binomial(8, mean, n) / 8).tolist()


def test_no_alarm_while_nothing_changes() -> None:
    """60 runs of 2,000 queries each: 120,000 clean queries, where one alarm in 100,000 is allowed on average."""
    alarms = 0
    for seed in range(60):
        known, clean = noise(seed, 500, 0.05), noise(seed + 1000, 2000, 0.05)
        alarms += Detector(Baseline.of(known).ceiling).first_alarm(clean) is not None
    assert alarms <= 1


def test_at_the_ceiling_itself_the_rate_of_false_alarms_is_what_is_stated() -> None:
    """The worst case of the guarantee: the mean is exactly the ceiling. At most 1 run in 10 may ring within a
    tenth of the horizon."""
    rang = sum(Detector(0.25, horizon=2000.0).first_alarm(noise(seed, 200, 0.25)) is not None for seed in range(200))
    assert rang <= 20 + 15


@pytest.mark.parametrize("rise", [0.1, 0.2, 0.5])
def test_a_rise_is_seen_within_two_hundred_queries_and_placed(rise: float) -> None:
    for seed in range(10):
        known, clean = noise(seed, 500, 0.05), noise(seed + 50, 300, 0.05)
        values = clean + noise(seed + 99, 300, 0.05 + rise)
        alarm = Detector(Baseline.of(known).ceiling).first_alarm(values)
        assert alarm is not None
        assert 300 <= alarm.at < 500
        assert abs(alarm.since - 300) <= 60
        assert alarm.mean_since > Baseline.of(known).ceiling


@given(st.floats(0.0, 1.0), st.lists(st.floats(0, 1), max_size=60))
def test_a_bet_never_loses_everything(ceiling: float, values: list[float]) -> None:
    detector = Detector(ceiling)
    assert ((1.0 - detector.bets() * ceiling) > 0).all()
    alarm = detector.first_alarm(values)
    assert alarm is None or (0 <= alarm.since <= alarm.at < len(values) and alarm.evidence >= detector.horizon)


@given(st.lists(st.floats(0, 0.2), max_size=100))
def test_values_below_the_ceiling_never_ring(values: list[float]) -> None:
    assert Detector(0.2, horizon=100.0).first_alarm(values) is None


# --- who is to blame -------------------------------------------------------------------------------------------------


def test_the_origin_of_new_copies_is_named() -> None:
    before = [
        seen(i, duplicates=[copy_of(source="South", document=f"d{i % 40}")] if i % 4 == 0 else ()) for i in range(200)
    ]
    after = [
        seen(200 + i, duplicates=[copy_of(source="South", document=f"new{i % 30}", **{"metadata.chunker": "v2"})] * 2)
        for i in range(50)
    ]
    found = {one.field: one for one in origins(before, after, ("copy",))}
    assert found["metadata.chunker"].values == ("v2",)
    assert found["metadata.chunker"].new
    assert found["metadata.chunker"].share > 0.9
    assert found["document"].count >= 20
    assert "new" in found["document"].sentence()
    assert "source" not in found, "all copies came from South before, too: it explains nothing"


def test_nothing_is_blamed_when_nothing_grew() -> None:
    same = [seen(i, duplicates=[copy_of(source="South")]) for i in range(50)]
    assert origins(same, same, ("copy",)) == []
    assert origins(same, [], ("copy",)) == []


def test_monitor_tells_when_it_began_and_where_from() -> None:
    clean = [seen(i, before=0.125 * (i % 2)) for i in range(600)]
    bad = [
        seen(600 + i, before=0.5, duplicates=[copy_of(document=f"again{i % 9}", relation="exact")] * 3, copies=0.2)
        for i in range(100)
    ]
    found = monitor([*clean, *bad], {}, learn=300)
    assert found.alert
    change = found.changes[0]
    assert change.since == 301
    assert change.seen <= 330
    assert {one.stream for one in found.changes} == {"duplicate_rate_before", "copies"}
    assert any(one.field == "document" for one in change.origins)
    assert not monitor(clean, {}, learn=300).alert


def test_a_baseline_of_its_own_takes_the_place_of_the_first_queries() -> None:
    known = [seen(i) for i in range(100)]
    bad = [seen(200 + i, before=0.4) for i in range(60)]
    assert monitor(bad, {}, baseline=known).changes[0].since == 1
    learnt = monitor(bad, {})
    assert learnt.unlearnt == ("survey",), "30 queries are too few to learn on"
    assert not learnt.alert


def test_classes_are_watched_apart() -> None:
    log = [
        seen(i, before=0.5 if name == "survey" and i >= 200 else 0.0, name=name)
        for i in range(300)
        for name in ("survey", "factual")
    ]
    assert {one.query_class for one in monitor(log, {}).changes} == {"survey"}


# --- rules -----------------------------------------------------------------------------------------------------------


RULE = {"crowded": {"measure": "duplicate_rate_after", "class": "survey", "above": 0.15, "over": 20}}


def test_a_rule_looks_at_the_last_queries_of_its_class() -> None:
    log = [seen(i, after=0.5) for i in range(30)] + [seen(30 + i, after=0.0) for i in range(20)]
    assert not hold(rules_of(RULE), log)[0].fires
    assert hold(rules_of(RULE), log[:30])[0].fires
    other = [seen(i, after=0.5, name="factual") for i in range(30)]
    assert not hold(rules_of(RULE), other)[0].fires


def test_with_few_queries_a_rule_fires_only_when_it_is_sure() -> None:
    assert hold(rules_of(RULE), [seen(i, after=0.5) for i in range(12)])[0].fires
    assert not hold(rules_of(RULE), [seen(i, after=0.5) for i in range(9)])[0].fires, "nine queries say nothing"
    unsure = [seen(i, after=1.0 if i == 0 else 0.1) for i in range(12)]
    assert not hold(rules_of(RULE), unsure)[0].fires


def test_below_is_a_bound_too() -> None:
    rule = {"one": {"measure": "independent_texts", "below": 2, "over": 10}}
    log = [seen(i, independent_texts=1.0) for i in range(10)]
    assert hold(rules_of(rule), log)[0].fires


def test_rules_are_read_and_refused_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('[alerts.one]\nmeasure = "duplicate_rate_after"\nabove = 0.1\n', encoding="utf-8")
    assert read_rules(path)["one"].over == 200
    for bad in (
        '[alerts.one]\nmeasure = "duplicates"\nabove = 0.1\n',
        '[alerts.one]\nmeasure = "tokens"\n',
        "x = 1",
        "[",
    ):
        path.write_text(bad, encoding="utf-8")
        with pytest.raises(ContractError):
            read_rules(path)
    with pytest.raises(ContractError):
        read_rules(tmp_path / "absent.toml")


# --- rates and rendering ---------------------------------------------------------------------------------------------


def test_rates_are_grouped_by_class_day_and_source_with_intervals() -> None:
    log = [seen(i, before=float(i % 2), duplicates=[copy_of()] * 5) for i in range(48)]
    found = rates(log)
    assert [(one.name, one.queries) for one in found.days] == [("2024-03-01", 24), ("2024-03-02", 24)]
    assert found.overall.before.mean == 0.5
    assert 0.3 < found.overall.before.low < 0.5 < found.overall.before.high < 0.7
    source = found.sources[0]
    assert (source.name, source.candidates, source.copies, source.interval.mean) == ("s", 480, 240, 0.5)
    assert 0.45 < source.interval.low < 0.5


def test_a_day_is_of_utc() -> None:
    moment = datetime(2024, 3, 1, 1, tzinfo=timezone(timedelta(hours=5)))
    one = Observation(moment, "survey", dict.fromkeys(STREAMS, 0.0), {}, (), {}, {})
    assert rates([one]).days[0].name == "2024-02-29"


def test_an_empty_log_is_quiet() -> None:
    found = monitor([], rules_of(RULE))
    assert not found.alert
    assert text(found).startswith("quiet\n")
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_prometheus_labels_are_escaped() -> None:
    odd = [Observation(START, 'a"b\\\n', dict.fromkeys(STREAMS, 0.0), {}, (), {}, {})]
    lines = prometheus(monitor(odd, {})).splitlines()
    assert 'reparto_queries{class="a\\"b\\\\\\n"} 1' in lines
    assert all(line.startswith(("#", "reparto_")) for line in lines)
