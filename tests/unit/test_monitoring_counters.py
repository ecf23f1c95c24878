"""Monitoring by the service's counters: what they say agrees with the logs of the same selections."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import reparto
from reparto.cli.monitor import command
from reparto.contract.alerts import Alert
from reparto.errors import LogError
from reparto.log import LogWriter
from reparto.monitoring.counters import monitor_counters
from reparto.monitoring.exposition import Counts, is_exposition, read_counts
from reparto.monitoring.monitor import monitor
from reparto.monitoring.observation import read_logs

pytest.importorskip("prometheus_client", reason="the extra `service` reads expositions")
KEY = "sixteen letters or more"
RULE = {"crowded": Alert(measure="duplicate_rate_after", above=0.15, over=200)}


def exposition(queries: int, seats: int, duplicates: int, policy: str = "survey") -> str:
    """What a service answers that delivered so much; as ranked, twice as many were duplicates."""
    rows = {
        "selections_total{policy=%r,door='v1'}": queries,
        "delivered_passages_total{policy=%r}": seats,
        "delivered_duplicates_total{policy=%r,method='lexical'}": duplicates,
        "ranked_passages_total{policy=%r}": seats,
        "ranked_duplicates_total{policy=%r,method='lexical'}": 2 * duplicates,
    }
    lines = [f"reparto_{name % policy} {number}".replace("'", '"') for name, number in rows.items()]
    return "\n".join(["# HELP reparto_selections_total Selections made.", *lines, ""])


def written(path: Path, *told: str) -> Path:
    path.write_text("".join(told), encoding="utf-8")
    return path


def request(place: int) -> dict[str, Any]:
    story = f"The ferry of island {place} stops at nine from Monday on, the harbour master said in the evening."
    texts = [story, f"{story} Again.", f"Bread is dearer by {place + 2} cents.", "Rain is on its way."]
    return {
        "query": "ferry", "query_class": "survey", "k": 3,
        "candidates": [{"id": f"{place}-{i}", "text": text, "score": 0.9 - i / 10} for i, text in enumerate(texts)],
    }  # fmt: skip


def test_counters_and_logs_of_the_same_selections_agree(tmp_path: Path) -> None:
    metrics = pytest.importorskip("reparto.service.metrics", reason="the extra `service` is not installed").Metrics({})
    log = LogWriter(tmp_path / "log.jsonl")
    for place in range(12):
        asked = reparto.read_request(request(place))
        selection = reparto.select(asked)
        metrics.selected(selection, "v1", 0.001)
        log.write(asked, selection)
    path = tmp_path / "metrics.txt"
    path.write_bytes(metrics.text())
    counted, logged = monitor_counters([path], RULE), monitor(read_logs([tmp_path / "log.jsonl"]), RULE)
    (one,), (other,) = counted.rates.classes, logged.rates.classes
    assert (one.name, one.queries) == (other.name, other.queries) == ("survey", 12)
    assert other.before.mean > 0.5
    assert one.before.mean == pytest.approx(other.before.mean)
    assert one.after.mean == pytest.approx(other.after.mean)
    assert [rule.fires for rule in counted.rules] == [rule.fires for rule in logged.rules]


def test_rates_are_of_all_passages_and_intervals_count_queries(tmp_path: Path) -> None:
    found = monitor_counters([written(tmp_path / "m", exposition(100, 800, 80))], {})
    after = found.rates.overall.after
    assert after.mean == 0.1
    assert after.low == pytest.approx(0.0552, abs=1e-4)  # Wilson's for 10 of 100, not for 80 of 800
    assert found.rates.overall.before.mean == 0.2


def test_what_came_since_an_earlier_reading_counts(tmp_path: Path) -> None:
    early, late = exposition(1000, 8000, 0), exposition(1300, 10400, 1200)
    sources = written(tmp_path / "late", late), written(tmp_path / "early", early)
    assert not monitor_counters(sources[:1], RULE).alert  # .115 over all
    since = monitor_counters(sources[:1], RULE, sources[1:])
    assert since.alert
    assert since.rates.overall.queries == 300
    assert since.rates.overall.after.mean == 0.5


def test_a_service_that_began_anew_counts_from_zero() -> None:
    assert Counts(5, 40, 4, 40, 8).since(Counts(100, 800, 0, 800, 0)) == Counts(5, 40, 4, 40, 8)


def test_several_services_are_summed_and_classes_kept_apart(tmp_path: Path) -> None:
    one = written(tmp_path / "one", exposition(10, 80, 8), exposition(30, 90, 0, "factual"))
    other = written(tmp_path / "other", exposition(30, 240, 0))
    classes = {rate.name: rate for rate in monitor_counters([one, other], {}).rates.classes}
    assert {name: rate.queries for name, rate in classes.items()} == {"factual": 30, "survey": 40}
    assert classes["survey"].after.mean == 8 / 320


def test_a_rule_that_no_counter_answers_says_so(tmp_path: Path) -> None:
    rules = {"long": Alert(measure="tokens", above=1.0), "facts": Alert.model_validate({
        "measure": "duplicate_rate_after", "class": "factual", "above": 0.1})}  # fmt: skip
    found = monitor_counters([written(tmp_path / "m", exposition(500, 4000, 2000))], rules)
    assert not found.alert
    assert "no counter holds it" in found.rules[0].because
    assert "no query was counted" in found.rules[1].because
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_log_is_no_exposition(tmp_path: Path) -> None:
    assert not is_exposition(written(tmp_path / "log", '{"at": 1}\n'))
    assert not is_exposition(tmp_path / "absent")
    assert is_exposition(written(tmp_path / "m", "\n# HELP x y\n"))
    assert is_exposition("http://127.0.0.1:1/metrics")


@pytest.mark.parametrize(
    ("told", "message"),
    [("# HELP python_info x\npython_info 1\n", "no counters of this service"), ("# HELP x y\n}{\n", "no Prometheus")],
)
def test_other_texts_are_refused(tmp_path: Path, told: str, message: str) -> None:
    with pytest.raises(LogError, match=message):
        read_counts(written(tmp_path / "m", told))


@contextmanager
def answering(pages: Mapping[str, str]) -> Iterator[str]:
    """A server that wants a key and knows some pages; whatever begins with / redirects."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            allowed = self.headers.get("Authorization") == f"Bearer {KEY.split()[0]}"
            moved = page is not None and page.startswith("/")
            self.send_response(401 if not allowed else 404 if page is None else 302 if moved else 200)
            if moved and page is not None:
                self.send_header("Location", page)
            self.end_headers()
            if allowed and page is not None and not moved:
                self.wfile.write(page.encode())

        def log_message(self, *_: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_address_is_asked_with_the_key_and_redirects_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering({"/metrics": exposition(300, 2400, 1200), "/moved": "/metrics"}) as address:
        monkeypatch.delenv("REPARTO_API_KEYS", raising=False)
        with pytest.raises(LogError, match="answers 401"):
            read_counts(f"{address}/metrics")
        monkeypatch.setenv("REPARTO_API_KEYS", KEY.replace(" ", ","))
        result = CliRunner().invoke(command, [f"{address}/metrics", "--format", "json"])
        assert result.exit_code == 1, result.output
        assert json.loads(result.output)["rates"]["overall"]["after"]["mean"] == 0.5
        with pytest.raises(LogError, match="answers 302"):
            read_counts(f"{address}/moved")
    with pytest.raises(LogError, match="cannot read 'http://127"):
        read_counts(f"{address}/metrics")


def test_logs_and_counters_together_are_refused(tmp_path: Path) -> None:
    log, metrics = written(tmp_path / "log", ""), written(tmp_path / "m", exposition(1, 8, 0))
    result = CliRunner().invoke(command, [str(log), str(metrics)])
    assert isinstance(result.exception, LogError)
    assert "together" in str(result.exception)


def test_the_report_says_what_counters_cannot(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(written(tmp_path / "m", exposition(20, 160, 4)))])
    assert result.exit_code == 0, result.output
    assert "no change was sought" in result.output
    assert "all: 20 queries, before 0.0500" in result.output
