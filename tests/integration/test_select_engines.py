"""`reparto select --engine`: a table of requests is answered as each request alone is, whichever engine serves it."""

import json

import pytest
from click.testing import CliRunner

pytest.importorskip("pyarrow", reason="distributed engines exchange Arrow tables")

from reparto.cli import group

REQUESTS = [
    {"query": f"q{q}", "k": 3, "candidates": [
        {"id": f"{q}.{i}", "score": 1 - i / 20, "document": f"d{i % 3}",
         "text": f"Passage {i % 5} about the topic {q % 3}, told in other words {i}."}
        for i in range(8)
    ]} for q in range(30)
]  # fmt: skip


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "requests.jsonl"
    lines = [json.dumps(one) for one in REQUESTS]
    lines[10] = '{"candidates": [{"text": "no id"}]}'
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(group, ["select", *map(str, arguments)], standalone_mode=False)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", ["daft", "spark"])
@pytest.mark.parametrize("more", [(), ("--class", "factual", "-k", 2)])
def test_answers_are_those_of_each_request_alone(engine, more, table, monkeypatch):
    pytest.importorskip({"daft": "daft", "spark": "pyspark"}[engine], reason=f"the engine `{engine}` is not installed")
    monkeypatch.setattr("reparto.corpus.engines.selecting.RANGE", 2000)  # several tasks
    monkeypatch.setattr("reparto.corpus.engines.selecting.WAVE", 3)  # and several waves of them
    alone, served = run(table, *more), run(table, "--engine", engine, "--partitions", 2, *more)
    assert alone.return_value == served.return_value == 2
    ours, theirs = alone.stdout.splitlines(), served.stdout.splitlines()
    assert len(theirs) == len(REQUESTS)
    assert [one for at, one in enumerate(theirs) if at != 10] == [one for at, one in enumerate(ours) if at != 10]
    codes = [[one["code"] for one in json.loads(lines[10])["errors"]] for lines in (ours, theirs)]
    assert codes[0] == codes[1]
    assert "1 of the requests" in served.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--engine", "daft", "--log", "x.log"), "no log"),
        (("--engine", "daft", "--format", "table"), "--format"),
        (("--partitions", "2"), "--engine"),
        (("--option", "runner=ray"), "--engine"),
        (("--engine", "daft", "--option", "runner"), "NAME=VALUE"),
        (("--engine", "local"), "local"),
    ],
)
def test_what_an_engine_does_not_do_is_refused_by_name(arguments, says, table, tmp_path):
    found = run(table, *arguments)
    assert found.exception is not None
    assert says in str(getattr(found.exception, "message", found.exception))
